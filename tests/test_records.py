"""Records: their own checksum, and values of the wrong type."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest

from oratory.errors import InputError
from oratory.records import WrongValue, checked, read_record, typed, write_record


@dataclass(frozen=True)
class Inner:
    name: str
    share: float = 0.5


@dataclass(frozen=True)
class Outer:
    count: int
    inner: Inner
    names: tuple[str, ...] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)
    least: int | None = None
    on: bool = False
    key: str | int = ""
    rest: Any = None


def test_what_is_written_is_read(tmp_path: Path) -> None:
    values = {"count": 3, "inner": {"name": "é\n", "share": 0.1}, "names": ["a"], "rest": {"1": None}}
    write_record(tmp_path / "r", values)
    assert read_record(tmp_path / "r") == values
    found = typed(Outer, values, tmp_path)
    assert found == Outer(3, Inner("é\n", 0.1), ("a",), rest={"1": None})


def test_no_flipped_bit_changes_a_value_unseen(tmp_path: Path) -> None:
    path = tmp_path / "r"
    values = {"seed": 3, "rate": 0.001, "name": "corpus", "on": True, "list": [1, 2], "none": None}
    write_record(path, values)
    whole = path.read_bytes()
    for at in range(len(whole)):
        for bit in range(8):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :])
            with suppress(InputError):  # Else it was white space, or the name of the checksum itself.
                found = read_record(path)
                assert {name: found[name] for name in values} == values


def test_a_record_without_a_checksum_is_read(tmp_path: Path) -> None:
    (tmp_path / "r").write_text(json.dumps({"seed": 3}))
    assert read_record(tmp_path / "r") == {"seed": 3}


@pytest.mark.parametrize(
    "content", ["{", "[1]", "null", '{"a": 1, "digest": "0"}', '{"a": 1, "digest": []}', "[" * 9999]
)
def test_what_is_no_record(tmp_path: Path, content: str) -> None:
    (tmp_path / "r").write_text(content)
    with pytest.raises(InputError, match="r is damaged: "):
        read_record(tmp_path / "r")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"count": "three"}, "count must be a whole number, not 'three'"),
        ({"count": 1.0}, "count must be a whole number, not 1.0"),
        ({"count": True}, "count must be a whole number, not True"),
        ({"count": None}, "count must be a whole number, not None"),
        ({"inner": []}, r"inner must be an object, not \[\]"),
        ({"inner": {}}, "it lacks inner.name"),
        ({"inner": {"name": "x", "odd": 1}}, "nothing is known of inner.odd"),
        ({"inner": {"name": "x", "share": float("nan")}}, "inner.share must be a number, not nan"),
        ({"names": "ab"}, "names must be a list, not 'ab'"),
        ({"names": ["a", 2]}, r"names\[1\] must be text, not 2"),
        ({"sizes": [["a", 1]]}, "sizes must be an object"),
        ({"sizes": {"a": "1"}}, "sizes.a must be a whole number, not '1'"),
        ({"least": "x"}, "least must be a whole number"),
        ({"on": 1}, "on must be true or false, not 1"),
        ({"key": []}, "key must be a whole number, not"),
        ({"names": "x" * 99}, "names must be a list, not 'xxx.*x…"),
    ],
)
def test_a_wrong_value_is_named(changes: dict[str, Any], said: str) -> None:
    values = {"count": 3, "inner": {"name": "a"}} | changes
    with pytest.raises(InputError, match=f"here is damaged: {said}"):
        typed(Outer, values, Path("here"))


def test_something_that_is_no_object() -> None:
    with pytest.raises(InputError, match="here is damaged: it must be an object"):
        typed(Outer, [1], Path("here"))


def test_a_word_of_a_few_is_one_of_them() -> None:
    assert checked(Literal["lower", "higher"], "lower") == "lower"
    with pytest.raises(WrongValue, match="one of lower, higher"):
        checked(Literal["lower", "higher"], "best")
