"""The exact worst case of an algorithm over a whole class of functions, between an attained and a proved value.

``bracket``: a run of rounds on clients of a class in any dimension, by rational multipliers of interpolation inequalities.
``set_functions``: an algorithm on all monotone submodular functions of few items, by linear programs.
"""
