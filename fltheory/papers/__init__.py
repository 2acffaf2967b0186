"""The five papers, a folder each; every paper is cut into parts."""
