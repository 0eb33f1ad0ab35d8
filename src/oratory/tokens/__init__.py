"""Tokenizers: words, characters, trained and pretrained subwords, with one interface."""

from oratory.tokens.corpus import (
    encode_classifier,
    encode_lm,
    load_tokenizer,
    train_tokenizer,
    with_special,
)
from oratory.tokens.encoded import Encoded
from oratory.tokens.tokenizer import CLS, PAD, START, STOP, UNK, Tokenizer

__all__ = [
    "CLS",
    "PAD",
    "START",
    "STOP",
    "UNK",
    "Encoded",
    "Tokenizer",
    "encode_classifier",
    "encode_lm",
    "load_tokenizer",
    "train_tokenizer",
    "with_special",
]
