"""The main job, small: a corpus and its audit, baselines, a paired comparison, a language model, and attention maps."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from oratory.baselines import Baselines, measure_baselines
from oratory.comparison import Design, Local, parse_variants
from oratory.inspect import attend
from oratory.lab.compare import Compared, Listener, compare_design
from oratory.pictures import Curves
from oratory.report import Document, Figure, Section, draw
from oratory.report.comparison import comparison_sections
from oratory.report.maps import picture
from oratory.report.overview import overview
from oratory.runs import Run, Store
from oratory.runs import train as train_run
from oratory.text import Audit, Corpus, Description, audit, describe

VARIANTS = ("position=learned", "position=rope", "position=none")
CLASSIFIER = {"layers": "2", "train.epochs": "5", "train.batch": "32", "train.eval_train": "off"}
LANGUAGE = {"layers": "2", "train.iterations": "300", "train.eval_every": "100", "train.eval_train": "off"}


@dataclass(frozen=True)
class Demo:
    """Everything the demo found."""

    corpus: Description
    audit: Audit
    baselines: Baselines
    comparison: Compared | None
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
    """Do what the data allow: a corpus may have labelled texts, running text, or both."""
    given = dict(settings or {})
    described = describe(corpus)
    say("Auditing the corpus ...")
    audited = audit(corpus)
    say("Measuring the baselines ...")
    measured = measure_baselines(corpus)
    document = overview(described, audited, measured, command)
    sections = list(document.sections)
    comparison, language, repeat = None, None, None
    if corpus.classifier and corpus.classifier.test:
        say(f"Comparing {', '.join(VARIANTS)}: {seeds} seeds each ...")
        design = Design("classifier", corpus, parse_variants(VARIANTS), tuple(range(seeds)), CLASSIFIER | given)
        comparison = compare_design(design, store.folder, Local(), listen)
        *shown, repeat = comparison_sections(comparison, store)
        sections = [*shown, *sections]
        sections.append(_maps(store.open(str(comparison.variants[0].runs[0])), corpus.classifier.test.texts))
    if corpus.lm and corpus.lm.tests:
        say("Training a language model ...")
        language = train_run("lm", corpus, LANGUAGE | given, runs=store.folder)
        sections.append(_language(language, measured))
        sections.append(_maps(language, next(iter(corpus.lm.tests.values()))))
    sections += [repeat] if repeat else []
    lead = "A corpus, what it leaks, what a model must beat on it, whether a change helped, and what it looks at."
    return Demo(described, audited, measured, comparison, language, replace(document, lead=lead, sections=sections))


def _language(run: Run, baselines: Baselines) -> Section:
    """A language model beside the n-grams."""
    history = [entry for entry in run.history() if entry["step"]]
    texts = [name for name in run.result if name not in ("train", "dev")]
    series = {
        name: ([float(entry["step"]) for entry in history], [[entry["perplexity"][name] for entry in history]])
        for name in texts
    }
    drawn = draw(Curves(series, "update", "perplexity", log=True))
    sentences = []
    if baselines.chosen:
        for name in texts:
            best = baselines.lm[baselines.chosen].texts[name].perplexity
            ours = run.result[name]["perplexity"]
            word = "below" if ours < best else "above"
            sentences.append(f"{name}: {ours:,.0f}, {word} the {best:,.0f} of {baselines.chosen}.")
    return Section(
        "A language model",
        "Perplexity of the test texts while a small decoder learns. Every token is scored once.",
        sentences=sentences,
        figures=[Figure("language-curves", drawn, "Perplexity of each test text; one seed.")],
        tables=run.results(),
    )


def _maps(run: Run, texts: tuple[str, ...]) -> Section:
    """What the model of a run attends to in a text that fits its context and reads well."""
    fitting = [text for text in texts if 8 <= len(text.split()) <= 14] or list(texts)
    maps = attend(run, fitting[0], before=True)
    layer = attend(run, fitting[0], before=True, layer=run.config.layers - 1)
    drawn = picture(layer, "").decode()
    checks = (
        "every sanity check passed" if all(check.passed for check in maps.after.checks) else "a sanity check failed"
    )
    return Section(
        f"What the {'classifier' if run.task == 'classifier' else 'language model'} looks at",
        f"The last layer of {run.id}, before and after training; {checks} (rows sum to one, nothing on padding or the "
        "future, the maps are what ran).",
        figures=[Figure(f"maps-{run.task}", drawn, f"Rows are queries, columns keys: {maps.text}")],
    )
