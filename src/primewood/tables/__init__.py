"""Rows and tables as users have them: frames, arrays, dicts, and files of rows."""
