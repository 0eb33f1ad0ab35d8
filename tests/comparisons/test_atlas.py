"""The atlas: every mechanism has a row, whatever becomes of it, and nothing else is lost."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oratory.api import atlas, list_results, load_result, report, stacks
from oratory.comparisons.atlas import Atlas, AtlasEntry, AtlasRecord, design_of, entries_of
from oratory.comparisons.atlas.design import CONTROLS, AtlasDesign
from oratory.comparisons.atlas.stacks import _refusal
from oratory.comparisons.design import Design
from oratory.comparisons.make import evaluate
from oratory.errors import Failed, InputError
from oratory.execution.jobs import Outcome
from oratory.mechanisms import REGISTRY
from oratory.mechanisms.kinds import KINDS
from oratory.reports.atlas import picture_of
from oratory.runs import Store
from oratory.statistics import false_discovery
from oratory.text import load_corpus
from oratory.training.tasks import task_of

TINY = {"layers": "1", "width": "8", "context": "8", "tokenizer": "char", "train.threads": "1"}
SHORT = {"classifier": {"train.epochs": "1"}, "lm": {"train.iterations": "3", "train.eval_every": "3"}}
PLUGIN = """
from dataclasses import dataclass
import torch
from torch import nn
from oratory.mechanisms import Norm

class Grows(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.calls = 0

    def forward(self, x):
        self.calls += self.training
        return x * self.weight * (float("inf") if self.calls > 12 else 1.0)

@dataclass(frozen=True, kw_only=True)
class Bursts(Norm):
    "Gives what is not finite after a few updates."

    def build(self, width):
        return Grows(width)

@dataclass(frozen=True, kw_only=True)
class Wrong(Norm):
    "Cannot be built."

    def build(self, width):
        raise ValueError("no such thing")
"""


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    yield
    for name in ("bursts", "wrong"):
        REGISTRY["norm"].pop(name, None)


def made(folder: Path, tmp_path: Path, task: str = "classifier", **options: Any) -> Atlas:
    settings = TINY | SHORT[task] | options.pop("settings", {})
    return atlas(task=task, corpus=folder, seeds=3, settings=settings, runs=tmp_path / "runs", **options)


def test_every_mechanism_that_the_base_has_not_is_an_entry() -> None:
    for task in ("classifier", "lm"):
        used = [kind for kind in KINDS if task_of(task).uses(kind)]
        ours = {
            f"{kind}={name}"
            for kind in used
            for name, cls in REGISTRY[kind].items()
            if cls.__module__.startswith("oratory.")
        }
        usual = {"position=learned", "pattern=full", "merge=concat", "pool=mean", "norm=layer", "attention=softmax"}
        usual |= {"residual=add", "mixer=none", "objective=none", "embedding=tokens", "head=linear"}
        usual |= {"feedforward=relu"} if task != "lm" else set()
        found = {entry.name for entry in entries_of(task_of(task)) if entry.name in ours}
        assert found == ours - usual
    assert {entry.kind for entry in entries_of(task_of("lm"), ["norm"])} == {"norm"}
    rotary = entries_of(task_of("lm"), ["position"], {"position": "rope"})
    assert "position=learned" in {entry.name for entry in rotary}
    assert "position=rope" not in {entry.name for entry in rotary}


@pytest.mark.parametrize(
    ("task", "only", "message"),
    [("lm", ["pool"], "it changes nothing in a language model"), ("lm", ["norms"], "Did you mean 'norm'")],
)
def test_kinds_that_are_refused(task: str, only: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        entries_of(task_of(task), only)


def test_an_atlas_is_a_family_with_controls(folder: Path, tmp_path: Path, in_this_process: None) -> None:
    plans: list[Any] = []
    found = made(folder, tmp_path, only=["norm"], on_plan=plans.append)
    assert {row.name for row in found.rows} == {"norm=rms", "norm=dynamic-tanh", "norm=scale"}
    assert [row.name for row in found.controls] == list(CONTROLS)
    assert (plans[0].runs, plans[0].had) == (18, 0)
    assert plans[0].seconds > 0
    store = Store(tmp_path / "runs")
    seeds = {entry.seed for entry in store.entries()}
    assert seeds == {0, 1, 2, 100_000, 100_001, 100_002, 200_000, 200_001, 200_002}

    # The figures are those of one comparison of all of them.
    design = AtlasDesign(task_of("classifier"), load_corpus(folder), (), (0, 1, 2))
    comparison = found.families["as given"]
    assert isinstance(design.family(comparison_variants(comparison)), Design)
    again = evaluate(design.family(comparison_variants(comparison)), comparison.runs(), {}, store)
    for row in (*found.rows, *found.controls):
        effect = row.effects["as given"]
        (variant,) = (each for each in again.variants if each.name == row.name)
        assert variant.whole.difference is not None
        assert (effect.difference, effect.p) == (variant.whole.difference.mean, variant.whole.difference.p)
        assert effect.holm == variant.p
        assert row.cost is not None
        assert row.cost > 0
    differences = [row.effects["as given"].difference for row in found.rows]
    assert differences == sorted(differences, reverse=True), "the best first"
    assert found.base.parameters is not None


def comparison_variants(comparison: Any) -> list[Any]:
    from oratory.comparisons import Variant

    return [Variant(each.name, each.settings) for each in comparison.variants]


def test_the_same_atlas_again_trains_nothing(folder: Path, tmp_path: Path, in_this_process: None) -> None:
    first = made(folder, tmp_path, only=["norm"])
    events: list[Any] = []
    again = made(folder, tmp_path, only=["norm"], listen=events.append)
    assert all(event.reused for event in events if isinstance(event, Outcome))
    assert again == first
    loaded = load_result(first.id, tmp_path / "runs")
    assert isinstance(loaded, Atlas)
    assert loaded.to_dict() == first.to_dict()
    (entry,) = list_results(tmp_path / "runs").entries
    assert (entry.kind, entry.id, entry.seeds) == ("atlas", first.id, 3)

    files = report(loaded, tmp_path / "atlas")
    assert {path.suffix for path in files} >= {".html", ".csv", ".md"}
    text = (tmp_path / "atlas" / "report.md").read_text()
    assert "oratory atlas --task classifier --seeds 0,1,2 --only norm" in text
    assert all(row.name in text for row in first.rows)
    drawn = picture_of((*first.rows, *first.controls), first.metric, "as given")
    assert list(drawn.rows) == [row.name for row in (*first.rows, *first.controls)]
    json.dumps(first.to_dict())


def test_what_fails_has_its_row_and_nothing_else_is_lost(folder: Path, tmp_path: Path, in_this_process: None) -> None:
    plugin = tmp_path / "odd.py"
    plugin.write_text(PLUGIN)
    settings = {"train.epochs": "8", "train.batch": "2"}
    found = made(folder, tmp_path, only=["norm"], plugins=[plugin], settings=settings)
    rows = {row.mechanism: row for row in found.rows}
    assert rows["bursts"].status == "failed"
    assert "not a finite number" in rows["bursts"].reason
    assert "no such thing" in rows["wrong"].reason
    assert rows["wrong"].status in ("refused", "failed")
    assert all(rows[name].status == "judged" for name in ("rms", "scale", "dynamic-tanh"))
    assert [row.mechanism for row in found.rows][-2:] == ["bursts", "wrong"], "without an effect, so last"
    assert "failed: " in str(found.tables()[0].rows[-4][1])


def test_what_leaks_is_not_trained(folder: Path, tmp_path: Path, in_this_process: None) -> None:
    found = made(folder, tmp_path, "lm", only=["merge"])
    rows = {row.mechanism: row for row in found.rows}
    assert rows["reweight"].status == "leaks"
    assert "sees the future" in rows["reweight"].reason
    assert rows["reweight-per-token"].status == "judged"


def test_what_is_too_slow_is_left_out(folder: Path, tmp_path: Path, in_this_process: None) -> None:
    with pytest.raises(InputError, match="must be above 0"):
        made(folder, tmp_path, limit=0)
    found = made(folder, tmp_path, only=["mixer"], limit=1.4, settings={"context": "32"})
    rows = {row.mechanism: row for row in found.rows}
    assert rows["gated-delta"].status == "slow", [(row.mechanism, row.cost, row.update) for row in found.rows]
    assert "the limit is 1.4" in rows["gated-delta"].reason


def test_each_mechanism_is_tuned_with_the_same_trials(folder: Path, tmp_path: Path, in_this_process: None) -> None:
    pytest.importorskip("optuna")
    found = made(folder, tmp_path, only=["norm"], tune=["train.lr=0.001,0.1"], tune_seeds=1)
    assert set(found.families) == {"as given", "tuned"}
    assert all(set(row.effects) == {"as given", "tuned"} for row in (*found.rows, *found.controls))
    for variant in found.families["tuned"].variants:
        assert float(variant.settings["train.lr"]) in (0.001, 0.1)
    assert len(found.tables()) == 2
    with pytest.raises(InputError):
        made(folder, tmp_path, only=["norm"], tune=["nothing=1,2"])


def test_false_discovery_is_the_definition() -> None:
    p = [0.01, None, 0.04, 0.03, 0.5]
    known = sorted(value for value in p if value is not None)
    for value, adjusted in zip(p, false_discovery(p), strict=True):
        if value is None:
            assert adjusted is None
            continue
        wanted = min(known[at] * len(known) / (at + 1) for at in range(len(known)) if known[at] >= value)
        assert adjusted == pytest.approx(min(1.0, wanted))


def test_pairs_and_stacks_of_the_best(folder: Path, tmp_path: Path, in_this_process: None) -> None:
    first = made(folder, tmp_path, only=["norm", "pool"], settings={"train.lr": "0.05"})
    found = stacks(first.id, best=2, choosing=2, runs=tmp_path / "runs")
    assert found.choosing == (1000, 1001)
    assert len(found.best) == 2
    assert {name.partition("=")[0] for name in found.best} == {"norm", "pool"}
    tried = found.choices[0].tried
    assert set(tried) == {"base", *(row.name for row in first.rows)}
    known = {name: mean for name, mean in tried.items() if mean is not None}
    of_norm = [name for name in known if name.startswith("norm=")]
    assert max(of_norm, key=lambda name: known[name]) in found.best, "the best of its kind on dev"
    assert found.stack[0] == max((name for name in known if name != "base"), key=lambda name: known[name])
    (pair,) = found.rows
    assert set(pair.parts) == set(found.best)
    # Together less the sum of the parts, from the runs themselves.
    runs = found.comparison.runs()
    score = {name: [run.result["test"]["accuracy"] for run in each] for name, each in runs.items()}
    one, other = pair.parts
    apart = [
        together - a - b + base
        for together, a, b, base in zip(score[pair.name], score[one], score[other], score["base"], strict=True)
    ]
    assert pair.apart is not None
    assert pair.apart.mean == pytest.approx(sum(apart) / 3, abs=1e-9)
    assert pair.difference is not None
    assert pair.sum is not None
    assert pair.difference - pair.sum == pytest.approx(pair.apart.mean)
    again = stacks(first.id, best=2, choosing=2, runs=tmp_path / "runs", listen=(events := list[Any]()).append)
    assert all(event.reused for event in events if isinstance(event, Outcome))
    assert again.to_dict() == found.to_dict()
    report(found, tmp_path / "together.md")
    assert f"oratory atlas --stack {first.id} --best 2" in (tmp_path / "together.md").read_text()
    json.dumps(found.to_dict())


def test_mechanisms_that_do_not_fit_together_have_a_row(folder: Path, tmp_path: Path, in_this_process: None) -> None:
    first = made(folder, tmp_path, "lm", only=["objective", "head"])
    store = Store(tmp_path / "runs")
    design = design_of(AtlasRecord.read(first.id, store))
    both = (AtlasEntry("objective", "z-loss"), AtlasEntry("head", "adaptive"))
    assert "would change nothing" in str(_refusal(design, both))
    assert _refusal(design, both[:1]) is None
    with pytest.raises(InputError, match="At least 2 mechanisms"):
        stacks(first.id, best=1, runs=tmp_path / "runs")


def test_one_kind_alone_cannot_be_stacked(folder: Path, tmp_path: Path, in_this_process: None) -> None:
    first = made(folder, tmp_path, only=["norm"])
    with pytest.raises(Failed, match="Mechanisms of two kinds"):
        stacks(first.id, runs=tmp_path / "runs")
