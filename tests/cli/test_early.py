"""What can be known at once is said at once: a name that is wrong is refused before torch is loaded."""

import json
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import get_type_hints

import pytest

from oratory.mechanisms import REGISTRY, Registry
from oratory.mechanisms.kinds import KINDS
from oratory.mechanisms.unloaded import stand_in
from oratory.training.origins import origins

WITHOUT_TORCH = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name == "torch":
            raise AssertionError("torch is loaded")

sys.meta_path.insert(0, Refuse())
from oratory.cli import main

answers = {}
for words in json.load(sys.stdin):
    sys.argv = ["oratory", *words.split()]
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main()
        except SystemExit as left:
            answers[words] = [left.code, out.getvalue(), err.getvalue()]
        except AssertionError as error:
            answers[words] = [None, out.getvalue(), str(error)]
print(json.dumps(answers))
"""
NEED_TORCH = "mechanisms position"

TYPOS = {
    "train classifier positon=rope": "There is no setting 'positon'. Did you mean 'position'?",
    "train classifier position=ropee": "There is no position 'ropee'. Did you mean 'rope'?",
    "train classifier layers=many": "layers: 'many' is not a whole number.",
    "train classifier train.optimizer=adamm": "There is no train.optimizer 'adamm'. Did you mean 'adam'?",
    "train clasifier": "There is no task 'clasifier'. Did you mean 'classifier'?",
    "train classifier --data nowhere": "nowhere does not exist",
    "compare position=learned position=bogus": "The variant 'position=bogus' cannot be compared",
    "search position=rope,alibii": "There is no position 'alibii'. Did you mean 'alibi'?",
    "finetune minilm train.lrr=1": "There is no setting 'train.lrr'. Did you mean 'train.lr'?",
    "score nothing text": "There is no run 'nothing'",
    "attend nothing text": "There is no run 'nothing'",
    "report nothing": "There is no run, comparison, atlas, ensemble, scale, search or recipe 'nothing'.",
    "report r2-windw": "Did you mean 'r2-window'?",
    "report last --out report.docx": "report.docx does not say what to write",
    "reproduce r2-windw": "There is no recipe 'r2-windw'. Did you mean 'r2-window'?",
    "reproduce r2-window --set layrs=1": "There is no setting 'layrs'. Did you mean 'layers'?",
    "train lm layers=0": "layers=0: it must be at least 1.",
    "train lm heads=3": "width=64 cannot be shared out among heads=3",
    "train lm dropout=1": "dropout=1.0: it must be at least 0 and below 1.",
    "train lm lr=1": "There is no setting 'lr'. Did you mean 'train.lr'?",
    "train lm layers": "The setting 'layers' has no value; write layers=VALUE.",
    "train lm rope": "'rope' is not a setting; write key=value.",
    "compare position=learned": "A comparison needs at least two variants",
    "compare layers=1 layers=1": "The variant 'layers=1' is given twice.",
    "compare base layers=2 --set layers=3": "layers is given for all variants, and again for",
    "scale positon=rope": "There is no setting 'positon'. Did you mean 'position'?",
    "atlas --only positon": "There is no kind of mechanism 'positon'. Did you mean 'position'?",
    "ensemble nothing": "There is no run 'nothing'",
    "calibrate --like nothing": "There is no run 'nothing'",
    "attend last": "Say what to look at: a text, or --heads, or --ablate.",
    "attend last text --out maps.doc": "maps.doc must end in .png",
    "score last text --out maps.doc": "maps.doc must end in .svg, .html, .pdf, .md, .tex, .csv or .parquet.",
    "demo nowhere": "nowhere does not exist",
    "demo --set layrs=1": "There is no setting 'layrs'. Did you mean 'layers'?",
    "check nowhere.py": "nowhere.py does not exist",
    "trian lm": "There is no command 'trian'. Did you mean 'train'? See: oratory -h",
    "train lm --sed 1": "There is no option --sed. Did you mean '--seed'? See: oratory train -h",
    "train lm --seed one": "--seed: a whole number is needed. See: oratory train -h",
    "settings positon": "There is no setting 'positon'. Did you mean 'position'?",
    "compare base layers=2 --metric acuracy": "There is no metric of a classifier 'acuracy'. Did you mean 'accuracy'",
    "compare base layers=2 --on lcal": "There is no place 'lcal'. Did you mean 'local'?",
    "compare base layers=2 --workers 0": "--workers 0: at least one is needed.",
    "compare base layers=2 --seeds 0,0": "The seeds must be different from each other",
    "compare base layers=2 --tune train.lrr=1,2": "There is no setting 'train.lrr'. Did you mean 'train.lr'?",
    "compare base layers=2 --tune optimizer=adam,adamm": "There is no train.optimizer 'adamm'",
    "compare base layers=2 --tune lr=1,2 --tune-trials 0": "--tune-trials 0: at least one point is needed.",
    "compare base layers=2 --tune-trials 3": "--tune-trials says how much of --tune is tried",
    "compare base position=rope(bse=2)": "There is no parameter of rope 'bse'. Did you mean 'base'?",
    "compare base layers=2 --data nowhere": "nowhere does not exist",
    "compare base context=32 --model minilm --set engine=hff": "There is no engine 'hff'. Did you mean 'hf'?",
    "search train.lr=1,2 --method gird": "There is no method 'gird'. Did you mean 'grid'?",
    "search train.lr=1,2 --trials 9": "The space has no more than 2 points",
    "search train.lr=1,2 --on lcal": "There is no place 'lcal'",
    "search train.lr=1,2 --data nowhere": "nowhere does not exist",
    "scale --metric acuracy": "There is no metric of a classifier 'acuracy'",
    "scale --sizes 0.5,0.1": "give two or more different shares, the smallest first.",
    "scale --workers 0": "--workers 0: at least one is needed.",
    "atlas --metric acuracy": "There is no metric of a classifier 'acuracy'",
    "atlas --tune lrr=1,2": "There is no setting 'lrr'",
    "atlas --tune-trials 3": "--tune-trials says how much of --tune is tried",
    "atlas --only pool --task lm": "--only pool: it changes nothing in a language model.",
    "atlas --stack nothing": "There is no atlas 'nothing'",
    "ensemble last --size 1": "--size 1: an ensemble has at least two runs.",
    "calibrate --trials 0": "--trials 0: at least 100 are needed",
    "reproduce r2-window --on lcal": "There is no place 'lcal'",
    "reproduce r2-window --data nowhere": "nowhere does not exist",
    "bench lm-updte": "There is no work 'lm-updte'. Did you mean 'lm-update'?",
    "train lm --track wandbb": "There is no tracker 'wandbb'. Did you mean 'wandb'?",
    "train lm --resume nothing": "There is no run 'nothing'",
    "train lm position=rope(base=x)": "rope(base=...): 'x' is not a number.",
    "finetune minilm --task lm": "A published model can be fine-tuned as a classifier, not as lm.",
    "demo --seeds 0": "--seeds: at least 1 is needed. See: oratory demo -h",
    "serve --port 99999": "--port: at most 65535 is possible. See: oratory serve -h",
    "baselines --data sotu": "There is no option --data; write the value alone, as in oratory baselines DATA.",
    "attend last --text hello": "There is no option --text; write the value alone, as in oratory attend RUN TEXT.",
}
"""What is written, and what is answered."""
ANSWERS = ["runs list", "runs list --comparisons", "bench --list", "reproduce", "settings -h"]
"""What is no typo, and is answered without torch too."""


@pytest.mark.slow
def test_what_can_be_known_without_torch_is_answered_without_it(tmp_path: Path) -> None:
    """In one process, because starting a hundred of them would take a minute."""
    asked = json.dumps([*TYPOS, *ANSWERS, NEED_TORCH])
    ran = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH], input=asked, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    answers = json.loads(ran.stdout)
    typos = {words: answers[words] for words in TYPOS}
    assert {words: said for words, (_, _, said) in typos.items() if TYPOS[words] not in said} == {}
    assert {words for words, (code, _, _) in typos.items() if code != 2} == set()
    assert {words: answers[words] for words in ANSWERS if answers[words][0] != 0} == {}
    assert answers[NEED_TORCH] == [None, "", "torch is loaded"]  # So what loads it is noticed.
    assert not list(tmp_path.iterdir())


def test_names_without_loading_are_the_names() -> None:
    unloaded = Registry()
    for kind in KINDS:
        assert unloaded.names(kind) == list(REGISTRY[kind])
    assert unloaded._loaded is None


def test_parameters_without_loading_are_the_parameters() -> None:
    for kind in KINDS:
        for name, cls in REGISTRY[kind].items():
            hints = get_type_hints(cls)
            real = [(field.name, hints[field.name], field.default) for field in fields(cls)]
            file = f"oratory.mechanisms.{kind}.{name.replace('-', '_')}"
            assert [(field.name, field.type, field.default) for field in fields(stand_in(file))] == real


def test_settings_without_their_choices_are_the_settings() -> None:
    for origin in origins():
        assert list(origin.known().items()) == [(setting.name, setting.type) for setting in origin.settings()]
