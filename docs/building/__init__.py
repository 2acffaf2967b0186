"""The site: pages written by hand, and what is written from the code and from recorded results. ``python -m docs`` builds it."""
