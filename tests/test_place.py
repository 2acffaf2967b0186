"""Places: they fit an item of their paper, sort in its order and print as they were written."""

from __future__ import annotations

import random

import pytest

from fltheory.claims.catalogue import KEYS, catalogue, contents, place_of_source
from fltheory.model.bound import Source
from fltheory.model.place import Contents, Item, Place, PlaceError

BOOK = Contents(
    (
        Item("Section 1", "Introduction", "1"),
        Item("Section 2", "Results", "2-3, 4a-4c"),
        Item("Theorem 3", "The rate", "5"),
        Item("Section 2.1", "More"),
        Item("Table 1", "Numbers"),
        Item("Appendix A", "Proofs"),
        Item("Appendix A.1", "Proof of Theorem 3", "6-8", proves=("Theorem 3",)),
        Item("Lemma A.1", "A lemma"),
    ),
    {"the rate": "Theorem 3, the rate"},
)


def fields(text: str) -> tuple[str, str, str]:
    found = BOOK.place(text)
    assert str(found) == text
    return found.item, found.part, found.eq


def test_a_place_names_an_item_a_part_and_a_display() -> None:
    assert fields("Theorem 3, convex") == ("Theorem 3", "convex", "")
    assert fields("Theorem 3 (5)") == ("Theorem 3", "", "5")
    assert fields("(3), each client") == ("Section 2", "each client", "3")
    assert fields("(4b)") == ("Section 2", "", "4b")
    assert fields("text after (5)") == ("Theorem 3", "text after", "5")
    assert fields("App. A.1") == fields("Section A.1") == fields("A.1") == ("Appendix A.1", "", "")
    assert fields("Section 2.1, Table 1") == ("Table 1", "", "")
    assert fields("Table 1 (App. A), row 2") == ("Table 1", "row 2", "")
    assert fields("(5), Theorem 7 of Salehi et al.") == ("Theorem 3", "Theorem 7 of Salehi et al.", "5")
    assert fields("the rate") == ("Theorem 3", "the rate", "")


def test_a_proof_stands_where_the_paper_has_it() -> None:
    assert fields("proof of Theorem 3 (7)") == ("Appendix A.1", "proof of Theorem 3", "7")
    assert fields("Theorem 3 (8)") == ("Appendix A.1", "Theorem 3", "8")
    assert fields("Theorem 3, last line of the proof")[0] == "Appendix A.1"
    assert fields("Lemma A.1, proof") == ("Lemma A.1", "proof", "")
    assert fields("Theorem 3 (its proof names the constants)")[0] == "Theorem 3"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "somewhere",
        "Theorem 4",  # the paper has none
        "Theorem 3, Lemma 9",
        "(9)",  # no such display
        "(4)",  # 4a, 4b and 4c are there
        "Theorem 3 (1)",  # it stands in the introduction
        "Lemma A.1 (5)",
        "Lemma A",  # an appendix is no lemma
        "Appendix B",
        "theorem 3",
    ],
)
def test_what_fits_no_item_is_refused(text: str) -> None:
    with pytest.raises(PlaceError):
        BOOK.place(text)


def test_items_are_there_once_and_displays_stand_in_one() -> None:
    with pytest.raises(PlaceError, match="duplicate"):
        Contents((Item("Theorem 1"), Item("Theorem 1")))
    with pytest.raises(PlaceError, match="not items"):
        Contents((Item("Appendix A", proves=("Theorem 1",)),))
    with pytest.raises(PlaceError, match=r"\(2\) is in"):
        Contents((Item("Theorem 1", equations="1-2"), Item("Theorem 2", equations="2"))).place("(1)")


def test_places_sort_as_the_paper_goes() -> None:
    texts = (
        "(1)",
        "Section 2",
        "(2)",
        "text after (2)",
        "(3)",
        "Theorem 3",
        "Theorem 3 (5)",
        "text after Theorem 3",
        "Table 1",
        "proof of Theorem 3",
        "proof of Theorem 3 (7)",
        "Lemma A.1",
        "proof of Lemma A.1",
    )
    places = [BOOK.place(t) for t in texts]
    random.Random(0).shuffle(places)
    assert tuple(map(str, sorted(places))) == texts


@pytest.mark.parametrize("key", KEYS)
def test_every_place_of_the_catalogue_fits_its_paper(key: str) -> None:
    sources = {b.source for claim in catalogue((key,)) for b in claim.bounds}
    for source in sources:
        found = place_of_source(source)
        assert isinstance(found, Place)
        assert str(found) == source.place
        assert f"{source.paper}, {found} (" in str(source)
    corrected = set(contents(key).corrections)
    assert corrected <= {s.place for s in sources}, "no source is recorded so any more: take it out of MEANT"


def test_a_source_that_fits_nothing_is_refused() -> None:
    with pytest.raises(PlaceError, match="no Theorem 99"):
        place_of_source(Source("sfl", "Theorem 99, strongly convex"))
    with pytest.raises(PlaceError, match=r"\(14\) is in Theorem 4, not in Theorem 5"):
        place_of_source(Source("osmd", "Theorem 5 (14)"))
