"""What heads do: on maps made by hand, and over a corpus against one text at a time."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from scipy import stats

from oratory.errors import InputError
from oratory.inspect import ablate, attend, heads_of
from oratory.inspect.ablation import silenced
from oratory.inspect.maps_facts import MEASURES
from oratory.inspect.measures import change, kinds, measure
from oratory.inspect.subject import subject_of
from oratory.model import Transformer
from oratory.text import Corpus
from oratory.training.tasks import base
from tests.inspect.small import corpus, trained


def _measured(rows: list[list[float]]) -> dict[str, float]:
    tokens = ["The", "house", ",", "house"]
    marks = (torch.tensor([kind]) for kind in kinds(tokens))
    return {name: round(float(value), 4) for name, value in measure(torch.tensor([[rows]]).float(), *marks).items()}


def test_measures_are_the_same_in_any_number_of_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = torch.rand(2, 3, 11, 11, generator=torch.Generator().manual_seed(0)).softmax(-1)
    marks = torch.arange(22).reshape(2, 11) % 3 == 0
    whole = measure(weights, marks, ~marks)
    monkeypatch.setattr("oratory.inspect.measures.BLOCK", 2 * 3 * 11 * 2)
    for name, values in measure(weights, marks, ~marks).items():
        torch.testing.assert_close(values, whole[name])


def test_measures_of_maps_made_by_hand() -> None:
    itself = _measured(np.eye(4).tolist())
    assert (itself["self"], itself["entropy"], itself["distance"], itself["stripe"]) == (1, 0, 0, 0.25)
    previous = _measured([[1, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]])
    assert (previous["previous"], previous["distance"], previous["first"]) == (1, 0.75, 0.5)
    stripe = _measured([[0, 0, 1, 0]] * 4)
    assert (stripe["stripe"], stripe["separator"], stripe["content"], stripe["self"]) == (1, 1, 0, 0.25)
    even = _measured([[0.25] * 4] * 4)
    assert even["entropy"] == round(math.log(4), 4)
    assert (even["content"], even["separator"], even["distance"], even["stripe"]) == (0.5, 0.25, 1.25, 0.25)


def test_kinds_of_tokens() -> None:
    tokens = ["The", "house", ",", "<START>", "Ġunion", "Ġthe", "##ing", "--", "1984", "<unk>", "n't", "[SEP]"]
    separators, content = kinds(tokens)
    assert [token for token, one in zip(tokens, separators, strict=True) if one] == [",", "<START>", "--", "[SEP]"]
    assert [token for token, one in zip(tokens, content, strict=True) if one] == ["house", "Ġunion", "##ing"]


def test_change_is_the_share_of_weight_that_moved() -> None:
    one, other = torch.eye(3)[None, None], torch.eye(3).roll(1, 1)[None, None]
    assert change(one, other).item() == pytest.approx(1)
    assert change(one, 0.75 * one + 0.25 * other).item() == pytest.approx(0.25)
    assert change(one, one).item() == 0


@pytest.mark.parametrize("kind", ["decoder", "encoder", "window"])
def test_over_a_corpus_it_is_the_mean_of_its_texts(kind: str) -> None:
    run = trained(kind)
    found = heads_of(run, corpus())
    samples = subject_of(run).samples(corpus())
    assert found.texts == len(samples)
    one_by_one = [attend(run.model, ids.tolist(), tokenizer=run.tokenizer) for ids in samples.ids]
    moved = [attend(run, " ".join(map(run.tokenizer.token, ids)), before=True) for ids in samples.ids]
    for place, facts in enumerate(found.after):
        assert (facts.layer, facts.head) == divmod(place, 2)
        for name in ("entropy", "distance", "self", "previous", "first", "stripe"):
            mean = np.mean([each.after.summary[place].measures[name] for each in one_by_one])
            assert facts.measures[name] == pytest.approx(mean, abs=1e-5)
        layer, head = facts.layer, facts.head
        shares = [
            np.abs(each.weights[layer, head] - each.before.weights[layer, head]).sum(-1).mean() / 2  # type: ignore[union-attr]
            for each in moved
        ]
        assert facts.measures["change"] == pytest.approx(np.mean(shares), abs=1e-5)
    assert found.before is not None
    assert set(found.after[0].measures) == {*MEASURES, "change"}
    assert "change" not in found.before[0].measures
    if kind == "encoder":
        lengths = [len(ids) for ids in samples.ids]
        assert found.even["entropy"] == pytest.approx(np.mean(np.log(lengths)), abs=1e-5)
    assert found.tables()[0].rows[-1][0] == "an even head"


@pytest.mark.parametrize("kind", ["decoder", "encoder", "filler"])
def test_a_head_is_switched_off_by_zeros_in_the_output(kind: str) -> None:
    run = trained(kind)
    found = ablate(run, corpus())
    samples = subject_of(run).samples(corpus())
    before = {name: value.clone() for name, value in run.model.state_dict().items()}
    whole = run.task.losses(run.model, samples, run.tokenizer)
    assert found.loss == pytest.approx(whole.mean())
    for head in found.heads:
        attention: Any = run.model.blocks[head.layer].attention
        matrix = attention.output.weight
        kept = matrix.detach().clone()
        with torch.no_grad():
            matrix[:, 8 * head.head : 8 * head.head + 8] = 0
            without = run.task.losses(run.model, samples, run.tokenizer)
            matrix.copy_(kept)
        assert head.loss == pytest.approx(without.mean(), abs=1e-6)
        if head.interval is None:  # The head changes nothing at all.
            assert head.verdict == "no verdict"
            assert without == pytest.approx(whole, abs=1e-9)
        else:
            low, high = stats.ttest_rel(without, whole).confidence_interval(0.95)
            assert head.interval == pytest.approx((low, high), abs=1e-6)
        assert head.difference == pytest.approx(without.mean() - whole.mean(), abs=1e-6)
    after = run.model.state_dict()
    assert before.keys() == after.keys()
    assert all(torch.equal(before[name], after[name]) for name in before)


def test_the_loss_is_that_of_the_next_token() -> None:
    run = trained("decoder")
    samples = subject_of(run).samples(corpus())
    ids = torch.from_numpy(samples.ids[0])[None]
    with torch.no_grad():
        chances = run.model(ids).logits.log_softmax(-1)[0]
    nats = [-float(chances[at, int(ids[0, at + 1])]) for at in range(ids.shape[1] - 1)]
    assert run.task.losses(run.model, samples, run.tokenizer)[0] == pytest.approx(np.mean(nats), abs=1e-5)


def test_the_loss_of_a_masked_model_is_that_of_masked_tokens() -> None:
    run = trained("filler")
    samples = subject_of(run).samples(corpus())
    ids, mask = samples.ids[0], run.tokenizer.id("<mask>")
    nats = []
    for start in range(7):
        places = np.arange(start, len(ids), 7)
        given = ids.copy()
        given[places] = mask
        with torch.no_grad():
            chances = run.model(torch.from_numpy(given)[None]).logits.log_softmax(-1)[0]
        nats += [-float(chances[at, ids[at]]) for at in places]
    assert run.task.losses(run.model, samples, run.tokenizer)[0] == pytest.approx(np.mean(nats), abs=1e-5)


@pytest.mark.parametrize("merge", ["concat", "shift", "shuffle", "reweight-per-token"])
def test_a_silenced_head_gives_zeros_however_heads_are_merged(merge: str) -> None:
    model = Transformer(base("lm", 9, layers=1, heads=2, width=8, merge=merge), 1).eval()
    ids = torch.tensor([[1, 2, 3, 4]])
    attention: Any = model.blocks[0].attention
    kept, names = attention.merge, list(model.state_dict())
    with torch.no_grad():
        whole = model(ids).logits
        with silenced(model, 0, 0), silenced(model, 0, 1):
            nothing = model(ids).logits
        attention.value.weight.zero_()
        torch.testing.assert_close(nothing, model(ids).logits)
    assert not torch.allclose(whole, nothing)
    assert attention.merge is kept
    assert list(model.state_dict()) == names


def test_without_the_heads_own_slot_after_a_shift() -> None:
    found = ablate(trained("shift"), corpus())
    assert len(found.heads) == 2
    assert all(head.verdict in ("loss rises", "loss falls", "no difference shown") for head in found.heads)
    assert found.to_dict()["heads"][0]["verdict"] == found.heads[0].verdict


def test_what_cannot_be_measured() -> None:
    encoder = Transformer(base("encoder", 200, width=8, layers=1), 0)
    with pytest.raises(InputError, match="has no loss on"):
        ablate(encoder, corpus(), tokenizer=trained("encoder").tokenizer)
    with pytest.raises(InputError, match="has no tokenizer"):
        heads_of(encoder, corpus())
    found = heads_of(encoder, corpus(), tokenizer=trained("encoder").tokenizer)
    assert found.before is None
    nothing = Corpus("nothing", classifier=corpus().classifier)
    with pytest.raises(InputError):
        heads_of(trained("decoder"), nothing)


def grouped(groups: int) -> Corpus:
    """The corpus with its test texts in groups."""
    given = corpus()
    data, lm = given.need_classifier(), given.need_lm()
    assert data.test is not None
    of_texts = tuple(f"g{at % groups}" for at in range(len(data.test)))
    of_lines = tuple(f"g{at * groups // 9}" for at in range(9))
    labelled = replace(data, test=replace(data.test, groups=of_texts))
    return replace(given, classifier=labelled, lm=replace(lm, groups={"a": of_lines}), group="speech")


@pytest.mark.parametrize("kind", ["decoder", "encoder"])
def test_texts_of_one_group_count_as_one(kind: str) -> None:
    run, alone = trained(kind), ablate(trained(kind), corpus())
    found = ablate(run, grouped(6))
    samples = subject_of(run).samples(grouped(6))
    names = np.array(samples.groups)
    whole = run.task.losses(run.model, samples, run.tokenizer)
    assert (alone.unit, found.unit) == ({"decoder": "window", "encoder": "text"}[kind], "speech")
    assert "for new speeches" in found.tables()[0].note
    for head, other in zip(found.heads, alone.heads, strict=True):
        assert (head.loss, head.difference) == pytest.approx((other.loss, other.difference), abs=1e-7)
        with silenced(run.model, head.layer, head.head):
            more = run.task.losses(run.model, samples, run.tokenizer) - whole
        if head.interval is not None:
            own = [more[names == name] for name in sorted(set(names))]
            values = [more.mean() + (each - more.mean()).sum() / (len(more) / len(own)) for each in own]
            low, high = stats.ttest_1samp(values, 0).confidence_interval(0.95)
            assert head.interval == pytest.approx((low, high), abs=1e-6)
    assert ablate(run, grouped(3)).unit == alone.unit, "three groups are too few"
