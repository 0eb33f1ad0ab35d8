"""The model card, as readers of Markdown and of its head find it."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from oratory.exports.card import model_card
from oratory.records import write_record
from oratory.runs import Run
from oratory.runs.record import RECORD
from tests.reports.test_markdown import READER
from tests.runs.records import record

PLAIN = ("speeches", "bert", ("a", "b", "c"))


def card(name: str, model: str, labels: Sequence[str]) -> str:
    """The card of a fine-tuned run whose record has these names of corpus, published model and labels."""
    about = {"model": model, "weights": "f00d", "engine": "hf"}
    values = record(given=about, labels=list(labels), corpus={"name": name, "fingerprint": "f00d", "source": "sotu"})
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / values["id"]
        folder.mkdir()
        write_record(folder / RECORD, values)
        return model_card(Run.read(folder), needs_code=True)


def outline(text: str) -> list[str]:
    """The elements that a reader of Markdown finds, but for the texts in them."""
    found = [part.type for token in READER.parse(text) for part in (token, *(token.children or ()))]
    return [kind for kind in found if kind not in ("text", "text_special")]


def head(text: str) -> dict[str, Any]:
    """What the card says to machines."""
    found = yaml.safe_load(text.split("---\n", 2)[1])
    assert sorted(found) == ["base_model", "library_name", "pipeline_tag", "tags"]
    return dict(found)


def test_hostile_names_are_texts_in_a_card() -> None:
    labels = ("[a](javascript:b)", "| c | d |", "`code` <b>")
    made = card("<img src=x onerror=alert(1)> `x`", 'a" b\n---\n# <script>', labels)
    assert outline(made) == outline(card(*PLAIN))
    assert head(made)["base_model"] == 'a" b\n---\n# <script>'


def test_the_head_names_a_model_of_any_letters() -> None:
    assert head(card("speeches", "größe\U0001f600/модель", "abc"))["base_model"] == "größe\U0001f600/модель"
