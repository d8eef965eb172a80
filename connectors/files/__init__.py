"""Files as an input: growing text files, read by byte ranges. docs/file_input.md has the table of
cases.
"""

from connectors.files.input import FileInput

__all__ = ["FileInput"]
