"""The demo: a corpus with its audit and baselines, a paired comparison, a language model, and attention maps."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from oratory.comparisons import Comparison, Design, compare, parse_variants
from oratory.comparisons.make import Listener
from oratory.comparisons.standing import BASELINES
from oratory.execution.local import Local, start_server
from oratory.execution.train import train
from oratory.inspect import attend
from oratory.pictures import Curves, Drawn, Topic
from oratory.reports.comparison import comparison_sections
from oratory.reports.document import Document, Figure, Section, section_of
from oratory.reports.maps import picture
from oratory.reports.overview import overview
from oratory.runs import Run, Store
from oratory.text import Audit, Corpus, Description, audit, describe
from oratory.training.baselines import Baselines, measure_baselines
from oratory.training.tasks import task_of

VARIANTS = ("position=learned", "position=rope", "position=none")
CLASSIFIER = {"layers": "2", "train.epochs": "5", "train.batch": "32", "train.eval_train": "off"}
LANGUAGE = {"layers": "2", "train.iterations": "300", "train.eval_every": "100", "train.eval_train": "off"}


@dataclass(frozen=True)
class Demo:
    """What the demo found."""

    corpus: Description
    audit: Audit
    baselines: Baselines
    comparison: Comparison | None
    language: Run | None
    document: Document

    def to_dict(self) -> dict[str, Any]:
        return {
            "corpus": self.corpus.to_dict(),
            "audit": self.audit.to_dict(),
            "baselines": self.baselines.to_dict(),
            "comparison": self.comparison.to_dict() if self.comparison else None,
            "language": self.language.to_dict() if self.language else None,
        }


def demo(
    corpus: Corpus,
    store: Store,
    command: str,
    *,
    seeds: int = 5,
    settings: Mapping[str, str] | None = None,
    say: Callable[[str], None] = lambda text: None,
    listen: Listener | None = None,
) -> Demo:
    """Run the demo. A corpus with labelled texts has a comparison, one with running text has a language model."""
    given = dict(settings or {})
    start_server()
    described = describe(corpus)
    say("Auditing the corpus ...")
    audited = audit(corpus)
    say("Measuring the baselines ...")
    measured = measure_baselines(corpus, keep=store.folder / BASELINES)
    document = overview(described, audited, measured, command)
    sections = list(document.sections)
    comparison, language, repeat = None, None, None
    if corpus.classifier and corpus.classifier.test:
        say(f"Comparing {', '.join(VARIANTS)}: {seeds} seeds each ...")
        variants = parse_variants(VARIANTS)
        design = Design(task_of("classifier"), corpus, variants, tuple(range(seeds)), CLASSIFIER | given)
        comparison = compare(design, store, Local(), listen)
        *shown, repeat = comparison_sections(comparison)
        sections = [*shown, *sections]
        sections.append(_maps(store.open(str(comparison.variants[0].runs[0])), corpus.classifier.test.texts))
    if corpus.lm and corpus.lm.tests:
        say("Training a language model ...")
        language = train("lm", corpus, LANGUAGE | given, runs=store.folder)
        sections.append(_language(language, measured))
        sections.append(_maps(language, next(iter(corpus.lm.tests.values()))))
    sections += [repeat] if repeat else []
    lead = "A corpus and its leaks, the baselines, whether a change to the model helped, and what the models attend to."
    return Demo(described, audited, measured, comparison, language, replace(document, lead=lead, sections=sections))


def _language(run: Run, baselines: Baselines) -> Section:
    """A language model, compared with n-grams."""
    results = run.task.results
    history = [entry for entry in run.history() if entry["step"]]
    xs = [float(entry[results.place]) for entry in history]
    tests = [curve for curve in results.curves(history) if curve.name not in ("train", "dev")]
    series = {curve.name: (xs, [curve.values(history)]) for curve in tests}
    metric = run.task.metric()
    sentences = []
    for baseline, values in metric.of_baselines(baselines.of_tasks[run.task.name], dict.fromkeys(series, 1.0)).items():
        for name in series:
            ours, best = metric.value(metric.of_result(run.result[name])), values[name]
            if best is not None:
                word = "below" if ours < best else "above"
                shown, of_best = metric.show_value(ours, 0), metric.show_value(best, 0)
                sentences.append(f"{name}: {shown}, {word} the {of_best} of {baseline}.")
    picture = Curves(series, results.place_label, metric.column, log=metric.logarithmic)
    topic = Topic(
        "A language model",
        "Perplexity of the test texts while a small decoder learns. Every token is scored once.",
        sentences=tuple(sentences),
        figures=(Drawn("language-curves", picture, "Perplexity of each test text; one seed."),),
        tables=tuple(run.results()),
    )
    return section_of(topic)


def _maps(run: Run, texts: tuple[str, ...]) -> Section:
    """The attention maps of a run for a text of moderate length."""
    fitting = [text for text in texts if 8 <= len(text.split()) <= 14] or list(texts)
    maps = attend(run, fitting[0], before=True)
    layer = attend(run, fitting[0], before=True, layer=run.config.layers - 1)
    drawn = picture(layer, "").decode()
    passed = all(check.passed for check in maps.after.checks)
    checks = "every sanity check passed" if passed else "a sanity check failed"
    return Section(
        f"What the {run.task.noun} looks at",
        f"The last layer of {run.id}, before and after training; {checks} (rows sum to one, no weight on padding or "
        "on the future, the maps are those of the forward pass).",
        figures=[Figure(f"maps-{run.task}", drawn, f"Rows are queries, columns keys: {maps.text}")],
    )
