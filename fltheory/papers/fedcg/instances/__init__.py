"""Instances that several parts of the paper share."""
