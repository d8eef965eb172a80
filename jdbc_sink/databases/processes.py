"""A process by its id, in words that a person recognises."""

from __future__ import annotations

from pathlib import Path

from windowlog.access.engines import redacted


def process_name(pid: int, program: str = "") -> str:
    """`process 42 (python job.py)`: its command line, or what else is known of it."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return f"process {pid} ({program})" if program else f"process {pid}"
    command = b" ".join(words).decode(errors="replace").strip()
    return f"process {pid} ({redacted(command[:200]) or program})"
