"""A trained model as an ONNX file, which other programs and other languages can run."""

import copy
import io
import json
import logging
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, fields, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from oratory.errors import Failed, InputError
from oratory.files import write_bytes
from oratory.mechanisms import written_as
from oratory.model import ModelConfig, Transformer
from oratory.runs import Run
from oratory.tables import Table, Tabled
from oratory.training.tasks import task_for

NEEDS = ("onnx", "onnxscript", "onnxruntime")
INPUTS = ("input_ids", "attention_mask")
TOLERANCE = 1e-4
"""How far an output of the file may be from the model's."""


@dataclass(frozen=True)
class Exported(Tabled):
    """A file that was written, and how it was found to agree with the model."""

    path: Path
    bytes: int
    inputs: tuple[str, ...]
    output: str
    difference: float
    """The largest difference between an output of the file and that of the model."""
    tokenizer: Path | None = None
    """The file of the tokenizer, for the library `tokenizers`; None where it cannot have it."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "path": str(self.path),
            "bytes": self.bytes,
            "inputs": list(self.inputs),
            "output": self.output,
            "difference": self.difference,
            "tokenizer": None if self.tokenizer is None else str(self.tokenizer),
        }

    def tables(self) -> list[Table]:
        tokenizer = str(self.tokenizer) if self.tokenizer else "not written: use run.tokenizer.encode of Oratory"
        rows = (
            ("tokenizer", tokenizer),
            ("file", str(self.path)),
            ("bytes", f"{self.bytes:,}"),
            ("inputs", ", ".join(self.inputs)),
            ("output", self.output),
            ("largest difference to the model", f"{self.difference:.1e}"),
        )
        return [Table("ONNX", ("what", "value"), rows, words=2)]


def export_onnx(what: Run | Transformer, path: str | os.PathLike[str]) -> Exported:
    """Write a model as ONNX, for any number of texts of any length, and try it against the model.

    Inputs are named as in transformers: `input_ids` (texts, tokens), and but for a causal model of tokens
    `attention_mask`, which is 0 for padding. Such a model sees nothing after a token, so padding at the end of a text
    does not matter there. Where the library `tokenizers` can have a run's tokenizer, it is written beside the file.
    """
    missing = [name for name in NEEDS if find_spec(name) is None]
    if missing:
        raise InputError(f"ONNX needs {' and '.join(missing)}: pip install 'oratory[onnx]'")
    if isinstance(what, Run):
        what.result  # noqa: B018 - refuses a run that is not finished
    model = copy.deepcopy(what.model if isinstance(what, Run) else what).cpu().float().eval()
    with _quiet():
        program = _followed(model)
    content = _with_facts(program.model_proto, model.config, what if isinstance(what, Run) else None)
    difference = _difference(content, model)
    if not difference <= TOLERANCE:
        raise Failed(f"The ONNX file would differ from the model by {difference:.1e}, so it was not written.")
    write_bytes(Path(path), content)
    tokenizer = _write_tokenizer(what, Path(path)) if isinstance(what, Run) else None
    return Exported(Path(path), len(content), _inputs(model.config), _output(model.config), difference, tokenizer)


def _write_tokenizer(run: Run, path: Path) -> Path | None:
    """Write the tokenizer as the library `tokenizers` reads it, where its kind allows; its file."""
    made = run.tokenizer.for_tokenizers()
    if made is None:
        return None
    beside = path.with_suffix(".tokenizer.json")
    write_bytes(beside, made.to_str(pretty=True).encode())
    return beside


class _Plain(nn.Module):
    """The model with tensors in and one tensor out."""

    def __init__(self, model: Transformer) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: Tensor, mask: Tensor | None = None) -> Tensor:
        logits: Tensor = self.model(ids, None if mask is None else mask > 0).logits
        return logits


def _inputs(config: ModelConfig) -> tuple[str, ...]:
    return INPUTS[:1] if config.causal and config.output != "classes" else INPUTS


def _output(config: ModelConfig) -> str:
    return "vectors" if config.output == "vectors" else "logits"


def _example(config: ModelConfig, texts: int, tokens: int) -> tuple[Tensor, ...]:
    """Ids, and a mask in which each text is shorter than the one before."""
    ids = (torch.arange(texts * tokens) * 7 % config.vocabulary).view(texts, tokens)
    lengths = (tokens - torch.arange(texts)).clamp(min=1)
    return (ids, (torch.arange(tokens) < lengths[:, None]).long())[: len(_inputs(config))]


def _followed(model: Transformer) -> Any:
    """What torch makes of the model, or an InputError that names the mechanism it cannot follow."""
    try:
        return _program(model)
    except Exception as error:  # Of many kinds, from deep inside of torch.
        found = _culprit(model.config)
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise InputError(f"A model with {found} cannot be written as ONNX; torch says: {reason}") from None


def _program(model: Transformer) -> Any:
    config = model.config
    limit = config.longest
    sizes = {0: torch.export.Dim("texts"), 1: torch.export.Dim("tokens", max=limit)}
    example = _example(config, 3, min(5, limit or 5))
    # Followed here and not by the writer, which would rather fix a size than refuse the model.
    followed = torch.export.export(_Plain(model).eval(), example, dynamic_shapes=tuple(sizes for _ in example))
    names = list(_inputs(config))
    return torch.onnx.export(
        followed, (), input_names=names, output_names=[_output(config)], dynamo=True, verbose=False, external_data=False
    )


def _culprit(config: ModelConfig) -> str:
    """The mechanism without which it would have worked; every unusual one where no single one is the reason."""
    small = replace(config, layers=1, vocabulary=min(config.vocabulary, 32))
    usual = {field.name: field.default_factory for field in fields(ModelConfig) if callable(field.default_factory)}
    unusual = {kind: found for kind, found in config.mechanisms().items() if found != usual[kind]()}
    for kind, mechanism in unusual.items():
        try:
            _program(Transformer(replace(small, **{kind: usual[kind]()})).eval())
        except Exception:  # nosec B112 (not this one, then)
            continue
        return f"{kind}={written_as(mechanism)}"
    return ", ".join(f"{kind}={written_as(mechanism)}" for kind, mechanism in unusual.items()) or "these settings"


def _with_facts(proto: Any, config: ModelConfig, run: Run | None) -> bytes:
    """The file, with what a user of it must know."""
    import onnx

    fitting = task_for(config) if run is None else run.task
    facts = {
        "task": config.kind if fitting is None else fitting.name,
        "vocabulary": config.vocabulary,
        "context": config.context,
    }
    facts |= {"longest": config.longest}
    facts |= {"run": run.id, "labels": list(run.labels)} if run else {}
    for node in proto.graph.node:
        node.ClearField("metadata_props")  # Paths of the code on this machine.
    onnx.helper.set_model_props(proto, {f"oratory.{name}": json.dumps(value) for name, value in facts.items()})
    content: bytes = proto.SerializeToString()
    return content


def _difference(content: bytes, model: Transformer) -> float:
    """The largest difference between the outputs of the file and of the model, for texts of several lengths."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    longest = model.config.longest or 2 * model.config.context
    largest = 0.0
    for texts, tokens in ((1, 1), (2, min(3, longest)), (4, longest)):
        given = _example(model.config, texts, tokens)
        names = _inputs(model.config)
        (found,) = session.run(None, {name: value.numpy() for name, value in zip(names, given, strict=True)})
        with torch.inference_mode():
            expected = _Plain(model)(*given)
        apart = (torch.from_numpy(found) - expected).abs()
        if len(given) > 1 and apart.dim() > 2:
            apart = apart[given[1] > 0]  # What the model gives for padding means nothing.
        largest = max(largest, float(apart.max()))
    return largest


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence what torch says while it exports: none of it is for our users."""
    logger = logging.getLogger("torch")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(before)
