"""The loop: it goes on from any batch to the same bits, and every setting does what it says."""

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load, save
from torch import Tensor
from torch.nn.functional import cross_entropy

from oratory.errors import InputError
from oratory.execution.recorder import separate
from oratory.model import Transformer, head, products
from oratory.text import Corpus, load_corpus
from oratory.training.events import Measured, Stepped
from oratory.training.loop import Diverged, Fit
from oratory.training.origins import prepare
from oratory.training.prepared import Prepared
from tests.execution.training import CLASSIFIER, LM, MLM, write_corpus

TASKS = {"lm": LM, "classifier": CLASSIFIER | {"train.keep": "last"}, "mlm": MLM}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return load_corpus(str(write_corpus(tmp_path_factory.mktemp("loop"))))


def prepared(corpus: Corpus, task: str = "lm", seed: int = 0, **changes: Any) -> Prepared:
    given = {name.replace("__", "."): str(value) for name, value in changes.items()}
    settings = TASKS[task] | given
    if "train.epochs" in given and "train.iterations" in settings:
        settings = {
            name: value for name, value in settings.items() if name not in ("train.iterations", "train.eval_every")
        }
    return prepare(task, corpus, settings | given, seed)


def fit_of(made: Prepared) -> Fit:
    model = Transformer(made.config, made.seed)
    return Fit(model, made.task.learning(made), made.training, made.seed, made.tokenizer.unk_id)


def told(event: Stepped | Measured) -> Any:
    """An event as plain values."""
    if isinstance(event, Stepped):
        return event
    return (event.step, event.epoch, json.dumps(event.scores.to_dict()), event.loss, event.best)


def finish(fit: Fit) -> tuple[list[Any], dict[str, Tensor], str]:
    events = [told(event) for event in fit.run()]
    assert fit.scores is not None
    return events, separate(fit.model.state_dict()), json.dumps(fit.scores.to_dict())


def finish_with_stops(made: Prepared) -> tuple[list[Any], dict[str, Tensor], str]:
    """Train, and between any two events put everything away and go on from what was kept, with another model."""
    events: list[Any] = []
    fit = fit_of(made)
    while True:
        running: Iterator[Any] = fit.run()
        event = next(running, None)
        if event is None:
            assert fit.scores is not None
            return events, separate(fit.model.state_dict()), json.dumps(fit.scores.to_dict())
        events.append(told(event))
        tensors, facts = fit.state()
        kept, text = save(separate(tensors)), json.dumps(facts)
        fit = fit_of(made)
        fit.restore(load(kept), json.loads(text))


STOPS: dict[str, tuple[str, dict[str, Any]]] = {
    "lm": ("lm", {}),
    "classifier": ("classifier", {"train__word_dropout": 0.2, "train__smoothing": 0.1}),
    "adamw": ("lm", {"train__optimizer": "adamw", "train__weight_decay": 0.1, "train__schedule": "cosine(warmup=2)"}),
    "sgd": ("classifier", {"train__optimizer": "sgd", "train__schedule": "linear", "train__clip": 0.5}),
    "plain sgd": ("lm", {"train__optimizer": "sgd(momentum=0)"}),
    "adagrad": ("classifier", {"train__optimizer": "adagrad", "train__schedule": "one-cycle"}),
    "muon": ("lm", {"train__optimizer": "muon", "train__weight_decay": 0.1, "train__lr": 0.02}),
    "lion": ("classifier", {"train__optimizer": "lion", "train__lr": 1e-4}),
    "soap": ("lm", {"train__optimizer": "soap(every=2,most=16)", "train__weight_decay": 0.1}),
    "schedule-free": ("lm", {"train__optimizer": "schedule-free", "train__schedule": "constant(warmup=2)"}),
    "schedule-free, best": (
        "classifier",
        {"train__optimizer": "schedule-free", "train__keep": "best", "train__eval_every": 2},
    ),
    "sophia": ("lm", {"train__optimizer": "sophia(every=2)", "train__lr": 1e-4, "train__accumulate": 2}),
    "sophia of labels": ("classifier", {"train__optimizer": "sophia(every=3)", "train__lr": 1e-4}),
    "sophia of masks": ("mlm", {"train__optimizer": "sophia(every=2)", "train__lr": 1e-4}),
    "best": ("classifier", {"train__keep": "best", "train__lr": 0.05, "train__eval_every": 2}),
    "patience": ("lm", {"train__patience": 1, "train__keep": "best", "train__lr": 0.5, "train__eval_every": 2}),
    "accumulate": ("lm", {"train__accumulate": 3, "train__word_dropout": 0.3}),
    "bucketing": ("classifier", {"train__bucketing": "on", "train__eval_train": "off"}),
    "shuffle": ("lm", {"merge": "shuffle", "tied": "on"}),
    "lines": ("lm", {"train__items": "lines", "train__truncate": 6, "train__bucketing": "on", "train__epochs": 3}),
    "mlm": ("mlm", {"train__accumulate": 2, "train__word_dropout": 0.1}),
    "mlm, lines": (
        "mlm",
        {"train__items": "lines", "train__bucketing": "on", "train__epochs": 3, "tokenizer": "char"},
    ),
    "mlm, best": ("mlm", {"train__keep": "best", "train__patience": 1, "train__lr": 0.5, "train__eval_every": 2}),
    "ema": ("lm", {"train__average": "ema(decay=0.9)", "tied": "on"}),
    "swa": ("classifier", {"train__average": "swa(start=0.4)", "train__keep": "best", "train__eval_every": 2}),
    "noise": ("lm", {"train__noise": "kneser-ney(rate=0.4)", "train__word_dropout": 0.1}),
    "r-drop": ("classifier", {"train__rdrop": 2, "dropout": 0.2, "attention_dropout": 0, "train__accumulate": 2}),
    "bfloat16": ("lm", {"train__precision": "bfloat16"}),
    "float16": ("lm", {"train__precision": "float16"}),
}


@pytest.mark.parametrize("case", STOPS)
def test_it_goes_on_from_any_batch_to_the_same_bits(case: str, corpus: Corpus) -> None:
    task, changes = STOPS[case]
    made = prepared(corpus, task, **changes)
    events, weights, scores = finish(fit_of(made))
    again, other, rescored = finish_with_stops(made)
    assert again == events
    assert other.keys() == weights.keys()
    assert all(torch.equal(other[name], value) for name, value in weights.items())
    assert rescored == scores


def test_masks_follow_from_the_seed_and_the_epoch_alone(corpus: Corpus) -> None:
    """Two runs whose models, dropout and parts of a batch differ are given the same masked tokens."""
    one, other = (
        fit_of(prepared(corpus, "mlm", **more)).learning
        for more in ({"dropout": 0}, {"width": 16, "train__accumulate": 5, "dropout": 0.5})
    )
    items = np.arange(20)
    for epoch in (0, 1):
        assert torch.equal(one.items_of(epoch).batch(items).ids, other.items_of(epoch).batch(items[:20]).ids)
    first, second = (one.items_of(epoch).batch(items) for epoch in (0, 1))
    assert not torch.equal(first.targets, second.targets)
    another = fit_of(prepared(corpus, "mlm", seed=1)).learning.items_of(0).batch(items)
    assert not torch.equal(first.targets, another.targets)


@pytest.mark.parametrize("stream", ["initial", "order", "dropout", "words"])
@pytest.mark.parametrize("task", TASKS)
def test_each_stream_changes_with_the_seed_and_repeats(task: str, stream: str, corpus: Corpus) -> None:
    """Two seeds, and everything else of the first: only the stream in question tells them apart."""
    made = prepared(
        corpus, task, dropout=0.3 if stream == "dropout" else 0, train__word_dropout=0.5 * (stream == "words")
    )

    def drawn(seed: int) -> list[float]:
        fit = fit_of(replace(made, seed=seed if stream == "initial" else 0))
        fit.seed = seed if stream in ("dropout", "words") else 0
        if stream == "order":
            fit.order = replace(fit.order, seed=seed)
        return [fit._update().loss for _ in range(2)]

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)


def test_order_of_epochs_differs_and_repeats(corpus: Corpus) -> None:
    order, again = (fit_of(prepared(corpus, "classifier")).order for _ in range(2))
    first, second = (
        [order.of_step(step + epoch * order.steps).tolist() for step in range(order.steps)] for epoch in (0, 1)
    )
    assert first != second
    assert sorted(chain(*first)) == sorted(chain(*second)) == list(range(21))
    assert [again.of_step(step).tolist() for step in range(order.steps)] == first
    assert len(first[-1]) == 1


def gradients(fit: Fit) -> dict[str, Tensor]:
    fit._gradients(fit.order.of_step(fit.step), fit._loss)
    return {name: value.grad for name, value in fit.model.named_parameters() if value.grad is not None}


@pytest.mark.parametrize("parts", [2, 3, 5])
@pytest.mark.parametrize(
    ("task", "items"),
    [("classifier", ""), ("lm", "windows"), ("lm", "lines"), ("mlm", "windows"), ("mlm", "lines")],
)
def test_parts_of_a_batch_have_the_gradients_of_the_whole(task: str, items: str, parts: int, corpus: Corpus) -> None:
    changes: dict[str, Any] = {"train__items": items} if items else {}
    whole, divided = (
        gradients(fit_of(prepared(corpus, task, dropout=0, train__accumulate=number, **changes)))
        for number in (1, parts)
    )
    assert whole.keys() == divided.keys()
    for name, value in whole.items():
        torch.testing.assert_close(divided[name], value, rtol=0, atol=1e-6)


@pytest.mark.parametrize("smoothing", [0.0, 0.2])
@pytest.mark.parametrize("task", TASKS)
def test_the_loss_is_that_of_the_framework(task: str, smoothing: float, corpus: Corpus) -> None:
    fit = fit_of(prepared(corpus, task, dropout=0, train__smoothing=smoothing))
    items = fit.order.of_step(0)
    batch = fit.learning.items.batch(items)
    logits = fit.model(batch.ids, batch.mask).logits
    expected = cross_entropy(logits.flatten(0, -2), batch.targets.flatten(), label_smoothing=smoothing)
    found = fit.learning.loss(fit.model, batch, fit.learning.items.targets(items), smoothing)
    torch.testing.assert_close(found, expected)
    assert fit._update().loss == pytest.approx(float(expected.detach()))


@pytest.mark.parametrize("task", ["lm", "mlm"])
def test_a_loss_without_logits_trains_as_the_plain_one_does(
    task: str, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    def losses(chosen: bool) -> list[float]:
        monkeypatch.setattr(head, "is_fast", lambda *given: chosen)
        fit = fit_of(prepared(corpus, task, dropout=0, train__iterations=100, train__eval_every=100))
        return [fit._update().loss for _ in range(100)]

    fast, plain = losses(True), losses(False)
    assert sum(fast[-10:]) < sum(fast[:10])
    assert fast == pytest.approx(plain, abs=1e-4)


def test_clipping(corpus: Corpus) -> None:
    plain = fit_of(prepared(corpus, train__optimizer="sgd(momentum=0)", train__lr=1, dropout=0))
    clipped = fit_of(prepared(corpus, train__optimizer="sgd(momentum=0)", train__lr=1, dropout=0, train__clip=0.01))
    before = separate(dict(plain.model.named_parameters()))
    norms = [fit._update().norm for fit in (plain, clipped)]
    assert norms[0] == norms[1] > 0.01
    for fit, expected in ((plain, norms[0]), (clipped, 0.01)):
        moved = [value.detach() - before[name] for name, value in fit.model.named_parameters()]
        assert math.sqrt(sum(float((part**2).sum()) for part in moved)) == pytest.approx(expected, rel=1e-3)


def test_word_dropout_replaces_that_share_and_no_padding(corpus: Corpus) -> None:
    fit = fit_of(prepared(corpus, "classifier", train__word_dropout=0.4))
    batch = fit.learning.items.batch(np.arange(21))
    shares = []
    for seed in range(40):
        torch.manual_seed(seed)
        dropped = fit._with_words_dropped(batch)
        assert batch.mask is not None
        changed = dropped.ids != batch.ids
        assert not changed[~batch.mask].any()
        assert set(dropped.ids[changed].tolist()) <= {fit.unknown_id}
        shares.append(float(changed.sum() / batch.mask.sum()))
    assert np.mean(shares) == pytest.approx(0.4, abs=0.02)


def test_early_stopping_and_the_best_weights(corpus: Corpus) -> None:
    fit = fit_of(
        prepared(
            corpus, train__patience=2, train__keep="best", train__lr=0.3, train__iterations=60, train__eval_every=3
        )
    )
    measured: list[Measured] = []
    weights = []
    for event in fit.run():
        if isinstance(event, Measured):
            measured.append(event)
            weights.append(separate(fit.model.state_dict()))
    on_dev = [event.scores.on_dev or () for event in measured]
    best = max(range(len(on_dev)), key=on_dev.__getitem__)
    assert fit.step < fit.steps
    assert len(measured) == best + 1 + 2, "two evaluations without a gain behind the best one"
    assert [event.best for event in measured][best:] == [True, False, False]
    assert all(torch.equal(value, fit.model.state_dict()[name]) for name, value in weights[best].items())
    assert fit.scores is not None
    assert fit.scores.on_dev == on_dev[best]


@pytest.mark.parametrize("task", TASKS)
def test_dev_is_carved_only_where_something_is_chosen_on_it(task: str, corpus: Corpus) -> None:
    plain: Any
    choosing: Any
    plain, choosing = (
        made.task.learning(made) for made in (prepared(corpus, task, **more) for more in ({}, {"train__patience": 3}))
    )
    assert len(choosing.items) < len(plain.items)
    if task == "classifier":
        assert len(plain.items) == 21
        names = [list(part.measure(fit_of(prepared(corpus, task)).model).splits) for part in (plain,)]
        assert names == [["train", "test"]]
    else:
        # Windows of 8 tokens; after each of a language model comes one more token, to be predicted.
        assert len(plain.items) + {"lm": 8, "mlm": 7}[task] == len(plain.encoded["train"].ids)
        assert "dev" not in plain.encoded
        assert "dev" in choosing.encoded


def test_when_it_measures(corpus: Corpus) -> None:
    lm = [event.step for event in fit_of(prepared(corpus)).run() if isinstance(event, Measured)]
    assert lm == [0, 4, 8, 12]
    uneven = prepared(corpus, train__iterations=10)
    assert [event.step for event in fit_of(uneven).run() if isinstance(event, Measured)] == [0, 4, 8, 10]
    classifier = [event for event in fit_of(prepared(corpus, "classifier")).run() if isinstance(event, Measured)]
    assert [event.epoch for event in classifier] == [0, 1, 2, 3]
    assert classifier[0].loss is None


def test_the_loss_between_evaluations_is_the_mean(corpus: Corpus) -> None:
    events = list(fit_of(prepared(corpus)).run())
    losses = [event.loss for event in events if isinstance(event, Stepped)]
    second = [event for event in events if isinstance(event, Measured)][1]
    assert second.loss == pytest.approx(np.mean(losses[:4]))


def test_training_learns(corpus: Corpus) -> None:
    fit = fit_of(prepared(corpus, "classifier", dropout=0, train__lr=0.02, train__epochs=20))
    losses = [event.loss for event in fit.run() if isinstance(event, Stepped)]
    assert np.mean(losses[-5:]) < 0.3 < np.mean(losses[:5])


@pytest.mark.parametrize("what", ["loss", "gradient"])
def test_nothing_is_updated_where_something_is_no_number(what: str, corpus: Corpus) -> None:
    fit = fit_of(prepared(corpus))
    fit._update()
    before = separate(fit.state()[0])
    with torch.no_grad():
        fit.model.tokens.weight[3, 0] = math.nan
    if what == "gradient":
        fit.model.load_state_dict(
            {name.removeprefix("model."): value for name, value in before.items() if "model." in name}
        )
        fit.model.tokens.weight.register_hook(lambda gradient: gradient * math.inf)
    else:
        before["model.tokens.weight"][3, 0] = math.nan
        fit.order = replace(fit.order, batch=fit.order.items)
    with pytest.raises(Diverged, match=f"The {what} at step 1 is not a finite number") as caught:
        fit._update()
    assert len(caught.value.items)
    after = fit.state()[0]
    assert all(torch.equal(value.nan_to_num(7), after[name].nan_to_num(7)) for name, value in before.items())
    assert fit.step == 1


def test_too_large_for_float16_is_left_out_and_not_broken(corpus: Corpus) -> None:
    fit = fit_of(prepared(corpus, train__precision="float16"))
    before = separate(fit.model.state_dict())
    fit.scaler = torch.amp.GradScaler("cpu", init_scale=2.0**40, growth_interval=1000)
    event = fit._update()
    assert not math.isfinite(event.norm)
    assert math.isfinite(event.loss)
    assert all(torch.equal(value, before[name]) for name, value in fit.model.state_dict().items())
    assert fit.scaler.get_scale() == 2.0**39


def test_a_batch_that_cannot_be_shared_out() -> None:
    from oratory.training.parallel import Processes

    with pytest.raises(InputError, match=r"train\.batch=5 cannot be shared out among 2 processes in 3 parts each"):
        Processes(size=2).check(5, 3)


def test_the_random_numbers_of_the_framework_are_left_as_they_were(corpus: Corpus) -> None:
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    finish(fit_of(prepared(corpus)))
    assert torch.equal(torch.rand(3), expected)


def test_the_faster_library_trains_as_the_usual_one_does(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    def losses(name: str) -> list[float]:
        monkeypatch.setattr(products, "library", lambda: name)
        fit = fit_of(prepared(corpus, "lm", width=192, dropout=0, train__iterations=100, train__eval_every=100))
        return [fit._update().loss for _ in range(100)]

    if products.library() == products.MKL:
        pytest.skip("this processor keeps to MKL")
    assert losses(products.ONEDNN) == pytest.approx(losses(products.MKL), abs=1e-4)
