"""Byte-pair encoding, trained on the corpus (Sennrich et al., 2016; on bytes as in Radford et al., 2019)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from oratory.errors import InputError
from oratory.tokens.subword import SubwordTokenizer
from oratory.tokens.vocabulary import special_tokens

LARGEST = 10_000_000


@dataclass(frozen=True, kw_only=True)
class Bpe:
    """Subwords: byte-pair encoding on bytes, so that no text is unknown."""

    size: int = 4096
    """Entries of the vocabulary, the 256 bytes and the special ones included."""
    min_count: int = 2
    """Pairs seen fewer times in train are not merged."""
    specials: tuple[str, ...] = ()
    """Further special tokens, such as <START>+<STOP>+<CLS>."""

    def train(self, lines: Sequence[str]) -> "BpeTokenizer":
        from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

        specials = special_tokens(self.specials)
        if not 256 + len(specials) <= self.size <= LARGEST:
            raise InputError(
                f"bpe(size={self.size}): the size must be at least {256 + len(specials)}, for 256 bytes and "
                f"{len(specials)} special tokens, and at most {LARGEST:,}."
            )
        if not 1 <= self.min_count <= LARGEST:
            raise InputError(f"bpe(min_count={self.min_count}): it must be at least 1 and at most {LARGEST:,}.")
        inner = Tokenizer(models.BPE())
        inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        inner.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=self.size,
            min_frequency=self.min_count,
            special_tokens=specials,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
        inner.train_from_iterator((f"{line}\n" for line in lines), trainer)
        return BpeTokenizer(inner, pad_id=0, unk_id=1)


class BpeTokenizer(SubwordTokenizer):
    """Byte-pair encoding."""

    kind = "bpe"

    def __init__(self, inner: Any, pad_id: int, unk_id: int | None) -> None:
        super().__init__(inner, pad_id, unk_id)
        # "<pad>" in somebody's text is five characters, and not the special token.
        self.inner.encode_special_tokens = True
