"""Exported theorems as files for Rocq: a deep statement that is printed from the JSON, and a script that proves it."""
