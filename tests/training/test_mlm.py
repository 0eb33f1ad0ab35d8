"""The masked language model: what is masked, how it is measured, and what it must beat."""

import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from oratory.baselines.neighbours import FromBothSides, Neighbours, Unigrams
from oratory.batches import IGNORE
from oratory.errors import InputError
from oratory.execution.train import train
from oratory.mechanisms import REGISTRY
from oratory.mechanisms.kinds import KINDS
from oratory.model import Transformer
from oratory.text import Corpus, LanguageData, load_corpus
from oratory.tokens import Encoded, encode_lm, train_tokenizer
from oratory.tokens.ngrams import NgramCounts
from oratory.training.origins import prepare
from oratory.training.tasks import task_of
from oratory.training.tasks.mlm.items import MaskedItems
from oratory.training.tasks.mlm.learning import PASSES, MaskedLearning
from oratory.training.tasks.mlm.surprisal import CentredWindows, pseudo_surprisal
from oratory.training.tasks.mlm.words import word_begins
from tests.execution.training import MLM, write_corpus

TASK = task_of("mlm")
MASK_ID = 1000
WORDS = "word(specials=<mask>)"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return load_corpus(str(write_corpus(tmp_path_factory.mktemp("mlm"))))


def learning_of(corpus: Corpus, **changes: str) -> MaskedLearning:
    made = prepare("mlm", corpus, MLM | {name.replace("__", "."): value for name, value in changes.items()})
    found = TASK.learning(made)
    assert isinstance(found, MaskedLearning)
    return found


def items_of(length: int = 2000, share: float = 0.15, **changes: Any) -> MaskedItems:
    """Windows of 40 tokens over the ids from 0 on, of which 0 may not be masked."""
    ids = np.arange(length, dtype=np.int32) % 500
    starts = np.arange(length - 39)
    made = MaskedItems(
        ids=ids,
        starts=starts,
        lengths=np.full(len(starts), 40),
        begins=np.ones(length, bool),
        maskable=ids != 0,
        others=np.arange(500, 600, dtype=np.int32),
        share=share,
        mask_id=MASK_ID,
        pad_id=0,
        key=7,
    )
    return replace(made, **changes)


# --- what is masked


@pytest.mark.parametrize("share", [0.15, 0.3, 0.5])
def test_the_share_of_each_item_is_chosen_and_eight_of_ten_are_masked(share: float) -> None:
    items = items_of(share=share)
    batch = items.batch(np.arange(1000))
    chosen = batch.targets != IGNORE
    wanted = [round(share * int(items.maskable[at : at + 40].sum())) for at in range(1000)]
    assert chosen.sum(1).tolist() == wanted
    assert items.targets(np.arange(1000)) == sum(wanted)
    original = torch.from_numpy(items.ids[np.arange(1000)[:, None] + np.arange(40)].astype(np.int64))
    assert torch.equal(batch.targets[chosen], original[chosen])
    assert torch.equal(batch.ids[~chosen], original[~chosen])
    assert not (original[chosen] == 0).any()
    given, was = batch.ids[chosen], original[chosen]
    shares = [float(part.float().mean()) for part in (given == MASK_ID, (given >= 500) & (given < 600), given == was)]
    assert shares == pytest.approx([0.8, 0.1, 0.1], abs=0.02)


def test_every_token_is_chosen_as_often_as_the_others() -> None:
    items = items_of(length=40)
    counts = np.zeros(40)
    for key in range(2000):
        counts[replace(items, key=key).draw(0)[0]] += 1
    assert counts[0] == 0
    assert counts[1:] / 2000 == pytest.approx(6 / 39, abs=0.04)


def test_an_item_draws_the_same_in_any_batch() -> None:
    items = items_of()
    together = items.batch(np.array([3, 90, 5]))
    alone = items_of().batch(np.array([90]))
    assert torch.equal(together.ids[1], alone.ids[0])
    assert torch.equal(together.targets[1], alone.targets[0])
    assert not torch.equal(together.targets[1], replace(items, key=8).batch(np.array([90])).targets[0])


def test_short_items_are_padded_and_have_something_to_predict() -> None:
    items = items_of(starts=np.array([1, 1998, 0]), lengths=np.array([3, 2, 1]))
    batch = items.batch(np.arange(3))
    assert batch.ids.shape == (3, 3)
    assert batch.mask is not None
    assert batch.mask.tolist() == [[True] * 3, [True, True, False], [True, False, False]]
    assert (batch.targets != IGNORE).sum(1).tolist() == [1, 1, 0]
    assert not (batch.targets[~batch.mask] != IGNORE).any()
    assert items.targets(np.array([2])) == 1, "a number to divide by"


def test_words_are_chosen_as_a_whole() -> None:
    begins = np.arange(2000) % 3 == 0
    items = items_of(begins=begins, maskable=np.ones(2000, bool), lengths=np.full(1961, 30))
    for item in range(0, 300, 3):
        places = items.draw(item)[0]
        assert len(places) == 6, "the first number of whole words with at least 15% of 30 tokens"
        assert (places.reshape(-1, 3) % 3 == np.arange(3)).all()
    chosen = items.draw(1)[0]
    assert len(chosen) in (4, 5, 6), "an item that begins inside of a word has a part of it"


@pytest.mark.parametrize(
    ("tokenizer", "words"),
    [
        ("char", ["We", " ", "can", "'", "t", " ", "überfliegen", ",", " ", "no", ".", "\n"]),
        ("bpe(size=300)", ["We", " ", "can", "'", "t", " ", "überfliegen", ",", " ", "no", ".", "\n"]),
    ],
)
def test_words_of_tokenizers(tokenizer: str, words: list[str]) -> None:
    line = "We can't überfliegen, no."
    made = train_tokenizer(Corpus("one", lm=LanguageData((line,))), tokenizer)
    encoded = made.measure_all([f"{line}\n"])
    begins = word_begins([line], encoded)
    groups = np.split(encoded.ids, np.flatnonzero(begins)[1:])
    assert [made.decode(group) for group in groups] == words


def test_words_that_the_word_tokenizer_splits() -> None:
    line = "We can't go."
    made = train_tokenizer(Corpus("one", lm=LanguageData((line,))), "word")
    assert [made.token(index) for index in made.encode(line)] == ["We", "ca", "n't", "go", "."]
    assert word_begins([line], made.measure_all([f"{line}\n"])).tolist() == [True, True, False, True, True]


# --- how it is measured


@pytest.mark.parametrize(("tokens", "context", "stride"), product([1, 2, 7, 8, 9, 40], [8], [1, 3, 4, 8]))
def test_every_token_is_masked_and_scored_once(tokens: int, context: int, stride: int) -> None:
    starts = np.array([0, 5, 5, 5 + tokens])
    windows = CentredWindows.over(starts, context, stride)
    for passes in (3, PASSES, context):
        count = np.zeros(5 + tokens, int)
        for places, masked, scored in windows.read(passes):
            assert not (scored & ~masked).any()
            np.add.at(count, places[scored], 1)
            if passes == context:
                assert (masked.sum(1) <= 1).all(), "one at a time"
        assert (count == 1).all()


def test_a_token_is_scored_where_it_is_nearest_to_the_middle() -> None:
    windows = CentredWindows.over(np.array([0, 40]), 16, 8)
    assert windows.begins.tolist() == [0, 8, 16, 24]
    assert list(zip(windows.firsts, windows.ends, strict=True)) == [(0, 12), (12, 20), (20, 28), (28, 40)]


@torch.no_grad()
def test_pseudo_surprisal_is_that_of_masking_by_hand(corpus: Corpus) -> None:
    made = prepare("mlm", corpus, MLM | {"train.stride": "3"})
    model = Transformer(made.config, 1).train()
    ids = encode_lm(corpus, made.tokenizer)["a"].ids
    mask = made.tokenizer.id("<mask>")
    for passes in (PASSES, 8):
        found = pseudo_surprisal(model, ids, CentredWindows.over(np.array([0, len(ids)]), 8, 3), made.tokenizer, passes)
        assert model.training
        model.eval()
        for place in (0, 4, len(ids) - 1):
            begin = int(np.clip(np.round((place - 3) / 3) * 3, 0, len(ids) - 8))
            candidates = {begin + move for move in (-3, 0, 3)} | {len(ids) - 8}
            by_hand = []
            for start in candidates:
                if not 0 <= start <= place < start + 8 <= len(ids):
                    continue
                window = torch.from_numpy(ids[start : start + 8].astype(np.int64))
                hidden = np.arange(start, start + 8) % passes == place % passes
                window[torch.from_numpy(hidden)] = mask
                logits = model(window[None]).logits[0, place - start].log_softmax(-1)
                by_hand.append(-float(logits[int(ids[place])]))
            assert any(value == pytest.approx(float(found[place]), abs=1e-5) for value in by_hand)
        model.train()


def test_a_start_is_neither_masked_nor_scored(corpus: Corpus) -> None:
    found = learning_of(corpus, tokenizer="word(specials=<START>+<STOP>)")
    start, mask = found.tokenizer.id("<START>"), found.tokenizer.id("<mask>")
    assert {start, mask}.isdisjoint(found.items.others.tolist())
    batch = found.items.batch(np.arange(len(found.items)))
    assert start not in batch.targets
    model = Transformer(prepare("mlm", corpus, MLM | {"tokenizer": "word(specials=<START>+<STOP>)"}).config)
    scores = found.measure(model)
    assert start not in scores.texts["a"].tokens
    assert found.tokenizer.id("<STOP>") in scores.texts["a"].tokens


def test_lines_are_measured_by_themselves(corpus: Corpus) -> None:
    found = learning_of(corpus, train__items="lines", train__truncate="5")
    assert found.items.lengths.max() == 5
    assert len(found.items) == 10
    model = Transformer(prepare("mlm", corpus, MLM).config, 2).eval()
    nats = found.measure(model).texts["b"].nats
    alone = replace(corpus, lm=replace(corpus.need_lm(), tests={"b": corpus.need_lm().tests["b"][:1]}))
    first = learning_of(alone, train__items="lines").measure(model).texts["b"].nats
    assert nats[: len(first)] == pytest.approx(first, abs=1e-5)


def test_what_is_measured_does_not_depend_on_the_share(corpus: Corpus) -> None:
    model = Transformer(prepare("mlm", corpus, MLM).config, 2).eval()
    one, other = (learning_of(corpus, train__mask=share).measure(model).to_dict() for share in ("0.15", "0.6"))
    assert json.dumps(one) == json.dumps(other)
    assert one["a"].keys() >= {"pseudo_perplexity", "pseudo_perplexity_seen", "pseudo_perplexity_unseen", "nats"}
    assert not any("perplexity" in name and not name.startswith("pseudo_") for name in one["a"])


# --- what it must beat


def bigram(left: NDArray[Any], right: NDArray[Any], train: NDArray[Any], vocabulary: int, discount: float) -> Any:
    """p(right | left) of the n-gram models."""
    counts = NgramCounts(train, vocabulary, 2)
    return np.exp(-np.array([counts.nats(np.array(pair), 2, discount)[1] for pair in zip(left, right, strict=True)]))


def test_neighbours_are_the_bigrams_asked_from_both_sides() -> None:
    chance = np.random.default_rng(0)
    train, text = chance.integers(0, 9, 60), np.append(chance.integers(0, 9, 12), [10, 3, 10])
    size, discount = 11, 0.7  # The last two never come in train.
    counts = FromBothSides(train.astype(np.int32), size)
    model, every = Neighbours(counts.pairs, discount), np.arange(size)
    [found] = counts.nats("neighbours", text.astype(np.int32), [discount])
    for place in range(1, len(text) - 1):
        left, right = np.full(size, text[place - 1]), np.full(size, text[place + 1])
        joint = bigram(left, every, train, size, discount) * bigram(every, right, train, size, discount)
        assert found[place] == pytest.approx(-np.log(joint / joint.sum())[text[place]])
    last = bigram(text[-2:-1], text[-1:], train, size, discount)
    assert found[-1] == pytest.approx(-np.log(last[0]))
    joint = model.unigrams * bigram(every, np.full(size, text[1]), train, size, discount)
    assert found[0] == pytest.approx(-np.log(joint / joint.sum())[text[0]])
    assert np.isfinite(found).all()


@pytest.mark.parametrize("text", [[3], [3, 4], [3, 4, 3]])
def test_neighbours_of_short_texts(text: list[int]) -> None:
    [found] = FromBothSides(np.array([1, 2, 3, 1], np.int32), 5).nats("neighbours", np.array(text, np.int32), [0.5])
    assert len(found) == len(text)
    assert Unigrams(np.array([0.0, 2, 1]), 0.5).p.sum() == pytest.approx(1)
    assert Unigrams(np.zeros(4), 0.5).p.tolist() == [0.25] * 4


def test_baselines_have_the_tokens_of_the_runs(corpus: Corpus, tmp_path: Path) -> None:
    tokenizers = {WORDS: train_tokenizer(corpus, WORDS)}
    [found] = TASK.baselines(corpus, tokenizers, tmp_path)
    assert list(found.models) == ["unigram", "neighbours"]
    assert set(found.models["neighbours"].texts) == {"a", "b"}
    metric = TASK.metric(name="pseudo-perplexity")
    shown = metric.of_baselines(found, {"all": 3.0, "a": 2.0, "b": 1.0})
    of_text = {name: text.perplexity for name, text in found.models["unigram"].texts.items()}
    assert shown["unigram"]["all"] == pytest.approx((of_text["a"] ** 2 * of_text["b"]) ** (1 / 3))
    assert shown["unigram"]["a"] == of_text["a"]
    assert shown["unigram"].keys() == {"all", "a", "b", "seen lines", "unseen lines"}
    assert "perplexity" not in found.to_dict()["unigram"]
    assert found.models["unigram"].texts["a"].bits_per_byte is None, "a pseudo-perplexity is none of a text"


def test_baselines_are_kept(corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizers = {WORDS: train_tokenizer(corpus, WORDS)}
    first = TASK.baselines(corpus, tokenizers, tmp_path)
    monkeypatch.setattr(type(TASK), "counts", lambda task: pytest.fail("It was fitted again."))
    assert TASK.baselines(corpus, tokenizers, tmp_path) == first


# --- settings and bad input


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"train.mask": "0"}, r"train.mask=0.0: it must be above 0 and below 1"),
        ({"train.mask": "1"}, r"train.mask=1.0: it must be above 0 and below 1"),
        ({"train.mask": "some"}, r"train.mask: 'some' is not a number"),
        ({"train.truncate": "4"}, r"say train.items=lines too"),
        ({"train.stride": "9"}, r"train.stride=9 is more than context=8"),
        ({"train.bucketing": "on"}, r"all windows are of one length"),
    ],
)
def test_settings_that_make_no_sense(changes: dict[str, str], said: str, corpus: Corpus) -> None:
    with pytest.raises(InputError, match=said):
        prepare("mlm", corpus, MLM | changes)


@pytest.mark.parametrize("task", ["classifier", "lm"])
def test_its_settings_are_refused_elsewhere(task: str, corpus: Corpus) -> None:
    with pytest.raises(InputError, match=f"train.mask is for masked language models; the task is {task}"):
        prepare(task, corpus, {"train.mask": "0.2"})


def test_the_tokenizer_gets_a_mask(corpus: Corpus, tmp_path: Path) -> None:
    for chosen in ("word", "char", "bpe(size=300)", "word(specials=<mask>+<START>)"):
        made = prepare("mlm", corpus, MLM | {"tokenizer": chosen})
        assert made.tokenizer.find("<mask>") is not None
        assert made.settings["tokenizer"].count("<mask>") == 1
        assert made.tokenizer.find("<mask>") not in made.tokenizer.encode("a <mask> in a text")
    for special, found in (("[MASK]", 2), ("[X]", None)):
        published = train_tokenizer(corpus, f"bpe(size=300,specials={special})").to_dict()["tokenizer"]
        (tmp_path / "tokenizer.json").write_text(json.dumps(published))
        if found is not None:
            assert learning_of(corpus, tokenizer=f"pretrained:{tmp_path}").items.mask_id == found
    with pytest.raises(InputError, match=r"needs a token <mask> or \[MASK\], and this tokenizer has neither"):
        prepare("mlm", corpus, MLM | {"tokenizer": f"pretrained:{tmp_path}"})


def test_a_corpus_without_running_text(corpus: Corpus) -> None:
    with pytest.raises(InputError, match="has no running text"):
        prepare("mlm", replace(corpus, lm=None), MLM)
    with pytest.raises(InputError, match="no test split"):
        TASK.need_test(replace(corpus, lm=replace(corpus.need_lm(), tests={})))


def test_a_corpus_of_one_word(tmp_path: Path) -> None:
    tiny = Corpus("tiny", lm=LanguageData(("Yes",), tests={"a": ("Yes",)}))
    run = train("mlm", tiny, MLM | {"train.iterations": "2", "train.eval_every": "1"}, runs=tmp_path)
    assert run.result["a"]["tokens"] == 1
    [found] = TASK.baselines(tiny, {WORDS: train_tokenizer(tiny, WORDS)})
    assert np.isfinite(found.models["neighbours"].texts["a"].perplexity)


def test_it_learns(tmp_path: Path) -> None:
    """What stands between two tokens follows from them, and from neither alone."""
    chance = np.random.default_rng(0)

    def lines(count: int) -> tuple[str, ...]:
        pairs = chance.integers(0, 4, (count, 2))
        return tuple(f"a{one} m{(one + other) % 4} b{other} ." for one, other in pairs)

    made = Corpus("sums", lm=LanguageData(lines(300), tests={"a": lines(60)}))
    settings = MLM | {"width": "32", "heads": "4", "dropout": "0", "train.items": "lines", "train.iterations": "300"}
    more = {"train.lr": "0.01", "train.batch": "48", "train.eval_every": "300", "train.whole_words": "off"}
    run = train("mlm", made, settings | more, runs=tmp_path)
    table, tokenizer = run.items(), run.tokenizer
    middle = [tokenizer.token(index).startswith("m") for index in table["token"].to_pylist()]
    assert np.array(table["nats"])[middle].mean() < 0.5 * np.log(4)


# --- mechanisms


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("pool", "objective")])
def test_every_mechanism_works_in_it(kind: str) -> None:
    """The two paths agree on the logits, padding changes nothing, and gradients flow."""
    ids, mask = torch.arange(24).reshape(2, 12) % 20, torch.arange(12)[None] < torch.tensor([[12], [7]])
    places = mask & (torch.arange(12) % 3 == 0)
    ours = {name: cls for name, cls in REGISTRY[kind].items() if cls.__module__.startswith("oratory.")}
    for name, cls in ours.items():  # Other tests may have loaded plugins that are meant to break.
        if not cls().serves("tokens", False):
            continue
        changes: dict[str, Any] = {kind: name, "layers": 2, "width": 8, "heads": 2, "context": 12}
        config = TASK.config(20, **changes)
        model = Transformer(config, 1).eval()
        some, whole = model(ids, mask, places=places).logits, model(ids, mask, weights=True).logits
        torch.testing.assert_close(some, whole[places], atol=1e-5, rtol=0)
        other = ids.masked_fill(~mask, 3) if not config.merge.across_tokens else ids
        torch.testing.assert_close(model(other, mask, places=places).logits, some, atol=1e-5, rtol=0)
        model.train()(ids, mask, places=places).logits.log_softmax(-1)[:, 0].sum().backward()
        assert all(value.grad is not None for value in model.parameters()), name


def test_a_single_token_of_encoded_text() -> None:
    encoded = Encoded(np.array([4], np.int32), np.array([1], np.int32), np.array([0, 1]))
    assert word_begins(["a"], encoded).tolist() == [True]
