import pytest
from hypothesis import given
from hypothesis import strategies as st

from oratory.errors import InputError
from oratory.text import ClassifierData, Corpus, Labelled, LanguageData, normalise
from oratory.text.corpus import label_order
from oratory.text.normal import one_line


def test_normalise_forgets_case_punctuation_and_white_space() -> None:
    assert normalise("  The State,  of the UNION -- is   strong! ") == "the state of the union is strong"
    assert normalise("The state of the union is strong") == "the state of the union is strong"


def test_texts_of_punctuation_alone_stay_different() -> None:
    assert normalise("...") != normalise("?!")


def test_marks_and_symbols_are_no_punctuation() -> None:
    for one, other in (("दिन", "दान"), ("I feel 😀", "I feel 😡"), ("C++", "C"), ("$5", "5%")):
        assert normalise(one) != normalise(other)


def test_a_notebook_shows_tables_and_not_the_texts() -> None:
    made = corpus()
    assert repr(made).startswith("<Corpus small: 2 labelled texts and 2 lines to learn from, fingerprint ")
    assert made._repr_html_().startswith("<table>")


def test_a_test_text_cannot_take_the_place_of_train() -> None:
    for name in ("train", "dev"):
        with pytest.raises(InputError, match=f"may not be called '{name}'"):
            LanguageData(("a",), None, {name: ("b",)})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I don't", "I don’t"),
        ("I don't", "I don`t"),
        ("I don't", "I don´t"),
        ("I don't", "I donʼt"),
        ("He said ``no'' twice", "He said “no” twice"),
        ("co\u00adoperate", "cooperate"),
        ("1\u202f000\u202f000 people, 12'500 of them", "1000000 people 12500 of them"),
        ("in 2009\u00a0250 people", "in 2009 250 people"),
        ("free\u200bdom, \u2060now", "freedom now"),
        ("caf\u200de\u0301", "café"),
        ("nearly 3,000 of 1,234,567", "nearly 3000 of 1234567"),
    ],
)
def test_ways_to_write_the_same(one: str, other: str) -> None:
    assert normalise(one) == normalise(other)


def test_commas_that_part_numbers_stay_blanks() -> None:
    assert normalise("1,2,3") == "1 2 3"
    assert normalise("in 1990,1991") == "in 1990 1991"
    assert normalise("12,34 and 1234,567") == "12 34 and 1234 567"


@given(st.text(), st.text("\u00ad\u200b\u200c\u200d\u2060\ufe0f", min_size=1), st.text())
def test_invisible_characters_change_nothing(before: str, hidden: str, after: str) -> None:
    assert normalise(before + hidden + after) == normalise(before + after)


@given(st.integers(0, 10**12))
def test_a_number_is_the_same_with_commas_and_without(value: int) -> None:
    assert normalise(f"about {value:,}.") == normalise(f"about {value}")


@given(st.text())
def test_normalise_is_stable(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@given(st.text())
def test_one_line_leaves_no_line_break_and_no_tab(text: str) -> None:
    line = one_line(text)
    assert len(line.splitlines()) <= 1
    assert "\t" not in line
    assert one_line(line) == line


def test_labels_are_in_the_order_of_numbers_or_names() -> None:
    assert label_order({"10", "9", "-1"}) == ("-1", "9", "10")
    assert label_order({"obama", "Bush", "10"}) == ("10", "Bush", "obama")


def corpus(**changes: object) -> Corpus:
    parts: dict[str, object] = {
        "classifier": ClassifierData(
            ("a", "b"), Labelled(("x y", "z"), (0, 1)), None, Labelled(("X, Y!", "q"), (0, 1))
        ),
        "lm": LanguageData(("one line", "two lines"), None, {"t": ("One line.", "three")}),
    }
    return Corpus("small", **(parts | changes))  # type: ignore[arg-type]


def test_seen_compares_normalised_texts() -> None:
    made = corpus()
    assert made.need_classifier().seen == (True, False)
    assert made.need_lm().seen("t") == (True, False)


def test_what_only_dev_has_is_unseen_and_named_apart() -> None:
    train, test = Labelled(("x y", "z"), (0, 1)), Labelled(("X, Y!", "q", "w"), (0, 1, 1))
    data = ClassifierData(("a", "b"), train, Labelled(("x y", "Q."), (0, 1)), test)
    assert (data.seen, data.in_dev) == ((True, False, False), (False, True, False))
    lines = LanguageData(("one", "two"), ("three", "one"), {"t": ("One.", "Three!", "four")})
    assert (lines.seen("t"), lines.in_dev("t")) == ((True, False, False), (False, True, False))
    assert not any(corpus().need_classifier().in_dev)
    assert not any(corpus().need_lm().in_dev("t"))


def test_fingerprint_is_of_the_content() -> None:
    made = corpus()
    assert made.fingerprint == corpus().fingerprint
    assert Corpus("another name", made.classifier, made.lm, ("a note",)).fingerprint == made.fingerprint
    changed = [
        corpus(classifier=None),
        corpus(lm=None),
        corpus(lm=LanguageData(("one line", "two lines"), None, {"u": ("One line.", "three")})),
        corpus(lm=LanguageData(("one line",), ("two lines",), {"t": ("One line.", "three")})),
        corpus(classifier=ClassifierData(("a", "c"), Labelled(("x y", "z"), (0, 1)))),
        corpus(classifier=ClassifierData(("a", "b"), Labelled(("x y", "z"), (1, 0)))),
    ]
    assert len({made.fingerprint, *(other.fingerprint for other in changed)}) == 7


def test_training_lines_count_shared_text_once() -> None:
    made = corpus()
    assert made.training_lines() == ("x y", "z", "one line", "two lines")
    same = corpus(lm=LanguageData(("x y", "z")))
    assert same.training_lines() == ("x y", "z")
