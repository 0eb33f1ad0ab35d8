"""Settings for little data: averages of weights, noise, R-Drop and dropout by place, each against its formula."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, kl_div

from oratory.batches import IGNORE, Batch
from oratory.errors import InputError
from oratory.model import ModelConfig, Transformer
from oratory.runs.record import ADDED, identity_of
from oratory.text import Corpus, load_corpus
from oratory.tokens import Encoded
from oratory.training.averages import AVERAGES
from oratory.training.events import Stepped
from oratory.training.loop import Fit, copied
from oratory.training.loss import loss_of_two_passes
from oratory.training.noises import NOISES, KneserNey, Unigram
from tests.execution.training import write_corpus
from tests.training.test_loop import fit_of, prepared


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return load_corpus(str(write_corpus(tmp_path_factory.mktemp("small"))))


def test_every_choice_is_found() -> None:
    assert set(AVERAGES) == {"none", "ema", "swa"}
    assert set(NOISES) == {"none", "unigram", "kneser-ney"}


# --- averages


def trained(fit: Fit) -> tuple[list[dict[str, Tensor]], dict[str, Tensor]]:
    """The weights after each update, and those that are kept."""
    after = []
    for event in fit.run():
        if isinstance(event, Stepped):
            after.append(copied(fit.model))
    return after, copied(fit.model)


def test_swa_is_the_mean_of_the_weights_from_its_start_on(corpus: Corpus) -> None:
    plain, last = trained(fit_of(prepared(corpus)))
    after, kept = trained(fit_of(prepared(corpus, train__average="swa(start=0.5)")))
    half = len(plain) // 2
    for name, value in kept.items():
        assert torch.equal(after[-1][name], plain[-1][name])  # Training itself goes on as without it.
        mean = torch.stack([weights[name].double() for weights in plain[half:]]).mean(0)
        assert torch.allclose(value.double(), mean, atol=1e-6)
    assert any(not torch.equal(value, last[name]) for name, value in kept.items())


def test_ema_forgets_by_its_decay(corpus: Corpus) -> None:
    after, kept = trained(fit_of(prepared(corpus, train__average="ema(decay=0.6)")))
    name = "tokens.weight"
    average = after[0][name].double()
    for taken, weights in enumerate(after[1:], 1):
        decay = min(0.6, (1 + taken) / (10 + taken))
        average = decay * average + (1 - decay) * weights[name].double()
    assert torch.allclose(kept[name].double(), average, atol=1e-6)


def test_what_is_measured_is_the_average(corpus: Corpus) -> None:
    fit = fit_of(prepared(corpus, train__average="ema(decay=0.9)"))
    trained(fit)
    assert fit.scores is not None
    assert fit.learning.measure(fit.model, True).to_dict() == fit.scores.to_dict()


def test_what_is_chosen_on_dev_is_kept_with_the_average(corpus: Corpus) -> None:
    fit = fit_of(prepared(corpus, train__average="ema(decay=0.9)", head="hybrid-cache"))
    trained(fit)
    assert fit.scores is not None
    texts = fit.learning.encoded.items()
    fit.learning.encoded = {name: text for name, text in texts if name != "dev"}  # Nothing is chosen again.
    found, kept = fit.learning.measure(fit.model, True).to_dict(), fit.scores.to_dict()
    assert found.keys() == kept.keys() - {"dev"}
    assert found == {name: kept[name] for name in found}


def test_counts_are_not_copied_into_the_average(corpus: Corpus) -> None:
    fit = fit_of(prepared(corpus, train__average="ema(decay=0.9)", head="hybrid-mixture"))
    trained(fit)
    counted = fit.model.head.counted
    assert len(counted.keys_1)
    assert fit.average.keys() == dict(fit.model.named_parameters()).keys()
    assert not any("counted" in name for name in fit.average)
    tensors, facts = fit.state()
    tensors |= {"average.head.counted.discounts": counted.discounts}  # As earlier versions kept them.
    again = fit_of(prepared(corpus, train__average="ema(decay=0.9)", head="hybrid-mixture"))
    again.restore(tensors, facts)
    assert again.average.keys() == fit.average.keys()


def test_a_schedule_free_optimiser_is_measured_at_its_average(corpus: Corpus) -> None:
    after, kept = trained(fit := fit_of(prepared(corpus, train__optimizer="schedule-free")))
    assert fit.scores is not None
    assert fit.learning.measure(fit.model, True).to_dict() == fit.scores.to_dict()
    assert not torch.equal(kept["tokens.weight"], after[-1]["tokens.weight"])
    seldom, _ = trained(fit_of(prepared(corpus, train__optimizer="schedule-free", train__eval_every=1)))
    assert torch.equal(seldom[-1]["tokens.weight"], after[-1]["tokens.weight"])  # Looking changes nothing.
    with pytest.raises(InputError, match="keeps an average itself"):
        prepared(corpus, train__optimizer="schedule-free", train__average="ema")


def test_curvature_is_that_of_targets_which_the_model_draws(corpus: Corpus) -> None:
    """Of one text, the expected curvature along the bias of its logits is p (1 - p)."""
    fit = fit_of(prepared(corpus, "classifier", train__optimizer="sophia(beta2=0)", dropout=0, train__batch=1))
    bias = fit.model.head[-1].bias  # Of the last layer, so that its gradient is p minus the target.
    items = fit.order.of_step(0)
    batch = fit.learning.items_of(0).batch(items)
    p = fit.model(batch.ids, batch.mask).logits.detach().softmax(-1)[0]
    found = []
    for seed in range(400):
        fit.seed = seed
        fit._look_at_curvature(items)
        found.append(fit.optimizers[0].state[bias]["curvature"].clone())
    assert torch.allclose(torch.stack(found).mean(0), p * (1 - p), atol=0.05)


# --- noise

LINES = [[1, 2, 3], [1, 2, 4], [1, 2, 3, 1]]


def encoded() -> Encoded:
    ids = [token for line in LINES for token in line]
    return Encoded(np.array(ids, np.int32), np.ones(len(ids), np.int32), np.array([0, 3, 6, 10]))


def test_kneser_ney_counts_what_follows_and_what_is_followed() -> None:
    drawn = KneserNey(rate=0.5).of(encoded(), 6)
    # 1 is followed by 2 alone, three times; 2 by 3 and 4, three times; 3 by 1, once; 4 by nothing.
    assert drawn.rates.tolist() == pytest.approx([0, 0.5 / 3, 0.5 * 2 / 3, 0.5, 0, 0])
    assert drawn.others.tolist() == [0, 1, 1, 1, 1, 0]
    assert Unigram(rate=0.5).of(encoded(), 6).others.tolist() == [0, 4, 3, 2, 1, 0]


def test_noise_replaces_the_share_that_it_says() -> None:
    noise = KneserNey(rate=0.5)
    drawn = noise.of(encoded(), 6)
    ids = torch.full((200, 50), 2)
    targets = torch.where(torch.arange(50) < 40, 3, IGNORE).expand(200, 50)
    mask = (torch.arange(50) < 45).expand(200, 50)
    torch.manual_seed(0)
    found = noise.noised(Batch(ids, targets, mask), drawn, next_tokens=True)
    assert torch.equal(found.ids[:, 45:], ids[:, 45:])
    # A third of what is replaced is what it was: each of four tokens is as likely.
    assert float((found.ids[:, :45] != 2).float().mean()) == pytest.approx(1 / 3 * 3 / 4, abs=0.02)
    assert float((found.targets[:, :40] != 3).float().mean()) == pytest.approx(1 / 3 * 3 / 4, abs=0.02)
    assert (found.targets[:, 40:] == IGNORE).all()
    same = noise.noised(Batch(ids, targets, mask), drawn, next_tokens=False)
    assert torch.equal(same.targets, targets)
    assert torch.equal(Unigram(rate=0.5).noised(Batch(ids, targets), drawn, next_tokens=True).targets, targets)


def test_lines_of_one_token_have_no_pairs() -> None:
    single = Encoded(np.array([1, 2], np.int32), np.ones(2, np.int32), np.array([0, 1, 2]))
    with pytest.raises(InputError, match="no line has two"):
        KneserNey().of(single, 4)


# --- R-Drop


def test_r_drop_is_its_formula(corpus: Corpus) -> None:
    made = prepared(corpus, "classifier", dropout=0.3, train__rdrop=5)
    fit = fit_of(made)
    batch = fit.learning.items.batch(np.arange(6))
    found: list[Tensor] = []
    keep = fit.model.register_forward_hook(lambda module, given, output: found.append(output.logits.detach()))
    loss = loss_of_two_passes(fit.model.train(), batch, 6, 0.1, 5.0).detach()
    keep.remove()
    first, second = (logits.log_softmax(-1) for logits in found[0].chunk(2))
    apart = [kl_div(a, b, reduction="sum", log_target=True) for a, b in ((first, second), (second, first))]
    labels = [cross_entropy(logits, batch.targets, reduction="sum", label_smoothing=0.1) for logits in (first, second)]
    by_hand = (sum(labels) / 2 + 5.0 * sum(apart) / 2) / 6
    assert float(loss) == pytest.approx(float(by_hand), rel=1e-5)
    assert float(apart[0]) > 0


def test_r_drop_without_dropout_is_refused(corpus: Corpus) -> None:
    with pytest.raises(InputError, match="compares two passes with dropout"):
        fit_of(prepared(corpus, "classifier", train__rdrop=1, dropout=0))


# --- dropout


def config(**changes: Any) -> ModelConfig:
    return ModelConfig(output="tokens", causal=True, vocabulary=20, layers=2, width=16, context=8, **changes)


def output(made: ModelConfig) -> Tensor:
    model = Transformer(made, 3).train()
    torch.manual_seed(5)
    logits: Tensor = model(torch.arange(16).view(2, 8)).logits
    return logits


def test_dropout_given_apart_is_dropout_everywhere() -> None:
    apart = config(embedding_dropout=0.3, attention_dropout=0.3, residual_dropout=0.3)
    assert torch.equal(output(config(dropout=0.3)), output(apart))


@pytest.mark.parametrize("place", ["embedding", "attention", "residual"])
def test_dropout_of_one_place_is_there_alone(place: str) -> None:
    without = output(config())
    one = config(**{f"{place}_dropout": 0.5})
    assert not torch.equal(output(one), without)
    nowhere = config(dropout=0.5, embedding_dropout=0.0, attention_dropout=0.0, residual_dropout=0.0)
    assert torch.equal(output(nowhere), without)
    assert torch.equal(output(replace(one, dropout=0.0)), output(one))


# --- what was there before


def test_ids_are_those_of_before_unless_a_new_setting_is_given() -> None:
    settings: dict[str, Any] = {"width": 64, "train.lr": 0.001}
    before = identity_of("lm", settings, "f00d", 0, 1, "0.2.0")
    assert identity_of("lm", {**settings, **ADDED}, "f00d", 0, 1, "0.2.0") == before
    for name in ADDED:
        assert identity_of("lm", settings | {name: 0.5}, "f00d", 0, 1, "0.2.0") != before
