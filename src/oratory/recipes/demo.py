"""The demo: a corpus with its audit and baselines, two paired comparisons, the best models, and attention maps."""

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from oratory.comparisons import Comparison, Design, compare, parse_variants
from oratory.comparisons.make import Listener
from oratory.comparisons.standing import BASELINES, Standing, standing_of_run
from oratory.execution.local import Local, start_server
from oratory.inspect import attend
from oratory.reports.comparison import comparison_sections
from oratory.reports.document import Document, Figure, Section, section_of
from oratory.reports.maps import picture
from oratory.reports.overview import overview
from oratory.reports.standing import standing_topic
from oratory.runs import Run, Store
from oratory.tables import counted
from oratory.text import Audit, Corpus, Description, audit, describe
from oratory.training.baselines import Baselines, measure_baselines
from oratory.training.tasks import task_of

SEEDS = 4
OWN_TEXTS = "oratory demo reviews.csv"
ELSEWHERE = f"The first command shows all of this in a browser. The same on texts of your own: {OWN_TEXTS}"


@dataclass(frozen=True)
class Question:
    """What the demo asks: whether a change helps a model."""

    asked: str
    task: str
    variants: tuple[str, ...]
    settings: Mapping[str, str]


QUESTIONS = (
    # Published tables of small decoders have ALiBi far ahead of learned positions, after few updates above all.
    Question(
        "Does ALiBi beat learned positions in a language model?",
        "lm",
        ("position=learned", "position=alibi"),
        {"layers": "2", "train.iterations": "200", "train.eval_every": "100", "train.eval_train": "off"},
    ),
    # Those of classifiers differ by less than the noise of a test of some hundred sentences.
    Question(
        "Does RoPE beat learned positions in a classifier?",
        "classifier",
        ("position=learned", "position=rope"),
        {"layers": "2", "train.epochs": "4", "train.batch": "32", "train.eval_train": "off"},
    ),
)


@dataclass(frozen=True)
class Answer:
    """A comparison, and its best run beside the baselines."""

    question: Question
    comparison: Comparison
    best: Run
    """The best on dev; the first one where there is no dev."""
    standing: Standing

    def sentences(self) -> list[str]:
        """The verdicts, and how far the best model is from the best baseline."""
        return [*self._verdicts(), *self._beside()]

    def _verdicts(self) -> list[str]:
        """The question with its answer."""
        metric, said = self.comparison.metric, []
        for variant in self.comparison.variants[1:]:
            verdict = self.comparison.verdict_text(variant)
            found = variant.whole.difference
            if found is not None:
                interval = metric.show_difference_interval(found.interval)
                verdict += f"; {metric.name} {metric.show_difference(found.mean)} (95%: {interval}), ahead with "
                verdict += f"{found.wins} of {counted(found.seeds, 'seed')}"
            said.append(f"{self.question.asked} {verdict[0].upper()}{verdict[1:]}.")
        return said

    def _beside(self) -> list[str]:
        """The best model beside the best baseline, where there is one."""
        metric, noun = self.standing.metric, self.comparison.task.noun
        known = {name: v["all"] for name, v in self.standing.baselines.items() if v.get("all") is not None}
        if not known:
            return []
        choose = max if metric.better == "higher" else min
        name = choose(known, key=lambda each: known[each] or 0.0)
        ours = metric.value(self.standing.variants[self.best.id]["all"].mean)
        word = "ahead of" if choose(ours, known[name] or 0.0) == ours else "behind"
        figure, _, unit = metric.column.partition(", ")
        return [
            f"The best small {noun} ({self.best.id}, chosen on dev) has {figure} {metric.show_value(ours)}{unit}. That "
            f"is {word} the best baseline, {name}, which has {metric.show_value(known[name])}{unit}."
        ]

    def sections(self) -> list[Section]:
        """The verdict, the best model beside its baselines, and its maps."""
        verdicts, *_ = comparison_sections(self.comparison)
        best = replace(section_of(standing_topic(self.standing)), title=f"The best small {self.comparison.task.noun}")
        return [replace(verdicts, title=self.question.asked), best, self._maps()]

    def details(self) -> list[Section]:
        """All else that there is on the comparison."""
        _, *others = comparison_sections(self.comparison)
        return [replace(section, title=f"{section.title}: {self.comparison.task.noun}") for section in others]

    def _maps(self) -> Section:
        """The attention maps of the best run for a text of moderate length, before and after training."""
        run, texts = self.best, self.comparison.task.test_texts(self.best.load_corpus())
        fitting = [text for text in texts if 8 <= len(text.split()) <= 14] or list(texts)
        maps = attend(run, fitting[0], before=True, layer=run.config.layers - 1)
        passed = all(check.passed for check in maps.after.checks)
        checks = "every sanity check passed" if passed else "a sanity check failed"
        return Section(
            f"What the {run.task.noun} looks at",
            f"The last layer of {run.id}, before and after training; {checks} (rows sum to one, no weight on padding "
            "or on the future, the maps are those of the forward pass).",
            figures=[
                Figure(f"maps-{run.task}", picture(maps, "").decode(), f"Rows are queries, columns keys: {maps.text}")
            ],
        )


@dataclass(frozen=True)
class Demo:
    """What the demo found."""

    corpus: Description
    audit: Audit
    baselines: Baselines
    document: Document
    answers: Mapping[str, Answer] = field(default_factory=dict)
    """By task: of the tasks that the corpus has texts for."""
    browser: str = ""
    """The command that shows all of it in a browser."""
    following: tuple[str, ...] = ()
    """Commands to try next, which work as they are."""

    def sentences(self) -> list[str]:
        """What was found, in short: the answers, and how much of test is in train."""
        answers = [sentence for answer in self.answers.values() for sentence in answer.sentences()]
        return [*answers, *self.audit.sentences()[:1]]

    def to_dict(self) -> dict[str, Any]:
        return {
            "corpus": self.corpus.to_dict(),
            "audit": self.audit.to_dict(),
            "baselines": self.baselines.to_dict(),
            "comparisons": {task: answer.comparison.to_dict() for task, answer in self.answers.items()},
            "best": {task: answer.best.to_dict() for task, answer in self.answers.items()},
            "sentences": self.sentences(),
        }


def demo(
    corpus: Corpus,
    store: Store,
    command: str,
    *,
    seeds: int = SEEDS,
    settings: Mapping[str, str] | None = None,
    say: Callable[[str], None] = lambda text: None,
    listen: Listener | None = None,
) -> Demo:
    """Run the demo, with the questions that the texts of the corpus allow."""
    start_server()
    described = describe(corpus)
    say("Auditing the corpus ...")
    audited = audit(corpus)
    say("Measuring the baselines ...")
    measured = measure_baselines(corpus, keep=store.folder / BASELINES)
    document = overview(described, audited, measured, command)
    answers = {}
    for question in QUESTIONS:
        task = task_of(question.task)
        if task.has(corpus, "train") and task.has(corpus, "test"):
            say(f"{question.asked} Training {len(question.variants)} x {counted(seeds, 'seed')} ...")
            answers[question.task] = _answer(question, corpus, store, seeds, dict(settings or {}), listen)
    browser = shlex.join(["oratory", "serve", "--runs", str(store.folder)])
    found = Demo(described, audited, measured, document, answers, browser, _following(answers, store))
    sections = [Section("In short", sentences=found.sentences())] if answers else []
    sections += [section for answer in answers.values() for section in answer.sections()]
    sections += [Section("What to try next", ELSEWHERE, code="\n".join([browser, *found.following]))]
    sections += [*document.sections, *(section for answer in answers.values() for section in answer.details())]
    lead = "Whether a change to the model helped, what the best models look at, what a model must beat, and what leaks."
    return replace(found, document=replace(document, lead=lead, sections=sections))


def _following(answers: Mapping[str, Answer], store: Store) -> tuple[str, ...]:
    """A command for each model that was trained, and the maps of a text of one's own."""
    tries = [(answer.best, answer.best.task.first_try) for answer in answers.values()]
    tries += [(run, ("attend", "Our union is strong.", "--out", "maps.html")) for run, _ in tries[-1:]]
    return tuple(
        shlex.join(["oratory", verb, run.id, *others, "--runs", str(store.folder)]) for run, (verb, *others) in tries
    )


def _answer(
    question: Question,
    corpus: Corpus,
    store: Store,
    seeds: int,
    given: dict[str, str],
    listen: Listener | None,
) -> Answer:
    """Compare, and choose the best run on dev."""
    task, variants = task_of(question.task), parse_variants(question.variants)
    design = Design(task, corpus, variants, tuple(range(seeds)), {**question.settings, **given})
    comparison = compare(design, store, Local(), listen)
    runs = [run for found in comparison.runs().values() for run in found]
    metric = comparison.metric
    if all("dev" in run.result for run in runs):
        choose = max if metric.better == "higher" else min
        best = choose(runs, key=lambda run: metric.of_result(run.result["dev"]))
    else:
        best = runs[0]
    return Answer(question, comparison, best, standing_of_run(best, corpus))
