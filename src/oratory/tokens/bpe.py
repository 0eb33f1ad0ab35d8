"""Byte-pair encoding, trained on the corpus (Sennrich et al., 2016; on bytes as in Radford et al., 2019)."""

from collections.abc import Sequence
from dataclasses import dataclass

from oratory.errors import InputError
from oratory.tokens.subword import SubwordTokenizer
from oratory.tokens.tokenizer import PAD, UNK


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

        specials = [PAD, UNK, *self.specials]
        if self.size < 256 + len(specials):
            raise InputError(f"bpe(size={self.size}) is too small: 256 bytes and {len(specials)} specials come first.")
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
