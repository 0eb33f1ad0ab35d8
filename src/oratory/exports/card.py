"""The model card of a fine-tuned run: what it was made from, how, how well it does, and what its limits are."""

import json
import re
from pathlib import Path

from oratory.runs import Run
from oratory.tables import in_markdown
from oratory.training.origins.published.config import DEFAULT
from oratory.training.tasks.card import TaskCard

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
"""What the hub calls the model that comes as a package."""


def model_card(run: Run, needs_code: bool) -> str:
    """README.md, as the hub and people read it."""
    card = run.task.card(run)
    parts = [_about(run, card), f"# {run.id}", _summary(run, card), _use(run, card, needs_code), _data(run, card)]
    return "\n\n".join([*parts, f"## Figures\n\n{card.figures}", _limits(card), _settings(run)]) + "\n"


def _about(run: Run, card: TaskCard) -> str:
    """What machines read, in front of the text."""
    lines = ["---", "library_name: transformers", f"pipeline_tag: {card.pipeline}", "tags:", "- oratory"]
    return "\n".join([*lines, f"base_model: {_quoted(_base(run))}", "---"])


def _quoted(text: str) -> str:
    """A text as YAML reads it, in which nothing is markup for those who take the head for Markdown."""
    return '"' + re.sub(r"[^\w ./-]", lambda found: f"\\U{ord(found[0]):08x}", text, flags=re.ASCII) + '"'


def _base(run: Run) -> str:
    """The published model as others may call it: without the folders of this machine."""
    name = str(run.settings["model"])
    return MINILM if name == DEFAULT else Path(name).name if Path(name).is_absolute() else name


def _summary(run: Run, card: TaskCard) -> str:
    settings = run.settings
    base, weights, version = map(in_markdown, (_base(run), str(settings["weights"]), run.record.versions["oratory"]))
    how = "through transformers" if settings["engine"] == "hf" else "through Oratory's own modules"
    return (
        f"{card.made_for}: {base} (weights {weights}), fine-tuned by "
        f"Oratory {version} {how}, for {run.step:,} updates with seed {run.seed}."
    )


def _use(run: Run, card: TaskCard, needs_code: bool) -> str:
    more = ", trust_remote_code=True" if needs_code else ""
    why = "\n\nThe mean token is classified, which no class of transformers does; `modeling_mean.py` does it."
    loaded = f'pipeline("{card.pipeline}", model="this folder"{more})'
    return (
        f"```python\nfrom transformers import pipeline\n\n{card.use.replace('PIPELINE', loaded)}\n```\n\n"
        f"Texts are cut to {run.settings['context']} tokens with `truncation=True`, as in training."
    ) + (why if needs_code else "")


def _data(run: Run, card: TaskCard) -> str:
    name, fingerprint = in_markdown(run.record.corpus.name), in_markdown(run.fingerprint)
    return (
        f"## Data\n\nThe corpus {name} (fingerprint {fingerprint}): {card.sizes}. "
        + ("The weights are those that did best on dev. " if run.settings["train.keep"] == "best" else "")
        + "Test was measured once, at the end."
    )


def _limits(card: TaskCard) -> str:
    said = [
        *card.limits,
        "The figures are of one seed on one corpus: another seed, and texts of another kind, give others.",
        "What the published model has learned, right or wrong, is still in it, and its licence still holds.",
    ]
    return "## Limits\n\n" + "\n".join(f"- {line}" for line in said)


def _settings(run: Run) -> str:
    settings = run.settings | {"model": _base(run), "tokenizer": f"pretrained:{_base(run)}"}
    rows = "\n".join(f"| {in_markdown(name)} | {in_markdown(json.dumps(value))} |" for name, value in settings.items())
    return f"## Settings\n\n| setting | value |\n|---|---|\n{rows}"
