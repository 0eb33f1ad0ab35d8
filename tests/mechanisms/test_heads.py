"""Heads and embeddings against brute force: distributions that sum to one, counts with an event left out, caches."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from oratory.errors import InputError
from oratory.mechanisms import REGISTRY, Head, Reading, TrainingText
from oratory.mechanisms.hashing import ngram_rows
from oratory.mechanisms.head.hybrid_ngrams import NgramHead, pieces_of
from oratory.mechanisms.mixing import MixtureHead, best_shares
from oratory.mechanisms.ngram_counts import CountedNgrams
from oratory.model import ModelConfig, Transformer
from oratory.model.promises import model_of
from oratory.runs.record import identity_of
from oratory.tokens.ngrams import NgramCounts, discounts_of

VOCABULARY = 7
NORMALISED = (
    *("mixture-of-softmaxes", "adaptive", "good-turing"),
    *("hybrid-cache", "hybrid-mixture", "hybrid-mixture(order=2,cache=0)"),
)
"""Heads whose logits are log-probabilities already."""


def stream(length: int, seed: int = 3) -> Tensor:
    """A text in which some tokens are far more frequent than others."""
    drawn = np.random.default_rng(seed).zipf(1.6, length) % VOCABULARY
    return torch.from_numpy(drawn.astype(np.int64))


def config(head: str, **more: object) -> ModelConfig:
    sizes = {"vocabulary": VOCABULARY, "layers": 1, "heads": 2, "width": 16, "context": 12}
    return ModelConfig.from_dict({"output": "tokens", "causal": True, "head": head, **sizes, **more})


class ByHand:
    """Modified Kneser-Ney from a list of n-gram events, written as in the paper, and nothing shared with ours."""

    def __init__(self, events: Sequence[tuple[int, ...]], order: int, discounts: Sequence[Sequence[float]]) -> None:
        self.order, self.discounts = order, discounts
        self.counts: list[Counter[tuple[int, ...]]] = [Counter(event for event in events if len(event) == order)]
        for _ in range(order - 1):  # A lower order counts the distinct n-grams that end in it.
            self.counts.insert(0, Counter(gram[1:] for gram in self.counts[0]))

    def p(self, word: int, before: tuple[int, ...]) -> float:
        if len(before) == self.order:
            before = before[1:]
        found = 1 / VOCABULARY
        for n in range(1, len(before) + 2):
            history = before[len(before) - n + 1 :] if n > 1 else ()
            after = {gram[-1]: count for gram, count in self.counts[n - 1].items() if gram[:-1] == history}
            total = sum(after.values())
            if total:
                taken = {w: self.discounts[n - 1][min(count, 3) - 1] for w, count in after.items()}
                kept = max(after[word] - taken[word], 0) if word in after else 0
                found = kept / total + sum(taken.values()) / total * found
        return found


def events_of(ids: Sequence[int], order: int) -> list[tuple[int, ...]]:
    return [tuple(ids[at - order + 1 : at + 1]) for at in range(order - 1, len(ids))]


def test_modified_discounts_are_those_of_the_formula() -> None:
    counts = np.repeat([1, 2, 3, 4, 9], [40, 18, 9, 5, 3]).astype(np.int32)
    y = 40 / (40 + 2 * 18)
    expected = (1 - 2 * y * 18 / 40, 2 - 3 * y * 9 / 18, 3 - 4 * y * 5 / 9)
    assert discounts_of(counts) == pytest.approx(expected)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_the_counts_in_a_model_are_modified_kneser_ney(order: int) -> None:
    text, new = stream(120), stream(50, seed=4)
    counted = CountedNgrams(VOCABULARY, order)
    counted.learn_from(text)
    counts = NgramCounts(text.numpy(), VOCABULARY, order)
    expected = counts.probabilities(counts.match(new.numpy(), order), counts.modified(order))
    before = torch.stack([torch.cat([torch.full((order,), -1), new])[at : at + order][1:] for at in range(len(new))])
    found = counted.probabilities(before)
    assert torch.allclose(found.sum(1), torch.ones(len(new)), atol=1e-6)
    assert found.gather(1, new[:, None])[:, 0].numpy() == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("order", [2, 3])
def test_leaving_one_out_is_counting_without_that_event(order: int) -> None:
    text = stream(60)
    counted = CountedNgrams(VOCABULARY, order)
    counted.learn_from(text)
    events, discounts = events_of(text.tolist(), order), counted.discounts.tolist()
    for at in range(order, len(text)):
        rest = list(events)
        rest.remove(tuple(text[at - order + 1 : at + 1].tolist()))
        by_hand = ByHand(rest, order, discounts)
        before = text[at - order + 1 : at]
        found = counted.probabilities(before[None], text[at : at + 1])[0]
        expected = [by_hand.p(word, tuple(before.tolist())) for word in range(VOCABULARY)]
        assert found.tolist() == pytest.approx(expected, rel=1e-4, abs=1e-6)
        assert float(found.sum()) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("head", NORMALISED)
def test_the_probabilities_of_all_tokens_sum_to_one(head: str) -> None:
    model = model_of(config(head))
    ids = torch.stack([stream(12, seed) for seed in (5, 6)])
    with torch.no_grad():
        logits = model(ids).logits
    assert torch.allclose(logits.double().exp().sum(-1), torch.ones(2, 12, dtype=torch.float64), atol=1e-6)


def test_tokens_that_were_not_met_share_what_those_that_came_once_have() -> None:
    model = model_of(config("good-turing"))
    # Of ten tokens two came once: 4 and 6. The tokens 3 and 5 were not met.
    model.learn_from(TrainingText([torch.tensor([0, 0, 1, 1, 4]), torch.tensor([2, 2, 6, 0, 1])], list("abcdefg")))
    x = torch.randn(4, 16, generator=torch.Generator().manual_seed(0))
    plain = model.head(x)
    expected = 0.8 * plain.softmax(-1)
    expected[:, [3, 5]] += 0.1
    reading = Reading(torch.zeros(1, 4, dtype=torch.long), x[None], None)
    assert torch.allclose(model.eval().head.logits(x, reading).exp(), expected, atol=1e-6)
    assert torch.equal(model.train().head.logits(x, reading), plain)


def test_where_every_token_was_met_nothing_is_kept_for_others() -> None:
    model = model_of(config("good-turing"))
    model.learn_from(TrainingText([torch.arange(VOCABULARY)], list("abcdefg")))
    assert not model.head.reserved.any()


def test_a_mixture_of_softmaxes_is_the_sum_that_its_formula_says() -> None:
    head = model_of(config("mixture-of-softmaxes(softmaxes=3)")).head
    x = torch.randn(5, 16, generator=torch.Generator().manual_seed(0))
    shares = head.shares(x).softmax(-1)
    by_hand = torch.zeros(5, VOCABULARY)
    for k, weight in enumerate(head.maps.weight.split(16)):
        vector = torch.tanh(x @ weight.T + head.maps.bias[16 * k : 16 * (k + 1)])
        by_hand += shares[:, k, None] * (vector @ head.weight.T + head.bias).softmax(-1)
    assert torch.allclose(head(x).exp(), by_hand, atol=1e-6)


def test_an_adaptive_softmax_is_that_of_the_framework() -> None:
    head = model_of(config("adaptive(frequent=0.3,common=0.6,factor=2)")).head
    theirs = torch.nn.AdaptiveLogSoftmaxWithLoss(16, VOCABULARY, [2, 4], div_value=2.0, head_bias=True)
    with torch.no_grad():  # Theirs has no bias in the tails.
        theirs.head.weight.copy_(head.first.weight)
        theirs.head.bias.copy_(head.first.bias)
        for band in range(2):
            head.rare[band].bias.zero_()
            theirs.tail[band] = torch.nn.Sequential(head.narrow[band], head.rare[band])
        x = torch.randn(5, 16, generator=torch.Generator().manual_seed(0))
        assert torch.allclose(head(x), theirs.log_prob(x), atol=1e-6)


def test_a_cache_is_the_weighted_frequency_of_what_followed() -> None:
    head = MixtureHead(config("linear").shape(), None, cache=3).eval()
    head.shares.copy_(torch.tensor([0.0, 1.0]))
    ids, vectors = stream(9)[None], torch.randn(1, 9, 16, generator=torch.Generator().manual_seed(1))
    rows, columns = torch.zeros(9, dtype=torch.int64), torch.arange(9)
    found = head.logits(vectors[0], Reading(ids, vectors, None, rows, columns)).exp()
    for t in range(1, 9):
        places = range(max(0, t - 3), t)
        weights = torch.stack([vectors[0, t] @ vectors[0, i] / 4 for i in places]).softmax(0)
        expected = torch.zeros(VOCABULARY)
        for i, weight in zip(places, weights, strict=True):
            expected[ids[0, i + 1]] += weight
        assert torch.allclose(found[t], expected, atol=1e-6)
    assert torch.allclose(found[0], head(vectors[0, :1]).softmax(-1)[0])  # Nothing is cached yet.


def test_the_best_shares_are_not_bettered_by_any_others() -> None:
    probabilities = np.random.default_rng(0).dirichlet(np.ones(3), 200).T
    shares, mean = best_shares(probabilities)
    assert shares.sum() == pytest.approx(1)
    for other in np.random.default_rng(1).dirichlet(np.ones(3), 300):
        assert mean <= -np.log(other @ probabilities).mean() + 1e-6


def test_shares_are_chosen_on_dev_and_saved_with_the_model() -> None:
    setting = config("hybrid-mixture(order=2,cache=5)")
    model = model_of(setting)
    rng = np.random.default_rng(0)
    good, bad = rng.uniform(0.3, 0.6, 50), rng.uniform(0.01, 0.1, 50)
    model.head.choose_on_dev(lambda: -np.log(good if model.head.shares[1] == 1 else bad))
    assert model.head.shares.tolist() == pytest.approx([0, 1, 0], abs=1e-3)
    again = Transformer(setting, 9).eval()
    again.load_state_dict(model.state_dict())
    ids = stream(10)[None]
    assert torch.equal(model(ids).logits, again(ids).logits)


def test_in_training_a_mixture_is_the_linear_head_and_its_loss_is_fused() -> None:
    from oratory.model import Targets

    ids = stream(13)[None]
    targets = Targets(ids[:, 1:], 12)
    mixed, plain = (Transformer(config(head), 4).train() for head in ("hybrid-mixture", "linear"))
    assert torch.equal(mixed(ids[:, :-1], targets=targets).loss, plain(ids[:, :-1], targets=targets).loss)


def test_in_training_what_is_wanted_is_left_out_of_the_counts() -> None:
    from oratory.model import Targets

    model = Transformer(config("hybrid-kneser-ney(order=2)"), 1)
    text = stream(60)
    model.learn_from(TrainingText([text], ["x"] * VOCABULARY))
    ids, wanted = text[None, 20:30], text[None, 21:31]
    left_out = float(model.train()(ids, targets=Targets(wanted, 10)).loss.detach())
    whole = float(model.eval()(ids, targets=Targets(wanted, 10)).loss.detach())
    counted = model.head.counted.probabilities(ids[0][:, None], wanted[0])
    assert left_out == pytest.approx(float(-counted.gather(1, wanted[0][:, None]).log().mean()), rel=1e-5)
    assert left_out > whole  # The gate is shut, so these are the counts alone.


def test_hashed_ngrams_look_back_and_start_as_the_plain_table() -> None:
    plain, hashed = (Transformer(config("linear", embedding=name), 2) for name in ("tokens", "hashed-ngrams"))
    ids = torch.stack([stream(8), stream(8, 7)])
    assert torch.equal(plain(ids).logits, hashed(ids).logits)
    rows = ngram_rows(ids, 2, 1000)
    pairs = [tuple(pair.tolist()) for line in ids for pair in line.unfold(0, 2, 1)]
    found = [int(row) for line in rows for row in line[1:]]
    assert len(set(zip(pairs, found, strict=True))) == len(set(pairs)) == len(set(found))


def test_the_adaptive_embedding_maps_each_band_by_itself() -> None:
    table = model_of(config("linear", embedding="adaptive(frequent=0.3,common=0.6,factor=2)")).tokens
    ids = torch.arange(VOCABULARY)[None]
    found = table.vectors(ids)[0]
    for (first, end, width), rows, up in zip(table.bands, table.tables, table.maps, strict=True):
        assert rows.weight.shape == (end - first, width)
        assert torch.allclose(found[first:end], up(rows.weight), atol=1e-6)


def test_the_ngrams_of_a_classifier_are_weighed_as_tfidf() -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = [stream(9, seed) for seed in range(6)]
    setting = config("hybrid-ngrams(longest=2,strength=1.0)", output="classes", causal=False, classes=3)
    head = Transformer(setting, 0).head
    assert isinstance(head, NgramHead)
    head.learn_from(TrainingText(texts, list("abcdefg")))
    words = [" ".join("abcdefg"[i] for i in ids) for ids in texts]
    vectors = TfidfVectorizer(token_pattern=r"\w", ngram_range=(1, 2), sublinear_tf=True)
    expected = vectors.fit_transform(words).toarray()
    names = vectors.get_feature_names_out()
    with torch.no_grad():
        for at, name in enumerate(names):
            gram = torch.tensor([["abcdefg".index(part) for part in name.split()]])
            head.ngrams[ngram_rows(gram, gram.shape[1], 131072)[0, -1]] = torch.tensor([at + 1.0, 0.0, 1.0])
        x = torch.zeros(6, 16)
        found = head.logits(x, Reading(torch.stack(texts), x[:, None])) - head(x)
    assert found[:, 0].numpy() == pytest.approx(expected @ np.arange(1, len(names) + 1), rel=1e-4)
    assert len(pieces_of("war", 4, 1000)) == 3 + 2  # <wa war ar> <war war>


def test_naive_bayes_is_that_of_complements_and_is_not_there_in_training() -> None:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import ComplementNB

    texts, labels = [stream(9, seed) for seed in range(6)], [0, 1, 2, 0, 1, 2]
    setting = config("hybrid-ngrams(longest=2,bayes=0.5)", output="classes", causal=False, classes=3)
    head = Transformer(setting, 0).head
    assert isinstance(head, NgramHead)
    head.learn_from(TrainingText(texts, list("abcdefg"), labels))
    words = [" ".join("abcdefg"[i] for i in ids) for ids in texts]
    vectors = CountVectorizer(token_pattern=r"\w", ngram_range=(1, 2))
    counts = vectors.fit_transform(words)
    model = ComplementNB(alpha=0.3).fit(counts, labels)
    expected = counts @ model.feature_log_prob_.T
    x, read = torch.zeros(6, 16), torch.stack(texts)
    found = (head.eval().logits(x, Reading(read, x[:, None])) - head(x)).detach().numpy()
    assert found - found.mean(1, keepdims=True) == pytest.approx(
        0.5 * (expected - expected.mean(1, keepdims=True)), abs=1e-4
    )
    assert torch.equal(head.train().logits(x, Reading(read, x[:, None])), head(x))
    unmet = torch.full((1, 3), 6)
    head.learn_from(TrainingText([text % 6 for text in texts], list("abcdefg"), labels))
    assert not (head.eval().logits(x[:1], Reading(unmet, x[:1, None])) - head(x[:1])).any()
    with pytest.raises(InputError, match="it must be 0 or more"):
        config("hybrid-ngrams(bayes=-1.0)", output="classes", causal=False, classes=3)


def test_what_does_not_fit_is_a_sentence() -> None:
    with pytest.raises(
        InputError, match="head=hybrid-cache is for language models, and this is a masked language model"
    ):
        config("hybrid-cache", causal=False)
    with pytest.raises(InputError, match="head=hybrid-ngrams is for classifiers, and this is a language model"):
        config("hybrid-ngrams")
    with pytest.raises(InputError, match="tied=on needs one row of weights for each token, and head=adaptive has none"):
        config("adaptive", tied=True)
    model = Transformer(config("hybrid-kneser-ney"))
    with pytest.raises(InputError, match="another vocabulary"):
        model.learn_from(TrainingText([torch.tensor([1, 40, 2])], ["x"] * 41))


def test_every_hybrid_says_so_in_its_name() -> None:
    for name, cls in REGISTRY["head"].items():
        assert issubclass(cls, Head)
        assert name.startswith("hybrid-") == bool(cls.hybrid)


def test_usual_ends_are_no_part_of_an_id() -> None:
    usual = config("linear")
    earlier = {name: value for name, value in usual.to_dict().items() if name not in ("embedding", "head")}
    one, other = (identity_of("lm", settings, "f00d", 0, 1, "0.2.0") for settings in (usual.to_dict(), earlier))
    assert one == other
    changed = replace(usual, head=REGISTRY.choose("head", "hybrid-cache"))
    assert identity_of("lm", changed.to_dict(), "f00d", 0, 1, "0.2.0") != one
    assert ModelConfig.from_dict(changed.to_dict()) == changed


@pytest.mark.parametrize("objective", ["z-loss", "multi-token"])
def test_an_objective_needs_a_head_of_vectors_alone(objective: str) -> None:
    Transformer(config("hybrid-mixture", objective=objective))  # In training it is an output layer like any other.
    with pytest.raises(InputError, match=f"^objective={objective} asks for the logits of vectors alone, and head=hyb"):
        Transformer(config("hybrid-kneser-ney", objective=objective))
