"""What is published and what is taken from others: model cards, and names and data sets of the hub."""

from contextlib import ExitStack
from unittest.mock import patch

import datasets
import huggingface_hub
from hypothesis import strategies as st

from oratory.model import pretrained
from oratory.text import audit, describe, load_corpus
from oratory.text.sources import hub
from tests.exports.test_card import PLAIN, card, head, outline
from tests.fuzz.tried import refused_at_most, texts, tried


@tried(texts, texts, st.lists(texts, min_size=3, max_size=3))
def test_model_cards(name: str, model: str, labels: list[str]) -> None:
    with refused_at_most():
        made = card(name, model, labels)
        assert outline(made) == outline(card(*PLAIN))
        assert isinstance(head(made)["base_model"], str)


@tried(
    st.builds("{}{}{}".format, st.sampled_from(("", "owner/", "/", "../")), texts, st.sampled_from(("", ":x", "/..")))
)
def test_names_of_the_hub(name: str) -> None:
    """Only names come that far, never paths; and a name of a folder that is here does not."""
    with ExitStack() as patched:
        sets = patched.enter_context(patch.object(datasets, "load_dataset", side_effect=ConnectionError))
        models = patched.enter_context(patch.object(huggingface_hub, "snapshot_download", side_effect=ConnectionError))
        for module in (hub, pretrained):
            patched.enter_context(patch.object(module, "offline_without_network"))
        for data in (f"hub:{name}", hub.Hub(name)):
            with refused_at_most():
                load_corpus(data)
        with refused_at_most():
            pretrained.folder_of(name)
        for call in (*sets.call_args_list, *models.call_args_list):
            assert hub.NAME.fullmatch(call.args[0])
            assert ".." not in call.args[0].split("/")


Rows = list[tuple[str, int]]
rows = st.lists(st.tuples(texts, st.integers(-1, 3)), min_size=1, max_size=5)


@tried(rows, rows, st.lists(texts, min_size=1, max_size=3), st.sampled_from(("text", "sentence", "none")))
def test_data_sets_of_the_hub(train: Rows, test: Rows, names: list[str], column: str) -> None:
    with refused_at_most(), ExitStack() as patched:
        loaded = {split: _data_set(rows, names, column) for split, rows in (("train", train), ("test", test))}
        patched.enter_context(patch.object(datasets, "load_dataset", return_value=loaded))
        patched.enter_context(patch.object(hub, "offline_without_network"))
        corpus = load_corpus("hub:owner/name")
        describe(corpus).tables()
        audit(corpus).tables()


def _data_set(rows: Rows, names: list[str], column: str) -> datasets.Dataset:
    features = datasets.Features({column: datasets.Value("string"), "label": datasets.Value("int64")})
    columns = {column: [text for text, _ in rows], "label": [label for _, label in rows]}
    made = datasets.Dataset.from_dict(columns, features)
    made.info.features["label"] = datasets.ClassLabel(names=[f"{at}{name}" for at, name in enumerate(names)])
    return made
