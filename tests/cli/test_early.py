"""What can be known at once is said at once: a name that is wrong is refused before torch is loaded."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from oratory.mechanisms import REGISTRY, Registry
from oratory.mechanisms.kinds import KINDS
from oratory.training.origins import origins

WITHOUT_TORCH = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name == "torch":
            raise AssertionError("torch is loaded")

sys.meta_path.insert(0, Refuse())
sys.argv = ["oratory", *sys.argv[1:]]
from oratory.cli import main
main()
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("train classifier positon=rope", "There is no setting 'positon'. Did you mean 'position'?"),
        ("train classifier position=ropee", "There is no position 'ropee'. Did you mean 'rope'?"),
        ("train classifier layers=many", "layers: 'many' is not a whole number."),
        ("train classifier train.optimizer=adamm", "There is no train.optimizer 'adamm'. Did you mean 'adam'?"),
        ("train clasifier", "There is no task 'clasifier'. Did you mean 'classifier'?"),
        ("train classifier --data nowhere", "nowhere does not exist"),
        ("compare position=learned position=bogus", "The variant 'position=bogus' cannot be compared"),
        ("search position=rope,alibii", "There is no position 'alibii'. Did you mean 'alibi'?"),
        ("finetune minilm train.lrr=1", "There is no setting 'train.lrr'. Did you mean 'train.lr'?"),
        ("score nothing text", "There is no run 'nothing'"),
        ("attend nothing text", "There is no run 'nothing'"),
        ("report nothing", "There is no run, comparison, atlas, ensemble, scale, search or recipe 'nothing'."),
        ("report r2-windw", "Did you mean 'r2-window'?"),
        ("report last --out report.docx", "report.docx does not say what to write"),
        ("reproduce r2-windw", "There is no recipe 'r2-windw'. Did you mean 'r2-window'?"),
        ("reproduce r2-window --set layrs=1", "There is no setting 'layrs'. Did you mean 'layers'?"),
        ("train lm layers=0", "layers=0: it must be at least 1."),
        ("train lm heads=3", "width=64 cannot be shared out among heads=3"),
        ("train lm dropout=1", "dropout=1.0: it must be at least 0 and below 1."),
        ("train lm lr=1", "There is no setting 'lr'. Did you mean 'train.lr'?"),
        ("train lm layers", "The setting 'layers' has no value; write layers=VALUE."),
        ("train lm rope", "'rope' is not a setting; write key=value."),
        ("compare position=learned", "A comparison needs at least two variants"),
        ("compare layers=1 layers=1", "The variant 'layers=1' is given twice."),
        ("compare base layers=2 --set layers=3", "layers is given for all variants, and again for"),
        ("scale positon=rope", "There is no setting 'positon'. Did you mean 'position'?"),
        ("atlas --only positon", "There is no kind of mechanism 'positon'. Did you mean 'position'?"),
        ("ensemble nothing", "There is no run, comparison, atlas, ensemble, scale, search or recipe 'nothing'."),
        ("calibrate --like nothing", "There is no run 'nothing'"),
        ("attend last", "Say what to look at: a text, or --heads, or --ablate."),
        ("attend last text --out maps.doc", "maps.doc must end in .png"),
        ("score last text --out maps.doc", "maps.doc must end in .svg, .html, .pdf, .md, .tex, .csv or .parquet."),
        ("demo nowhere", "nowhere does not exist"),
        ("demo --set layrs=1", "There is no setting 'layrs'. Did you mean 'layers'?"),
        ("check nowhere.py", "nowhere.py does not exist"),
        ("trian lm", "There is no command 'trian'. Did you mean 'train'? See: oratory -h"),
        ("train lm --sed 1", "There is no option --sed. Did you mean '--seed'? See: oratory train -h"),
        ("train lm --seed one", "--seed: a whole number is needed. See: oratory train -h"),
        ("settings positon", "There is no setting 'positon'. Did you mean 'position'?"),
    ],
)
def test_a_typo_is_answered_without_torch(tmp_path: Path, command: Any, sentence: Any) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, *command.split()], cwd=tmp_path, capture_output=True, text=True
    )
    assert sentence in ran.stderr.replace("\n", " ")
    assert ran.returncode == 2
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_list_of_runs_needs_no_torch(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, "runs", "list"], cwd=tmp_path, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr


def test_names_without_loading_are_the_names() -> None:
    unloaded = Registry()
    for kind in KINDS:
        assert unloaded.names(kind) == list(REGISTRY[kind])
    assert unloaded._loaded is None


def test_settings_without_their_choices_are_the_settings() -> None:
    for origin in origins():
        assert list(origin.known().items()) == [(setting.name, setting.type) for setting in origin.settings()]
