"""The command line: arguments, output and exit status."""
