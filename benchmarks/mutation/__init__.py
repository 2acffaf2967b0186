"""Which single edits of the code no test notices: ``python -m benchmarks.mutation PROFILE``."""
