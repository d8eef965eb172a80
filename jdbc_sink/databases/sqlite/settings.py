"""What of a SQLite connection's settings and files forgets commits, or parts of them."""

from __future__ import annotations

from typing import Any

# Journal -> what is wrong with it.
_FORGETFUL_JOURNALS = {"off": "cannot roll back", "memory": "is corrupted by a crash"}
_SYNCHRONOUS = ("off", "normal", "full", "extra")


def flaw_of(driver: Any, schemas: frozenset[str]) -> tuple[str, str] | None:
    """(reason, remedy) if tables in these schemas, lower case, are not safe with a sqlite3
    connection. sqlite3's own error if they cannot be written."""
    if getattr(driver, "autocommit", None) is True:
        reason = "with its setting autocommit=True a commit does nothing"
        return reason, "Leave that setting away: rows and ledger must be one transaction."
    if _pragma(driver, "query_only"):
        return "its setting query_only forbids to write", "Take it away: a sink writes."
    files = {row[1].lower(): row[2] for row in driver.execute("PRAGMA database_list")}
    there = sorted(schema for schema in schemas if schema in files)
    for schema in there:
        flaw = _flaw_of_file(driver, schema, files[schema])
        if flaw is not None:
            return flaw
    _try_to_write(driver, there)
    journals = {_pragma(driver, f'"{schema}".journal_mode') for schema in there}
    if len(there) > 1 and ("wal" in journals or not files["main"]):
        reason = f"a crash may commit one of its files {' and '.join(there)} without the others"
        return reason, "Put tables and ledger into one file, or use journal_mode=delete in each."
    return None


def _flaw_of_file(driver: Any, schema: str, file: str) -> tuple[str, str] | None:
    if not file:
        if schema == "main":
            return None  # which lives as long as the sink
        reason = f"its schema {schema} is gone with the connection"
        return reason, "Put tables and ledger into a file."
    journal = str(_pragma(driver, f'"{schema}".journal_mode')).lower()
    synchronous = int(_pragma(driver, f'"{schema}".synchronous'))
    if journal in _FORGETFUL_JOURNALS:
        reason = f"with its setting journal_mode={journal} it {_FORGETFUL_JOURNALS[journal]}"
        return reason, "Use journal_mode delete, truncate, persist or wal."
    if synchronous == 0 or (synchronous == 1 and journal == "wal"):
        setting = _SYNCHRONOUS[synchronous]
        reason = f"its setting synchronous={setting} forgets commits in a power cut"
        return reason, "Set it to full."
    return None


def _try_to_write(driver: Any, schemas: list[str]) -> None:
    """sqlite3's own error if it cannot be: BEGIN IMMEDIATE alone succeeds on a read-only file."""
    if driver.in_transaction:
        driver.execute("ROLLBACK")
    driver.execute("BEGIN IMMEDIATE")
    try:
        for schema in schemas:
            version = _pragma(driver, f'"{schema}".user_version')
            driver.execute(f'PRAGMA "{schema}".user_version = {version}')
    finally:
        driver.execute("ROLLBACK")


def _pragma(driver: Any, name: str) -> Any:
    return driver.execute(f"PRAGMA {name}").fetchone()[0]
