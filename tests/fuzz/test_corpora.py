"""Corpora of strangers, in every format: read, described and audited, or refused with a sentence."""

import csv
import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

from oratory.text import audit, describe, export, load_corpus
from oratory.text.load import parse_source
from oratory.tokens import train_tokenizer
from tests.fuzz.tried import a_folder, damaged, refused_at_most, texts, tried

Rows = list[tuple[str, str]]

rows = st.lists(st.tuples(texts, st.sampled_from(("0", "1")) | texts), min_size=1, max_size=6)
GOOD: Rows = [("Yes, we can.", "0"), ("The state is strong!", "1"), ("We will go on.", "0"), ("Thank you.", "1")]


def tsv(given: Rows) -> bytes:
    return "".join(f"{text}\t{label}\n" for text, label in [("text", "label"), *given]).encode()


def comma_separated(given: Rows) -> bytes:
    made = io.StringIO()
    csv.writer(made).writerows([("text", "label"), *given])
    return made.getvalue().encode()


def jsonl(given: Rows) -> bytes:
    return "".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in given).encode()


def parquet(given: Rows) -> bytes:
    made = io.BytesIO()
    pq.write_table(pa.table({"text": [text for text, _ in given], "label": [label for _, label in given]}), made)
    return made.getvalue()


FORMATS = {".tsv": tsv, ".csv": comma_separated, ".jsonl": jsonl, ".parquet": parquet}
REFERENCE = {
    "train_CLS.tsv": b"0\tYes, we can.\n1\tThe state is strong!\n0\tWe will go on.\n",
    "test_CLS.tsv": b"0\tyes we can\n1\tFreedom will prevail.\n",
    "train_LM.txt": b"We will go on.\nThe state of our union is strong.\n",
    "test_LM_a.txt": b"We will go on.\nOur union is new.\n",
    "groups.tsv": b"file\taddress\tsentence\ntest_CLS.tsv\tone\t1\ntest_CLS.tsv\ttwo\t1\ntest_LM_a.txt\tone\t2\n",
}


def use(folder: Path) -> None:
    """All that is done with a corpus before anything is trained."""
    with refused_at_most():
        corpus = load_corpus(folder)
        for facts in (describe(corpus), audit(corpus)):
            json.dumps(facts.to_dict())
            facts.tables()
        train_tokenizer(corpus).encode(" ".join(corpus.training_lines()))
        export(corpus, folder / "again")
        assert load_corpus(folder / "again").fingerprint == corpus.fingerprint


@tried(st.sampled_from(sorted(FORMATS)), rows, rows)
def test_hostile_texts(ending: str, train: Rows, test: Rows) -> None:
    with a_folder() as folder:
        (folder / f"train{ending}").write_bytes(FORMATS[ending]([*GOOD, *train]))
        (folder / f"test{ending}").write_bytes(FORMATS[ending]([*GOOD[:2], *test]))
        use(folder)


@tried(st.sampled_from(sorted(FORMATS)), st.data())
def test_damaged_tables(ending: str, data: st.DataObject) -> None:
    with a_folder() as folder:
        (folder / f"train{ending}").write_bytes(data.draw(damaged(FORMATS[ending](GOOD))))
        use(folder)


@tried(st.sampled_from(sorted(REFERENCE)), st.data())
def test_a_damaged_folder_of_the_reference_layout(name: str, data: st.DataObject) -> None:
    with a_folder() as folder:
        for each, content in REFERENCE.items():
            (folder / each).write_bytes(data.draw(damaged(content)) if each == name else content)
        use(folder)


@tried(st.sampled_from(sorted(FORMATS)), st.binary(max_size=200))
def test_any_bytes(ending: str, content: bytes) -> None:
    with a_folder() as folder:
        (folder / f"train{ending}").write_bytes(content)
        use(folder)


@tried(st.sampled_from(("", "folder(path=", "hub:", "hub(name=", "sotu(presidents=", "sotu:")), texts)
def test_the_names_of_corpora(start: str, text: str) -> None:
    with refused_at_most():
        source = parse_source(f"{start}{text}{')' if '(' in start else ''}")
        assert parse_source(str(source)) == source
