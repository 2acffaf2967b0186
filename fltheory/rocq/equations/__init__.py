"""Tactics for equations between terms, and for their signs."""
