"""Instances that several parts share."""
