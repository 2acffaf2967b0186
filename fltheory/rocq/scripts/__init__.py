"""Proofs as scripts: tactics for equations and signs, and one function for each rule."""
