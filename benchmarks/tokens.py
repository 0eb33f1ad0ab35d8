"""Words of every State of the Union address, beside NLTK, whose rules these are."""

import os
import tempfile

from nltk.tokenize import NLTKWordTokenizer

from benchmarks._time import best
from oratory.tables import Table, number
from oratory.text import load_corpus
from oratory.tokens import encode_lm, train_tokenizer
from oratory.tokens.words import split


def measure() -> Table:
    corpus = load_corpus("sotu(presidents=all)")
    lines = [line for _, text in corpus.need_lm().texts() for line in text]
    peer = NLTKWordTokenizer().tokenize
    theirs = best(lambda: [peer(line) for line in lines])
    ours = best(lambda: [split(line) for line in lines])
    words = sum(len(split(line)) for line in lines)
    rows = [
        ("split into words: NLTK", number(theirs, 2), number(1, 2)),
        ("split into words: Oratory, the same words", number(ours, 2), number(ours / theirs, 2)),
    ]
    for settings in ("word", "char", "bpe"):

        def fresh(settings: str = settings) -> None:
            with tempfile.TemporaryDirectory() as cache:
                os.environ["ORATORY_CACHE"] = cache
                encode_lm(corpus, train_tokenizer(corpus, settings))

        rows.append((f"train and encode with bytes: {settings}", number(best(fresh), 2), ""))
    title = f"Every State of the Union address: {words:,} words"
    return Table(title, ("work", "seconds", "of NLTK's"), tuple(rows))
