"""The model card of a fine-tuned run: what it was made from, how, how well it does, and where it ends."""

import json
from pathlib import Path

from oratory.runs import Run
from oratory.tables import percent
from oratory.training.origins.published.model import DEFAULT

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
"""What the hub calls the model that comes as a package."""
FIGURES = ("accuracy", "accuracy_seen", "accuracy_unseen")


def model_card(run: Run, needs_code: bool) -> str:
    """README.md, as the hub and people read it."""
    parts = [_about(run), f"# {run.id}", _summary(run), _use(run, needs_code), _data(run), _figures(run)]
    return "\n\n".join([*parts, _limits(run), _settings(run)]) + "\n"


def _about(run: Run) -> str:
    """What machines read, in front of the text."""
    lines = ["---", "library_name: transformers", "pipeline_tag: text-classification", "tags:", "- oratory"]
    return "\n".join([*lines, f"base_model: {json.dumps(_base(run))}", "---"])


def _base(run: Run) -> str:
    """The published model as others may call it: without the folders of this machine."""
    name = str(run.settings["model"])
    return MINILM if name == DEFAULT else Path(name).name if Path(name).is_absolute() else name


def _summary(run: Run) -> str:
    labels, settings = ", ".join(run.labels), run.settings
    how = "through transformers" if settings["engine"] == "hf" else "through Oratory's own modules"
    return (
        f"A text classifier for the labels {labels}: `{_base(run)}` (weights {settings['weights']}), fine-tuned by "
        f"Oratory {run.record.versions['oratory']} {how}, for {run.step:,} updates with seed {run.seed}."
    )


def _use(run: Run, needs_code: bool) -> str:
    more = ", trust_remote_code=True" if needs_code else ""
    why = "\n\nThe mean token is classified, which no class of transformers does; `modeling_mean.py` does it."
    return (
        "```python\nfrom transformers import pipeline\n\n"
        f'classify = pipeline("text-classification", model="this folder"{more})\n'
        'classify("A text.", truncation=True, top_k=None)\n```\n\n'
        f"Texts are cut to {run.settings['context']} tokens with `truncation=True`, as in training."
    ) + (why if needs_code else "")


def _data(run: Run) -> str:
    corpus = run.record.corpus
    sizes = ", ".join(f"{split['items']:,} {name}" for name, split in run.result.items())
    return (
        f"## Data\n\nThe corpus `{corpus.name}` (fingerprint {corpus.fingerprint}): {sizes} texts. "
        + ("The weights are those that did best on dev. " if run.settings["train.keep"] == "best" else "")
        + "Test was measured once, at the end."
    )


def _figures(run: Run) -> str:
    header = "## Figures\n\nAccuracy in percent; *seen* are texts that stand in train too, *unseen* those that do not."
    rows = ["| split | texts | all | seen | unseen | loss |", "|---|---|---|---|---|---|"]
    for name, split in run.result.items():
        figures = " | ".join(percent(split.get(figure)) or "–" for figure in FIGURES)
        rows.append(f"| {name} | {split['items']:,} | {figures} | {split['loss']:.3f} |")
    return "\n".join([header, "", *rows])


def _limits(run: Run) -> str:
    said = [
        f"Every text gets one of {len(run.labels)} labels, also one that is of none of them.",
        f"What stands behind the first {run.settings['context']} tokens of a text has no part in its label.",
        "The figures are of one seed on one corpus: another seed, and texts of another kind, give others.",
        "What the published model has learned, right or wrong, is still in it, and its licence still holds.",
    ]
    test = run.result.get("test")
    if test and test.get("items_seen"):
        share = percent(test["items_seen"] / test["items"])
        said.insert(0, f"{share}% of the test texts stand in train: for new texts, expect the figure on the unseen.")
    return "## Limits\n\n" + "\n".join(f"- {line}" for line in said)


def _settings(run: Run) -> str:
    settings = run.settings | {"model": _base(run), "tokenizer": f"pretrained:{_base(run)}"}
    rows = "\n".join(f"| {name} | {json.dumps(value)} |" for name, value in settings.items())
    return f"## Settings\n\n| setting | value |\n|---|---|\n{rows}"
