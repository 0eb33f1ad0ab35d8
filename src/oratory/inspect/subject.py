"""What is looked into: a model, with the tokenizer that goes with it and what is known of its training."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from oratory.errors import InputError
from oratory.model import ModelConfig, Transformer, pretrained
from oratory.runs import Run
from oratory.tables import shortened
from oratory.text import Corpus
from oratory.text.normal import one_line
from oratory.tokens import CLS, Tokenizer
from oratory.tokens.pretrained import Pretrained
from oratory.tokens.subword import SubwordTokenizer
from oratory.tokens.unknown import named
from oratory.training.origins.published.config import DEFAULT
from oratory.training.origins.published.model import PublishedModel
from oratory.training.tasks import Task, task_for
from oratory.training.tasks.samples import TOKENS, Samples, texts_of

LONGEST = 4096
"""Tokens, where the positions of a model have no end."""


@dataclass(frozen=True, eq=False)
class Subject:
    """A model to look into."""

    name: str
    model: Transformer
    tokenizer: Tokenizer | None
    run: Run | None = None

    @property
    def config(self) -> ModelConfig:
        return self.model.config

    @property
    def longest(self) -> int:
        """How many tokens of a text the model is given."""
        limit = self.config.longest
        if self.task is not None and self.task.cuts:
            limit = min(self.config.context, limit or self.config.context)
        return LONGEST if limit is None else min(limit, LONGEST)

    @property
    def task(self) -> Task | None:
        """What the model is for: the task of its run, or the one that fits a model without a run, if any does."""
        return task_for(self.config) if self.run is None else self.run.task

    @property
    def purpose(self) -> str:
        """The name of the task; of a model that is for none, what it is."""
        return self.config.kind if self.task is None else self.task.name

    def initial(self) -> Transformer:
        """The model before training."""
        if self.run is None:
            raise InputError(f"{self.name} is no run, so nothing is known of its values before training.")
        return self.run.initial_model()

    def at_step(self, step: int | None) -> "Subject":
        """The model as it was after a step: 0 is before training, and None or the last step after it."""
        if step is None or (self.run is not None and step == self.run.step):
            return self
        if self.run is None:
            raise InputError(f"{self.name} is no run, so nothing is known of its values at step {step}.")
        model = self.initial() if step == 0 else self.run.snapshot(step)
        return replace(self, model=model, run=self.run.with_model(model))

    def encode(self, text: str | Sequence[int]) -> tuple[list[int], list[int]]:
        """The ids that the model is given, and those that were cut off because there is no room for them."""
        if not isinstance(text, str):
            return _cut([int(index) for index in text], self.longest)
        line = one_line(text)
        if not line:
            raise InputError("There is nothing to look at: the text is empty.")
        if self.tokenizer is None:
            raise InputError(f"{self.name} has no tokenizer: give one, or ids in place of a text.")
        tokenizer = self.tokenizer
        body = tokenizer.encode(line)
        if not body:
            raise InputError(f"There is nothing to look at: {line!r} has no token.")
        if all(index == tokenizer.unk_id for index in body):
            raise InputError(f"Every token of {shortened(line, 60)!r} is unknown to the vocabulary of {self.name}.")
        framed = self.run is not None and self.run.origin.frames_texts
        if (self.run is None or framed) and isinstance(tokenizer, SubwordTokenizer):
            return _with_specials(tokenizer, line, self.longest)
        first = tokenizer.find(CLS) if self.task is None else self.task.opening(tokenizer)
        return _cut(body if first is None else [first, *body], self.longest)

    def samples(self, corpus: Corpus, tokens: int = TOKENS) -> Samples:
        """Held-out texts of a corpus: in the form in which the run's task has them, or as texts for any other model."""
        if self.tokenizer is None:
            raise InputError(f"{self.name} has no tokenizer, so that it cannot be given a corpus.")
        if self.run is None:
            return texts_of(corpus, self._known, tokens)
        return self.run.task.samples(self.run, corpus, self._known, tokens)

    def _known(self, text: str) -> list[int]:
        try:
            return self.encode(text)[0]
        except InputError:  # A line without a known token shows nothing.
            return []

    def tokens(self, ids: Sequence[int], text: str | None = None) -> tuple[str, ...]:
        """The tokens of ids; with their text, unknown ones show their word. Numbers where there is no tokenizer."""
        if self.tokenizer is None:
            return tuple(str(index) for index in ids)
        if text is not None:
            return named(self.tokenizer, ids, one_line(text))
        return tuple(self.tokenizer.token(index) for index in ids)


def subject_of(given: "Run | Transformer | Subject", tokenizer: Tokenizer | None = None) -> Subject:
    """The subject that a run or a model is."""
    if isinstance(given, Subject):
        return given
    if isinstance(given, Run):
        if not isinstance(given.model, Transformer):
            raise InputError(f"The run {given.id} is a model of transformers, whose attention cannot be watched here.")
        return Subject(given.id, given.model, given.tokenizer, given)
    return Subject(f"this {given.config.kind}", given, tokenizer)


def published(name: str | os.PathLike[str]) -> Subject:
    """A published model with its own tokenizer: minilm, a folder, or a name on the hub."""
    folder = PublishedModel.find(DEFAULT).folder if name == DEFAULT else name
    tokenizer = Pretrained(path=os.fspath(folder)).train(())
    return Subject(Path(name).name or str(name), pretrained.load(folder), tokenizer)


def _cut(ids: list[int], longest: int) -> tuple[list[int], list[int]]:
    return ids[:longest], ids[longest:]


def _with_specials(tokenizer: SubwordTokenizer, line: str, longest: int) -> tuple[list[int], list[int]]:
    """As a published model was trained: between its own special tokens, for which there is always room."""
    inner = tokenizer.inner
    encoding = inner.encode(line, add_special_tokens=False)
    room = max(0, longest - inner.num_special_tokens_to_add(False))
    cut = list(encoding.ids[room:])
    encoding.truncate(room)
    return list(inner.post_process(encoding, add_special_tokens=True).ids), cut
