"""A small corpus without dev, and settings of runs that take no time."""

from pathlib import Path

SMALL = {"layers": "1", "width": "8", "context": "8", "train.threads": "1", "train.eval_train": "off"}
LM = SMALL | {"train.iterations": "6", "train.eval_every": "6", "train.batch": "4"}
CLASSIFIER = SMALL | {"train.epochs": "2", "train.batch": "5"}
SETTINGS = {"lm": LM, "classifier": CLASSIFIER}

_LINES = [
    "We will go on, and we will go on together.",
    "Yes, we can.",
    "The state of our union is strong!",
    "God bless you all, and thank you.",
    "Our union is new, and it is old.",
    "Freedom will prevail.",
    "Tonight I ask you to pass this law.",
    "No nation can stand alone in this world, and none should.",
    "We can, we will, we must.",
    "Thank you all.",
]


def write_corpus(folder: Path) -> Path:
    """Labelled texts and running text, in the reference layout."""
    folder.mkdir(parents=True, exist_ok=True)
    write = {
        "train_CLS.tsv": [
            f"{at % 2}\t{line} {end}" for end in ("", "Now.", "Indeed.") for at, line in enumerate(_LINES)
        ],
        "test_CLS.tsv": ["0\tyes, we can.", "1\tFreedom will prevail here.", "1\tThank you."],
        "train_LM.txt": _LINES,
        "test_LM_a.txt": ["We will go on.", "Our union is not alone, and it will prevail tonight."],
        "test_LM_b.txt": ["Thank you all.", "zounds"],
    }
    for name, lines in write.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines))
    return folder
