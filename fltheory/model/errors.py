"""Errors caused by a mistake of the user."""


class UserError(ValueError):
    """A mistake of the user: its text is one line that says what is wrong and what would be right."""
