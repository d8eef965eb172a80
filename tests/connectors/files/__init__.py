"""FileInput: one test for each case of docs/file_input.md."""
