"""Recipes that are run, small: ours beside the reference, intervals that can be worked out by hand, and the report."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from oratory.errors import InputError
from oratory.recipes import ReferenceRow, Reproduction, load_recipe, load_reproduction, run_recipe
from oratory.recipes import recipe as recipes
from oratory.recipes.document import reproduction_document
from oratory.recipes.estimate import estimate, planned_runs
from oratory.recipes.our_figure import OurFigure
from oratory.recipes.planning import PlannedRecipe
from oratory.recipes.quantity import parse_quantity
from oratory.recipes.reference_row import position
from oratory.recipes.studies import explain, reweight, study_names
from oratory.recipes.studies.ensembles import EnsemblesResult
from oratory.recipes.studies.maps import MapsResult
from oratory.recipes.studies.reweight import ReweightResult
from oratory.records import read_record, write_record
from oratory.reports.output import write_document
from oratory.runs import Run, Store
from oratory.statistics import prediction
from oratory.text import Corpus, load_corpus
from tests.execution.training import write_corpus
from tests.execution.workers import here
from tests.recipes.test_estimate import never

TINY = {"layers": "1", "width": "8", "heads": "1"}
LM = TINY | {"context": "8", "train.iterations": "4", "train.eval_every": "2", "train.stride": "8"}
CLASSIFIER = TINY | {"context": "8", "train.epochs": "2"}
LINES = TINY | {"context": "128", "train.truncate": "64", "train.iterations": "3"}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_corpus(tmp_path_factory.mktemp("corpus"))
    (folder / "test_LM_a.txt").rename(folder / "test_LM_obama.txt")
    return folder


@pytest.fixture(scope="module")
def corpus(small: Path) -> Corpus:
    return load_corpus(small)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("runs"))


def run(name: str, settings: dict[str, str], corpus: Corpus, store: Store, seeds: int = 3) -> Reproduction:
    planned = PlannedRecipe(load_recipe(name).changed(settings), corpus, tuple(range(seeds)))
    return run_recipe(planned, store, here)


@pytest.fixture(scope="module")
def language(corpus: Corpus, store: Store) -> Reproduction:
    return run("r2-window", LM, corpus, store)


@pytest.fixture(scope="module")
def classifier(corpus: Corpus, store: Store) -> Reproduction:
    return run("r2-classifier", CLASSIFIER, corpus, store)


def row(made: Reproduction, figure: str, at: float | None = None, variant: str = "base") -> ReferenceRow:
    [found] = [r for r in made.rows if (str(r.quantity), r.at, r.variant) == (figure, at, variant)]
    return found


def test_perplexity_beside_the_reference(language: Reproduction, store: Store) -> None:
    found = row(language, "perplexity: obama").ours
    assert found is not None
    nats = [math.log(store.open(run).result["obama"]["perplexity"]) for run in language.runs["base"]]
    assert np.log(found.seeds) == pytest.approx(nats, rel=1e-6)
    assert found.mean == pytest.approx(math.exp(np.mean(nats)), rel=1e-6)
    assert found.over == "seeds and items"
    assert found.spread == pytest.approx(np.std(nats, ddof=1), rel=1e-4)
    reach = stats.t.ppf(0.975, 2) * np.std(nats, ddof=1) * math.sqrt(4 / 3)
    assert found.prediction is not None
    assert np.log(found.prediction) == pytest.approx([np.mean(nats) - reach, np.mean(nats) + reach], rel=1e-5)
    train = row(language, "perplexity: train").ours
    assert train is not None
    assert train.over == "seeds"
    assert row(language, "perplexity: wbush").ours is None, "this corpus has no such text"


def test_other_data_is_not_comparable(language: Reproduction) -> None:
    for found in language.rows:
        assert found.of_mean == found.of_seed == "not comparable"
        assert found.reason == "other data (" + language.corpus + ")"
    assert "57 reference figures are not comparable" in " ".join(language.sentences())
    claims, figures, *_ = language.tables()
    assert claims.title == "Claims of the report"
    assert "(1) Not comparable: other data" in figures.note


def test_figures_that_can_be_compared(corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recipes, "FINGERPRINT", corpus.fingerprint)
    recipe = replace(load_recipe("r2-window").changed(LM), changes=None)
    made = run_recipe(PlannedRecipe(recipe, corpus, (0, 1, 2)), Store(tmp_path), here)
    found = row(made, "perplexity: obama")
    assert found.ours is not None
    assert found.ours.interval is not None
    expected = "below" if found.reference < found.ours.interval[0] else "above"
    assert found.of_mean == expected
    assert row(made, "parameters").of_mean.startswith("ours -")
    assert row(made, "perplexity: train", 1).of_seed == "not comparable"
    assert any(sentence.startswith("Of 1 counts of parameters, 0 equal") for sentence in made.sentences())


def test_where_a_value_lies() -> None:
    assert [position(value, (1.0, 2.0)) for value in (0.5, 1.0, 1.5, 2.0, 2.5)] == [
        "below",
        "inside",
        "inside",
        "inside",
        "above",
    ]
    assert position(1.0, None) == "–"
    counted = ReferenceRow("R9", "base", parse_quantity("parameters"), None, 100, OurFigure((100.0,), 100.0))
    assert counted.of_mean == "equal"
    assert replace(counted, reference=90).of_mean == "ours +10"
    inside = ReferenceRow(
        "R9", "base", parse_quantity("test accuracy"), None, 50, OurFigure((49.0, 51.0), 50.0, (49, 51), (40, 60))
    )
    assert (inside.of_mean, inside.of_seed) == ("inside", "inside")
    outside = replace(inside, reference=55.0)
    assert (outside.of_mean, outside.of_seed) == ("above", "inside")


def test_a_new_seed_lies_inside_19_times_in_20() -> None:
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(2000):
        *values, new = rng.normal(10, 3, 6)
        found = prediction(values)
        assert found is not None
        hits += found[0] <= new <= found[1]
    assert 0.93 < hits / 2000 < 0.97
    assert prediction([1.0]) is None


def test_a_classifier_along_training(classifier: Reproduction, store: Store) -> None:
    assert classifier.comparison is None
    history = [store.open(run).history() for run in classifier.runs["base"]]
    found = row(classifier, "test accuracy", 1).ours
    assert found is not None
    assert found.mean == pytest.approx(100 * np.mean([entries[1]["test_accuracy"] for entries in history]))
    assert found.over == "seeds"
    assert row(classifier, "test accuracy", 15).ours is None
    loss = row(classifier, "train loss", 1).ours
    assert loss is not None
    assert loss.mean == pytest.approx(np.mean([entries[1]["train_loss"] for entries in history]))
    assert row(classifier, "seconds", 1).ours is not None
    counted = float(classifier.parameters["base"]["total"])
    assert row(classifier, "parameters").ours == OurFigure((counted,), counted)


@pytest.mark.parametrize("kind", ["language", "classifier"])
def test_the_report(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    made: Reproduction = request.getfixturevalue(kind)
    document = reproduction_document(made)
    [path] = write_document(document, tmp_path / "report.html")
    page = path.read_text()
    assert f"oratory reproduce {made.recipe.name} --seeds 0,1,2" in page
    assert "Along training" in page
    drawn = {figure.name for figure in document.figures}
    assert (
        {"along-test-accuracy", "along-train-loss"} <= drawn
        if kind == "classifier"
        else "along-perplexity-obama" in drawn
    )


def test_it_can_be_opened_again(language: Reproduction, classifier: Reproduction, store: Store) -> None:
    for made in (language, classifier):
        assert load_reproduction(made.recipe.name, store).to_dict() == made.to_dict()
    path = store.folder / "reproductions" / f"{language.recipe.name}.json"
    kept = read_record(path)
    write_record(path, kept | {"corpus": kept["corpus"] | {"source": {"data": language.source}}})  # As it was.
    assert load_reproduction(language.recipe.name, store).to_dict() == language.to_dict()
    with pytest.raises(InputError, match="oratory reproduce cls does that"):
        load_reproduction("cls", store)


def test_studies_are_found() -> None:
    assert study_names() == ("ensembles", "maps", "reweight")


def test_sanity_maps(classifier: Reproduction) -> None:
    study = classifier.study
    assert isinstance(study, MapsResult)
    assert set(study.maps) == set(classifier.runs)
    for found in study.maps.values():
        assert found["short"].padding == 0  # The tiny model has room for eight tokens.
        assert found["long"].cut
        assert all(maps.before is not None and maps.passed for maps in found.values())
    checks = 2 * 5 * 2 * len(study.maps)  # Texts, checks, and before and after.
    assert study.sentences() == [
        f"{checks} of {checks} sanity checks passed, over all layers and heads, before and after training."
    ]
    assert len(study.pictures()) == 2 * len(study.maps)
    [section] = [each for each in reproduction_document(classifier).sections if each.title == "Sanity maps"]
    assert len(section.figures) == 2 * len(study.maps)


@pytest.mark.parametrize("name", ["best-lm", "best-classifier"])
def test_ensembles(name: str, corpus: Corpus, store: Store) -> None:
    length = {"train.iterations": "2", "train.eval_every": "2"} if name == "best-lm" else {"train.epochs": "1"}
    recipe = load_recipe(name)
    small = tuple(replace(each, settings={**each.settings, "width": "8", **length}) for each in recipe.variants)
    planned = PlannedRecipe(replace(recipe, variants=small).changed({"context": "8"}), corpus, (0, 1))
    made = run_recipe(planned, store, here)
    assert isinstance(made.study, EnsemblesResult)
    variants = made.study.to_dict()["variants"]
    wholes = {variant: f"{variant}, ensemble of 2" for variant in made.runs}
    hybrids = [f"{whole}, hybrid with n-grams" for whole in wholes.values()] if name == "best-lm" else []
    assert set(variants) == {*wholes.values(), *hybrids}
    for variant, whole in wholes.items():
        tables = [store.open(found).items() for found in made.runs[variant]]
        if name == "best-lm":
            p = np.exp(-np.stack([np.array(table["nats"], np.float64) for table in tables])).mean(axis=0)
            by_hand = float(np.exp(-np.log(p).mean()))
        else:
            test = np.array(tables[0]["split"].to_pylist()) == "test"
            mean = np.mean([np.stack(table["probabilities"].to_numpy()) for table in tables], axis=0)
            by_hand = float((mean.argmax(1) == np.array(tables[0]["label"]))[test].mean())
        assert variants[whole]["all"]["mean"] == pytest.approx(by_hand, rel=1e-6)
    assert "Ensembles" in [section.title for section in reproduction_document(made).sections]
    with pytest.raises(InputError, match="needs finished runs"):
        explain("ensembles", {"base": []}, corpus)


def test_why_reweighting_explodes(corpus: Corpus, store: Store) -> None:
    made = run("r3-reweight", LINES | {"heads": "2", "train.lr": "0.01"}, corpus, store, seeds=2)
    explained = made.study
    assert isinstance(explained, ReweightResult)
    base, token = explained.of("base", "alone"), explained.of("reweight-per-token", "alone")
    for found in (base, token):
        among = explained.of(found.model, "among others")
        for text, nats in found.nats.items():
            assert nats == pytest.approx(among.nats[text], abs=1e-4), "a sentence's company must not matter"
    alone, among = explained.of("reweight", "alone"), explained.of("reweight", "among others")
    assert all(2 < there / here < 12 for here, there in zip(alone.weight, among.weight, strict=True))
    assert alone.nats["held out"] != pytest.approx(among.nats["held out"], abs=1e-4)
    assert explained.of("reweight", "alone, off at inference").weight == (1.0, 1.0)
    assert explained.leaks["base"] == pytest.approx((0.0, 0.0), abs=1e-6)
    assert explained.leaks["reweight-per-token"] == pytest.approx((0.0, 0.0), abs=1e-6)
    assert min(explained.leaks["reweight"]) > 1e-5
    assert len(explained.sentences()) == 5
    assert made.to_dict()["explained"] == explained.to_dict()
    runs = made.open_runs()
    paired = explain("reweight", runs | {"base": runs["base"][1:]}, corpus)
    assert isinstance(paired, ReweightResult)
    assert all(len(values) == 1 for values in paired.leaks.values()), "a seed that failed is left out for all models"
    with pytest.raises(InputError, match="a seed that every variant was trained with"):
        explain("reweight", runs | {"base": []}, corpus)
    with pytest.raises(InputError, match="needs runs of the variant 'reweight'"):
        explain("reweight", {"base": runs["base"]}, corpus)
    assert row(made, "line perplexity: normal", variant="reweight").ours is not None


def test_a_study_is_kept_beside_the_runs(corpus: Corpus, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    made = run("r3-reweight", LINES | {"heads": "2", "train.lr": "0.01"}, corpus, store, seeds=2)
    [path] = (store.folder / "studies").glob("reweight-*.json")
    done: list[int] = []

    def again(runs: Mapping[str, Sequence[Run]], corpus: Corpus) -> ReweightResult:
        done.append(len(runs["base"]))
        assert isinstance(made.study, ReweightResult)
        return made.study

    monkeypatch.setattr(reweight, "explain", again)
    assert load_reproduction("r3-reweight", store).to_dict() == made.to_dict()
    assert done == []
    path.write_text(path.read_text().replace('"batch": ', '"batch": 1'))
    assert load_reproduction("r3-reweight", store).to_dict() == made.to_dict()
    assert done == [2], "a file that is damaged is not believed"
    runs = made.open_runs()
    explain("reweight", {name: found[:1] for name, found in runs.items()}, corpus, store.folder)
    assert done == [2, 1], "other models have a result of their own"


def test_the_estimate_uses_what_the_store_has(language: Reproduction, store: Store) -> None:
    recipe, fingerprint = language.recipe, language.fingerprint
    runs = planned_runs(recipe, fingerprint, range(5))
    found = estimate([*runs, *runs], store, never, workers=2)
    assert (found.runs, found.had, found.recorded, found.scaled, found.timed) == (4, 6, 4, 0, 0)
    assert found.sentence().endswith("The estimate rests on the recorded seconds of runs with other seeds (4).")
    recorded = [store.open(run).record.seconds or 0.0 for runs in language.runs.values() for run in runs]
    assert found.seconds == pytest.approx(4 * np.mean(recorded) / 2, rel=0.5)
    nothing = estimate(planned_runs(recipe, fingerprint, range(3)), store, never)
    assert nothing.sentence() == "All 6 runs are in the store."
    longer = planned_runs(recipe.changed(LM | {"train.iterations": "8"}), fingerprint, range(1))
    twice = estimate(longer, store, never, workers=1)
    assert (twice.runs, twice.had, twice.scaled) == (2, 0, 2)
    assert 4 * min(recorded) <= twice.seconds <= 4 * max(recorded)
