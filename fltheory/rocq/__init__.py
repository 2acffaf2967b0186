"""Exported theorems as files for Rocq: a deep statement printed from the JSON, and a script that proves it."""
