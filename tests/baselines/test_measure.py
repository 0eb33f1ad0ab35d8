import copy
import json
from pathlib import Path

import numpy as np
import pytest

from oratory.baselines.classifiers import Lookup, Majority
from oratory.baselines.counts import KneserNey, cached_shares
from oratory.errors import InputError
from oratory.text import ClassifierData, Corpus, Labelled, LanguageData, load_corpus
from oratory.tokens import encode_lm, train_tokenizer
from oratory.tokens.ngrams import NgramCounts
from oratory.tokens.spelling import spelled
from oratory.training.baselines import measure_baselines
from oratory.training.tasks import task_of
from tests.execution.training import write_corpus
from tests.tokens.test_spelling import published


def test_majority_takes_the_first_of_equals() -> None:
    baseline = Majority()
    baseline.fit(Labelled(("a", "b", "c", "d"), (2, 1, 1, 2)))
    assert baseline.predict(Labelled(("x", "y"), (0, 0))).tolist() == [1, 1]


def test_lookup_normalises_and_falls_back() -> None:
    baseline = Lookup()
    baseline.fit(Labelled(("Yes, we can.", "yes we can", "YES WE CAN!", "No.", "Go on."), (1, 0, 1, 0, 0)))
    assert baseline.predict(Labelled(("yes... we can", "never seen", "no"), (0, 0, 0))).tolist() == [1, 0, 0]


def test_the_reference_speeches(speeches: Corpus) -> None:
    facts = measure_baselines(speeches, discount=0.75).to_dict()
    svm = facts["classifier"]["tfidf-svm"]
    assert svm["accuracy"] == pytest.approx(0.904, abs=0.002)
    assert svm["accuracy_seen"] == pytest.approx(1.0, abs=0.002)
    assert svm["accuracy_unseen"] == pytest.approx(0.638, abs=0.006)
    assert facts["classifier"]["majority"]["accuracy"] == pytest.approx(1 / 3)
    assert facts["classifier"]["lookup"]["accuracy_seen"] == 1.0
    assert facts["lm"]["kneser-ney-3"]["perplexity"] == pytest.approx(
        {"obama": 247, "hbush": 278, "wbush": 383}, rel=0.005
    )


def test_a_discount_chosen_on_dev_is_better_than_a_fixed_one(speeches: Corpus) -> None:
    chosen, fixed = measure_baselines(speeches), measure_baselines(speeches, discount=0.75)
    on_dev = {name: facts.dev or 0.0 for name, facts in chosen.lm.items()}
    for name, perplexity in on_dev.items():
        assert 0 < perplexity <= (fixed.lm[name].dev or 0.0)
    plain = {name: perplexity for name, perplexity in on_dev.items() if name.startswith("kneser-ney")}
    assert chosen.chosen == min(plain, key=plain.__getitem__)
    assert min(on_dev.values()) < min(plain.values())  # Three discounts are better than one.
    assert chosen.to_dict()["lm"]["kneser-ney"] == chosen.to_dict()["lm"][chosen.chosen]


def test_the_default_corpus(sotu: Corpus) -> None:
    found = measure_baselines(sotu)
    scores = {name: facts.all.value or 0.0 for name, facts in found.classifier.items()}
    assert scores["tfidf-svm"] > scores["lookup"] >= scores["majority"]
    assert found.test - found.seen > 1000
    assert found.lm["kneser-ney-3"].texts["obama"].perplexity < found.lm["kneser-ney-1"].texts["obama"].perplexity / 2
    assert [table.title for table in found.tables()] == [
        "Accuracy on test in % (95% interval)",
        "Perplexity of the test texts",
        "Bits per byte of the test texts",
        "Pseudo-perplexity of the test texts",
    ]


def test_perplexity_of_all_lies_between_seen_and_unseen(sotu: Corpus) -> None:
    for text in measure_baselines(sotu).lm["kneser-ney-3"].texts.values():
        assert text.perplexity_seen is not None
        assert text.perplexity_unseen is not None
        assert text.perplexity_seen < text.perplexity < text.perplexity_unseen


def test_bits_per_byte_by_hand(sotu: Corpus) -> None:
    facts = measure_baselines(sotu, discount=0.75).lm["kneser-ney-2"].texts["obama"]
    tokenizer = train_tokenizer(sotu, spelling=True)
    encoded = encode_lm(sotu, tokenizer)
    nats = NgramCounts(encoded["train"].ids, len(tokenizer), 2).nats(encoded["obama"].ids, 2, 0.75)
    lines = sotu.need_lm().tests["obama"]
    closed = nats.sum() + spelled(lines, encoded["obama"], tokenizer).sum()
    assert facts.bits_per_byte == pytest.approx(closed / np.log(2) / sum(len(line.encode()) + 1 for line in lines))
    assert facts.perplexity_per_word == pytest.approx(np.exp(closed / len(nats)))


def bits(corpus: Corpus, tokenizer: str) -> float:
    """Bits per byte of the trigrams, over all test texts."""
    data = corpus.need_lm()
    sizes = {name: sum(len(line.encode()) + 1 for line in lines) for name, lines in data.tests.items()}
    trained = train_tokenizer(corpus, tokenizer, spelling=True)
    [found] = task_of("lm").baselines(corpus, {tokenizer: trained})
    texts = found.models["kneser-ney-3"].texts
    return sum(sizes[name] * (texts[name].bits_per_byte or np.nan) for name in sizes) / sum(sizes.values())


def test_nobody_gains_by_not_knowing(sotu: Corpus) -> None:
    """Without the spelling of unknown words, 50 would be the best of these by far."""
    words, fewer, fewest = (bits(sotu, name) for name in ("word", "word(min_count=2)", "word(min_count=50)"))
    assert words < fewest - 0.1
    assert fewer < fewest - 0.1


def test_the_tokenizers_of_the_reference_speeches(speeches: Corpus) -> None:
    found = [bits(speeches, name) for name in ("bpe", "word", "word(min_count=50)")]
    assert found == pytest.approx([1.91, 1.73, 1.93], abs=0.02)


def test_a_tokenizer_that_leaves_text_out_has_no_bits_per_byte(tmp_path: Path) -> None:
    lines = ("ab ab a.", "a ba ab.", "aa a")
    corpus = Corpus("letters", lm=LanguageData(lines, lines[:1], {"t": ("ab ba.", "1999")}))
    text = measure_baselines(corpus, published(tmp_path, drop="[0-9]+")).lm["kneser-ney-2"].texts["t"]
    assert text.perplexity > 0
    assert text.bits_per_byte is None
    assert text.perplexity_per_word is None


def test_the_discounts_are_chosen_with_the_tokens_that_are_measured() -> None:
    """The vocabulary is that of all of train, whether a dev is carved from it or not."""
    lines = tuple(f"word{i} is word{i % 7} again" for i in range(60))
    corpus = Corpus("lines", lm=LanguageData(lines, None, {"t": lines[:9]}))
    found, carved = measure_baselines(corpus), measure_baselines(corpus.with_dev())
    assert found.tokenizer_fingerprint == carved.tokenizer_fingerprint
    assert {name: facts.discount for name, facts in found.lm.items()} == {
        name: facts.discount for name, facts in carved.lm.items()
    }
    assert [facts.dev for facts in found.lm.values()] == [facts.dev for facts in carved.lm.values()]


@pytest.mark.parametrize("tokenizer", ["char", "bpe(size=1000)", "word(min_count=2,specials=<START>+<STOP>)"])
def test_other_tokenizers_can_be_compared_by_bits(sotu: Corpus, tokenizer: str) -> None:
    found = measure_baselines(sotu, tokenizer).lm["kneser-ney-5"].texts["obama"].bits_per_byte
    assert found is not None
    assert 1.0 < found < 3.0


def test_start_is_given_and_not_scored() -> None:
    lines = tuple(f"word{i % 3} word{i % 5}" for i in range(60))
    corpus = Corpus("lines", lm=LanguageData(lines, lines[:5], {"t": lines[:9]}))
    text = measure_baselines(corpus, "word(specials=<START>)").lm["kneser-ney-1"].texts["t"]
    plain = measure_baselines(corpus, "word").lm["kneser-ney-1"].texts["t"]
    # Nine <START> more to predict would have made it far easier; they only take a share of the unigrams.
    assert text.perplexity > plain.perplexity


def test_only_what_there_is_is_measured(tmp_path: object) -> None:
    only_lm = measure_baselines(load_corpus("sotu(presidents=lincoln)"))
    assert only_lm.classifier == only_lm.to_dict()["classifier"] == {}
    assert only_lm.lm
    assert only_lm.mlm
    data = ClassifierData(("a", "b"), Labelled(("x y", "z", "w"), (0, 1, 0)), None, Labelled(("x y",), (0,)))
    only_labels = measure_baselines(Corpus("labels", data))
    assert only_labels.lm == only_labels.mlm == {}
    assert only_labels.to_dict().keys() == only_lm.to_dict().keys()
    assert only_labels.chosen is None
    with pytest.raises(AttributeError, match="no 'chosn'"):
        only_labels.chosn  # noqa: B018
    assert copy.copy(only_labels) == only_labels
    assert only_labels.classifier["lookup"].unseen.value is None
    assert only_labels.classifier["lookup"].to_dict()["accuracy_unseen_interval"] is None
    assert "–" in only_labels.tables()[0].rows[0]


def test_without_test_or_with_a_wrong_discount() -> None:
    data = ClassifierData(("a", "b"), Labelled(("x", "y"), (0, 1)))
    with pytest.raises(InputError, match="has no test split"):
        measure_baselines(Corpus("no test", data))
    with pytest.raises(InputError, match="between 0 and 1"):
        measure_baselines(Corpus("no test", data), discount=1.5)


def test_kept_baselines_that_are_damaged_are_measured_again(tmp_path: Path) -> None:
    corpus = load_corpus(write_corpus(tmp_path / "corpus"))
    keep = tmp_path / "kept"
    found = measure_baselines(corpus, discount=0.75, keep=keep)
    whole = {path: path.read_bytes() for path in keep.iterdir()}
    assert sorted(path.name.partition("-")[0] for path in whole) == ["classifier", "lm", "mlm"]
    assert measure_baselines(corpus, discount=0.75, keep=keep).to_dict() == found.to_dict()
    for path, content in whole.items():
        values = json.loads(content)
        name, facts = next(iter(values["measured"].items()))
        damaged = [
            content.replace(b"1", b"2"),
            content.replace(b": ", b":", 1).replace(b"0", b"3", 1),
            content[: len(content) // 2],
            b"[]",
            json.dumps({name: facts}).encode(),  # As version 0.1 wrote it.
            json.dumps({"measured": {name: {}}}).encode(),
        ]
        for wrong in damaged:
            path.write_bytes(wrong)
            assert measure_baselines(corpus, discount=0.75, keep=keep).to_dict() == found.to_dict()
            assert path.read_bytes() == content


def test_a_cache_is_the_frequency_of_the_tokens_before_and_all_models_sum_to_one() -> None:
    text, vocabulary, before = np.array([1, 2, 1, 3, 1, 0, 2], np.int32), 5, [3, 1, 1, 2, 3]
    said, known = cached_shares(np.array([*before, 1], np.int32), 4)
    assert said.tolist() == [0, 0, 0.5, 0, 1 / 4, 2 / 4]
    assert known.tolist() == [False] + [True] * 5
    counts = KneserNey(text, vocabulary)
    for name in counts.orders:
        number = 0.3 if name in counts.shares else 0.75
        after = [np.array([*before, token], np.int32) for token in range(vocabulary)]
        assert sum(np.exp(-next(counts.nats(name, ids, (number,)))[-1]) for ids in after) == pytest.approx(1, abs=1e-9)
