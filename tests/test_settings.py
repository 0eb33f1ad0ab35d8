from dataclasses import dataclass

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oratory.errors import InputError, unknown
from oratory.settings import choose, parse_words, written


@dataclass(frozen=True, kw_only=True)
class Kind:
    size: int = 4
    rate: float = 0.5
    on: bool = False
    limit: int | None = None
    names: tuple[str, ...] = ()
    title: str | None = None


CHOICES: dict[str, type] = {"kind": Kind}


def test_words() -> None:
    assert parse_words(["a=1", "b=x=y"], ["a", "b"]) == {"a": "1", "b": "x=y"}
    for words, message in [
        (["a"], "The setting 'a' has no value; write a=VALUE"),
        (["a="], "The setting 'a' has no value"),
        (["c=1"], "There is no setting 'c'"),
        (["a=1", "a=2"], "given twice"),
    ]:
        with pytest.raises(InputError) as caught:
            parse_words(words, ["a", "b"])
        assert message in str(caught.value)


def test_choices() -> None:
    assert choose("kind", CHOICES, "kind") == Kind()
    given = choose("kind(size=8, rate=1e-3, on=yes, limit=none, names=<A>+<B>)", CHOICES, "kind")
    assert given == Kind(size=8, rate=1e-3, on=True, limit=None, names=("<A>", "<B>"))
    assert choose("kind:7", CHOICES, "kind") == Kind(size=7)
    quoted = choose('kind(title="a, \\"b\\"", names="x+y" + z)', CHOICES, "kind")
    assert quoted == Kind(title='a, "b"', names=("x+y", "z"))


def test_only_what_has_to_be_is_quoted() -> None:
    assert written(Kind(title="a b=c(d)+e", names=("<A>", "x y")), "kind") == "kind(names=<A>+x y,title=a b=c(d)+e)"
    assert written(Kind(title="a,b", names=("x+y", "z")), "kind") == 'kind(names="x+y"+z,title="a,b")'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kinf", "Did you mean 'kind'"),
        ("kind(size=a)", "kind(size=...): 'a' is not a whole number"),
        ("kind(rate=a)", "'a' is not a number"),
        ("kind(on=maybe)", "neither on nor off"),
        ("kind(size=1,size=2)", "is given twice"),
        ("kind size", "is not a kind"),
    ],
)
def test_choices_that_are_wrong(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        choose(text, CHOICES, "kind")
    assert message in str(caught.value)


@given(
    st.builds(
        Kind,
        size=st.integers(),
        rate=st.floats(allow_nan=False),
        on=st.booleans(),
        limit=st.none() | st.integers(),
        names=st.lists(st.from_regex(r"<[A-Z]+>", fullmatch=True) | st.text()).map(tuple),
        title=st.none() | st.sampled_from(["none", "", '"', 'a,b="c"', " x", "(", "\\", '"a"+"b"']) | st.text(),
    )
)
@example(Kind(names=("a+b", 'c,"d', "")))
def test_a_choice_reads_back_as_it_is_written(kind: Kind) -> None:
    assert choose(written(kind, "kind"), CHOICES, "kind") == kind


def test_unknown_without_anything_near() -> None:
    assert str(unknown("thing", "qqq", ["alpha"])) == "There is no thing 'qqq'. Known: alpha."
