"""Unknown text is shown as what it is, and counted."""

from oratory.text import Corpus
from oratory.text.corpus import ClassifierData, Labelled
from oratory.tokens import encode_classifier, train_tokenizer
from oratory.tokens.unknown import named, unknown_note, unknown_remarks, unknown_words

KNOWN = ("the film was good", "the plot was dull")


def corpus(test: tuple[str, ...]) -> Corpus:
    return Corpus("c", ClassifierData(("0", "1"), Labelled(KNOWN, (0, 1)), None, Labelled(test, (0,) * len(test))))


def test_an_unknown_token_shows_its_word() -> None:
    tokenizer = train_tokenizer(corpus(KNOWN))
    text = "the zyx  film was naïve"
    ids = tokenizer.encode(text)
    assert named(tokenizer, ids, text) == ("the", "<unk:zyx>", "film", "was", "<unk:naïve>")
    assert named(tokenizer, ids[:2], text) == ("the", "<unk:zyx>")
    assert unknown_words(tokenizer, text) == ["zyx", "naïve"]
    assert unknown_note(["zyx", "naïve", "zyx"]) == "Not in the vocabulary: zyx, naïve."
    assert unknown_note(["a"] * 9) == "9 words are not in the vocabulary."
    assert not unknown_note([])


def test_much_unknown_text_in_test_is_said() -> None:
    strange = corpus(("zyx qwv", "the film"))
    tokenizer = train_tokenizer(strange)
    assert unknown_remarks(encode_classifier(strange, tokenizer), tokenizer) == (
        "50.0% of the tokens of test are unknown text: train does not have them.",
    )
    usual = corpus(KNOWN)
    assert unknown_remarks(encode_classifier(usual, tokenizer), tokenizer) == ()


def test_bytes_are_never_unknown() -> None:
    strange = corpus(("zyx qwv",))
    tokenizer = train_tokenizer(strange, "bpe(size=300)")
    assert unknown_words(tokenizer, "zyx") == []
    assert unknown_remarks(encode_classifier(strange, tokenizer), tokenizer) == ()
