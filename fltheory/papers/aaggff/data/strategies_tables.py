"""Hypothesis strategies for the entries of printed tables: all of them, where ``falsify`` looks."""

from __future__ import annotations

from hypothesis import strategies as st

from fltheory.case import Case
from fltheory.papers.aaggff.experiments.tables import HOSTS, OURS, PLUGGED, RESULTS, DataSet, Entry, Host, Study


def data_sets() -> st.SearchStrategy[Case]:
    """A data set."""
    return st.sampled_from(sorted(OURS)).map(lambda name: Case(DataSet(name)))


def entries() -> st.SearchStrategy[Case]:
    """A method on a data set."""
    every = [(data, method) for data, methods in RESULTS.items() for method in methods]
    return st.sampled_from(every).map(lambda pair: Case(Entry(*pair)))


def hosts() -> st.SearchStrategy[Case]:
    """A host on a data set."""
    return st.builds(lambda data, method: Case(Host(data, method)), st.sampled_from(PLUGGED), st.sampled_from(HOSTS))


def studies() -> st.SearchStrategy[Case]:
    """A data set of Figure A1."""
    return st.sampled_from(("Berka", "Reddit")).map(lambda name: Case(Study(name)))
