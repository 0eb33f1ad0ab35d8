"""Side by side: turns, ratios, who is left out, and that every peer can do its work."""

import json
import time
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pytest
from torch import nn

from oratory.bench import Bench, Compared, Measured, bench
from oratory.bench.bench import _compared, works
from oratory.bench.drawing import check_plot, write_plot
from oratory.bench.limit import operations
from oratory.bench.material import asked, length_of_run
from oratory.bench.ours import comparison, evaluation, generation, prediction, run, update
from oratory.bench.peer import Peer
from oratory.bench.peers import peers
from oratory.bench.theirs import evaluating, generating, predicting, running, updating
from oratory.bench.work import OURS, Call, Contender, Work
from oratory.errors import Failed, InputError
from oratory.model import Transformer
from oratory.training.tasks import base

SMALL = {"layers": "1", "width": "8", "context": "8"}


def sleeping(seconds: float) -> Call:
    return partial(time.sleep, seconds)


def broken() -> Call:
    raise ValueError("of another version")


def made(*others: Contender) -> Work:
    return Work("sleep", "Sleeping", lambda: [Contender(OURS, partial(sleeping, 0.01)), *others], calls=2)


@pytest.mark.slow
def test_everyone_has_as_many_turns_and_ratios_are_to_ours() -> None:
    found = _compared(
        made(
            Contender("slow", partial(sleeping, 0.04)),
            Contender("part", partial(sleeping, 0.01), factor=8),
            Contender("absent", partial(sleeping, 0.0), needs="no_such_package"),
            Contender("broken", broken),
        ),
        threads=1,
        turns=3,
    )
    assert found.calls == 6
    assert list(found.measured) == [OURS, "slow", "part"]
    assert found.ratio(OURS) == 1
    assert found.ratio("slow") > 1.5
    assert found.measured["part"].best >= 0.08
    assert all(one.best <= one.median and one.peak > 10 for one in found.measured.values())
    assert found.missing == {"absent": "no_such_package is not installed", "broken": "ValueError: of another version"}


@pytest.mark.slow
def test_without_ours_there_is_nothing_to_compare_with() -> None:
    with pytest.raises(Failed, match="of another version"):
        _compared(Work("broken", "Broken", lambda: [Contender(OURS, broken)]), threads=1, turns=1)


def test_wrong_numbers_and_names_are_refused() -> None:
    with pytest.raises(InputError, match="Did you mean 'lm-update'"):
        bench(["lm-updates"])
    with pytest.raises(InputError, match="turns=0"):
        bench(["start"], turns=0)
    with pytest.raises(InputError, match="must end in"):
        check_plot(Path("plot.gif"))


def test_every_work_has_its_base_and_a_name_of_its_own() -> None:
    found = works()
    assert {"lm-update", "classifier-update", "lm-mechanisms", "generation", "start"} <= set(found)
    assert len(found) == 16
    for name in (
        "lm-evaluation",
        "lm-run",
        "classifier-comparison",
        "classifier-mechanisms",
        "classifier-prediction",
        "generation-long",
        "start",
    ):
        names = [contender.name for contender in found[name].contenders()]
        assert names[0] == found[name].base
        assert len(names) == len(set(names)) > 3


def test_the_limit_counts_the_products_of_an_update() -> None:
    tokens, width, vocabulary, layers = 16 * 32, 64, 5755, 4
    hidden = base("lm", vocabulary).feedforward.hidden
    assert hidden is not None
    maps = width * vocabulary + layers * (4 * width * width + 2 * width * hidden)
    attention = layers * 2 * tokens * 32 * width
    assert operations("lm", {}, updates=1) == pytest.approx(6 * tokens * maps + 6 * attention, rel=0.001)


@pytest.mark.slow
@pytest.mark.parametrize("task", ["lm", "classifier"])
def test_every_peer_can_do_its_work(task: str) -> None:
    shorter = SMALL | {"train.iterations": "4", "train.eval_every": "2"}
    own = generating(SMALL, 4) if task == "lm" else predicting(SMALL, 40)
    wanted = [*updating(task, SMALL), *evaluating(task, SMALL), *running(task, shorter), *own]
    if task == "lm":  # Lines are of several lengths.
        wanted += updating(task, SMALL | {"train.items": "lines"})
    able = [contender for contender in wanted if contender.needs is None or find_spec(contender.needs)]
    assert len(able) >= 2
    for contender in able:
        contender.make()()
    assert len(updating(task, SMALL)) > len(running(task, SMALL))  # A loop of its own is for updates.
    assert {peer.name for peer in peers()} >= {"minimal GPT", "nn.TransformerEncoder", "x-transformers"}


def parameters(model: nn.Module) -> int:
    return sum(part.numel() for part in model.parameters())


@pytest.mark.slow
@pytest.mark.parametrize("peer", peers(), ids=lambda peer: peer.name)
def test_models_of_peers_are_as_large_as_ours(peer: Peer) -> None:
    if peer.needs and not find_spec(peer.needs):
        pytest.skip(f"{peer.needs} is not installed")
    for task in peer.tasks:
        config = base(task, 500, 3)
        ours, theirs = parameters(Transformer(config)), parameters(peer.model(task, config)[0])
        assert theirs == pytest.approx(ours, rel=0.1)


@pytest.mark.parametrize("task", ["lm", "classifier"])
def test_we_can_do_ours(task: str) -> None:
    update(task, SMALL)()
    evaluation(task, SMALL)()
    assert task == "classifier" or generation(SMALL, 4)()


def test_a_whole_run_is_as_long_as_ours() -> None:
    assert length_of_run("lm", {}) == (500, 100)
    assert length_of_run("classifier", {}) == (15 * 132, 132)
    assert sum(len(batch.ids) for batch in asked("classifier", {}, 40)[1]) == 40


@pytest.mark.long
def test_whole_runs_and_comparisons_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    shorter = SMALL | {"train.iterations": "4", "train.eval_every": "2"}
    run("lm", shorter)()
    assert prediction(SMALL, 40)()
    comparison("classifier", 1, shorter)()


def test_results_are_tables_a_document_and_a_picture(tmp_path: Path) -> None:
    measured = {OURS: Measured(0.01, 0.02, 300.0), "peer": Measured(0.02, 0.05, float("nan"))}
    found = Bench((Compared("work", "A work", OURS, measured, {"absent": "it is not installed"}, 10),), 2, 5)
    [table] = found.tables()
    assert table.rows == ((OURS, "10.0", "20.0", "1.00", "300"), ("peer", "20.0", "50.0", "2.50", "–"))
    assert "absent" in table.note
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert document["works"]["work"]["contenders"]["peer"]["ratio"] == pytest.approx(2.5)
    write_plot(found, tmp_path / "plot.svg")
    assert "2.50" in (tmp_path / "plot.svg").read_text()
