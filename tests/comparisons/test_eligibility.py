"""What the contract of mechanisms means for a comparison: refused, marked, or nothing at all."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from oratory.comparisons import Comparison, Design, compare, load_comparison, parse_variants
from oratory.comparisons.eligibility import eligibility_of
from oratory.errors import InputError
from oratory.execution.jobs import load_plugins
from oratory.mechanisms import REGISTRY
from oratory.model.contract import ModelContract
from oratory.reports.results import write_report
from oratory.runs import Store
from oratory.runs.record import RECORD
from oratory.text import Corpus, load_corpus
from oratory.training.tasks import task_of
from tests.execution.training import write_corpus
from tests.execution.workers import here

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
TINY = {"layers": "1", "width": "8", "context": "8", "tokenizer": "char"}
LENGTH = {"lm": {"train.iterations": "2"}, "classifier": {"train.epochs": "1"}}
MARK = "not a language model"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("data")
    write_corpus(folder)
    return load_corpus(folder)


@pytest.fixture
def peek() -> Iterator[tuple[tuple[str, str], ...]]:
    yield load_plugins([EXAMPLES / "broken.py"])
    REGISTRY["position"].pop("peek", None)


def design(corpus: Corpus, *variants: str, task: str = "lm", seeds: int = 3, **more: str) -> Design:
    settings = TINY | LENGTH[task] | more
    return Design(task_of(task), corpus, parse_variants(variants), tuple(range(seeds)), settings)


def compared(corpus: Corpus, runs: Path, *variants: str, task: str = "lm") -> Comparison:
    return compare(design(corpus, *variants, task=task), Store(runs), here)


def test_a_variant_that_sees_the_future_is_refused(
    corpus: Corpus, tmp_path: Path, peek: tuple[tuple[str, str], ...]
) -> None:
    made = replace(design(corpus, "position=learned", "position=peek"), plugins=peek)
    with pytest.raises(InputError) as caught:
        compare(made, Store(tmp_path / "runs"), here)
    assert str(caught.value).startswith(
        "The variant 'position=peek' cannot be compared: It does not keep the promise that the future does not leak: "
    )
    assert not (tmp_path / "runs").exists()


LATER = """
from dataclasses import dataclass
import torch
from torch import nn
from oratory.mechanisms import Position

@dataclass(frozen=True, kw_only=True)
class Later(Position):
    "Sees the next token once it has been trained."
    def build(self, shape):
        return Table()

class Table(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("updates", torch.zeros(()))
    def embed(self, x, positions):
        self.updates += self.training
        return x + (self.updates > 1) * x.roll(-1, 1)
"""


def test_what_sees_the_future_only_once_it_is_trained_gets_no_verdict(corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "later.py").write_text(LATER)
    made = replace(design(corpus, "position=none", "position=later"), plugins=load_plugins([tmp_path / "later.py"]))
    found = compare(made, Store(tmp_path / "runs"), here)
    REGISTRY["position"].pop("later")
    assert found.variants[1].no_verdict == "a model that breaks the contract"
    (warning,) = found.warnings
    assert warning.startswith("position=later gets no verdict. Once trained, it does not keep the promise that the fut")


def test_a_variant_that_declares_a_leak_gets_no_verdict(corpus: Corpus, tmp_path: Path) -> None:
    found = compared(corpus, tmp_path / "runs", "merge=concat", "merge=reweight", "merge=shift")
    base, leaking, other = found.to_dict()["variants"]
    assert (base["verdict"], base["no_verdict"]) == ("baseline", None)
    assert (leaking["verdict"], leaking["verdict_text"], leaking["no_verdict"]) == (MARK, MARK, MARK)
    assert leaking["difference"] is leaking["p"] is leaking["wins"] is None
    assert leaking["mean"] > 0
    assert other["no_verdict"] is None
    assert other["difference"] is not None
    (warning,) = found.to_dict()["warnings"]
    assert warning.startswith(f"merge=reweight is {MARK}, since it sees the future, and gets no verdict.")
    table = found.verdict_table()
    assert table.rows[1][1] == MARK
    assert warning in table.note
    # The others are judged as if it were not there.
    alone = compared(corpus, tmp_path / "runs", "merge=concat", "merge=shift").to_dict()["variants"][1]
    assert {name: other[name] for name in ("p", "detectable", "difference")} == {
        name: alone[name] for name in ("p", "detectable", "difference")
    }
    (report, *_) = write_report(found, tmp_path / "report.md")
    assert f"- merge=reweight: no verdict ({MARK})." in report.read_text()
    assert load_comparison(found.id, Store(tmp_path / "runs")).to_dict() == found.to_dict()


def test_nothing_is_better_than_a_baseline_that_sees_the_future(corpus: Corpus, tmp_path: Path) -> None:
    found = compared(corpus, tmp_path / "runs", "merge=reweight", "merge=concat")
    first, second = found.to_dict()["variants"]
    assert first["verdict"] == f"baseline, {MARK}"
    assert second["verdict"] == f"none: the baseline is {MARK}"
    assert second["difference"] is None
    assert found.detectable is None
    for name in ("report.md", "report.html"):
        write_report(found, tmp_path / name)


def test_a_classifier_sees_all_of_a_text_anyway(corpus: Corpus, tmp_path: Path) -> None:
    found = compared(corpus, tmp_path / "runs", "merge=concat", "merge=reweight", task="classifier")
    assert found.variants[1].whole.difference is not None
    assert not found.variants[1].no_verdict
    (warning,) = found.warnings
    assert warning.startswith("merge=reweight: It does not keep the promise that padding changes nothing")


def test_without_weighting_at_inference_it_is_a_language_model(corpus: Corpus, tmp_path: Path) -> None:
    found = compared(corpus, tmp_path / "runs", "merge=concat", "merge=reweight(at_inference=off)")
    assert found.warnings == ()
    assert found.variants[1].whole.difference is not None


def test_runs_without_a_record_of_it_are_looked_at_again(corpus: Corpus, tmp_path: Path) -> None:
    store = Store(tmp_path / "runs")
    found = compared(corpus, store.folder, "merge=concat", "merge=reweight")
    for variant in found.variants:
        for run in variant.runs:
            path = store.folder / (run or "") / RECORD
            values = json.loads(path.read_text())
            assert set(values["contract"]) == {"broken", "declared", "leaks"}
            path.write_text(json.dumps({k: v for k, v in values.items() if k not in ("contract", "digest")}))
    assert load_comparison(found.id, store).to_dict() == found.to_dict()


def test_what_cannot_be_known_is_said(corpus: Corpus, tmp_path: Path) -> None:
    """A comparison from before contracts were recorded, by a plugin that is not loaded; and one with it."""
    store = Store(tmp_path / "runs")
    load_plugins([EXAMPLES / "decay.py"])
    found = compared(corpus, store.folder, "base", "position=decay")
    run = store.open(found.variants[1].runs[0] or "")
    old = replace(run, record=replace(run.record, contract=None))
    assert eligibility_of("decay", task_of("lm"), [old]).warnings == ()
    del REGISTRY["position"]["decay"]
    fresh = replace(old)
    eligible = eligibility_of("decay", task_of("lm"), [None, fresh])
    assert eligible.no_verdict == ""
    (warning,) = eligible.warnings
    assert warning.startswith("Whether decay keeps the contract of mechanisms was not recorded and cannot be tried")
    assert "--plugin decay.py" in warning
    broken = ModelContract(broken=("It looks ahead.",)).to_dict()
    eligible = eligibility_of("decay", task_of("lm"), [replace(run, record=replace(run.record, contract=broken))])
    assert eligible.no_verdict == "a model that breaks the contract"
    assert eligible.warnings == ("decay gets no verdict. It looks ahead.",)


@pytest.mark.parametrize(
    ("variant", "sentence"),
    [
        ("position=bogus", "There is no position 'bogus'"),
        ("heads=3", "width=8 cannot be shared out among heads=3"),
        ("position=rope width=6", "width is given for all variants"),
        ("heads=8 position=rope", "rope turns pairs of columns"),
        ("tokenizer=pretrained:nowhere/at-all", "nowhere/at-all"),
        ("train.stride=99", "train.stride=99 is more than context=8"),
        ("model=nowhere/at-all", "cannot be compared"),
    ],
)
def test_what_cannot_be_trained_is_refused_before_anything_is(
    corpus: Corpus, tmp_path: Path, variant: str, sentence: str
) -> None:
    def never(jobs: object, shared: object) -> Iterator[None]:
        raise AssertionError("Something is trained.")
        yield

    def compared() -> None:
        own = "tokenizer" in variant or "model" in variant
        shared = LENGTH["lm"] if own else TINY | LENGTH["lm"]
        made = Design(task_of("lm"), corpus, parse_variants(["base", variant]), (0, 1, 2), shared)
        compare(made, Store(tmp_path / "runs"), never)  # type: ignore[arg-type]

    with pytest.raises(InputError, match=sentence):
        compared()
    assert not (tmp_path / "runs").exists()


def test_word_dropout_without_a_token_for_unknown_text(corpus: Corpus, tmp_path: Path) -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers

    inner = Tokenizer(models.BPE({letter: at for at, letter in enumerate(pre_tokenizers.ByteLevel.alphabet())}, []))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel()
    (tmp_path / "published").mkdir()
    inner.save(str(tmp_path / "published" / "tokenizer.json"))
    theirs = f"tokenizer=pretrained:{tmp_path / 'published'}"
    made = Design(task_of("lm"), corpus, parse_variants([theirs, f"{theirs} train.word_dropout=0.1"]), (0, 1, 2))
    with pytest.raises(InputError, match=r"train\.word_dropout needs a token for unknown text"):
        compare(made, Store(tmp_path / "runs"), here)


def test_a_metric_that_the_tokens_do_not_allow_is_refused_before_training(corpus: Corpus, tmp_path: Path) -> None:
    settings = {name: value for name, value in (TINY | LENGTH["lm"]).items() if name != "tokenizer"}
    made = Design(
        task_of("lm"), corpus, parse_variants(["tokenizer=char", "tokenizer=word"]), (0, 1), settings, "perplexity"
    )
    with pytest.raises(InputError, match="The perplexity of runs with different tokenizers cannot be compared"):
        compare(made, Store(tmp_path / "runs"), here)
    assert not (tmp_path / "runs").exists()


def test_a_store_that_cannot_hold_the_runs(corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InputError, match=r"cannot be written to: .*file is not a folder"):
        compare(design(corpus, "base", "position=none"), Store(tmp_path / "file" / "runs"), here)
    made, store = design(corpus, "base", "position=none"), Store(tmp_path / "runs")
    usage = type("Usage", (), {"free": 100})
    with monkeypatch.context() as patched:
        patched.setattr("shutil.disk_usage", lambda path: usage)
        with pytest.raises(InputError, match=r"These runs need at least 0 MB, and 0 MB are left where"):
            compare(made, store, here)
        assert not store.folder.exists()
    compare(made, store, here)
    with monkeypatch.context() as patched:
        patched.setattr("shutil.disk_usage", lambda path: usage)
        compare(made, store, here)  # All runs are there, so nothing is needed.


def test_a_device_that_is_not_here(corpus: Corpus, tmp_path: Path) -> None:
    from oratory.execution.local import Local

    made = design(corpus, "base", "train.device=mtia")
    with pytest.raises(InputError, match=r"train\.device=mtia is not there"):
        compare(made, Store(tmp_path / "runs"), Local(1))
    assert not (tmp_path / "runs").exists()
