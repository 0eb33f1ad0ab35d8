"""Families of published models: GPT-2, BERT, RoBERTa, Llama and Mistral.

A family is a function from the settings of a Hugging Face config.json to a blueprint: our configuration, and a table of
where each of our parts is in the files. Defaults are those of transformers. What a family can do but our mechanisms
do not do exactly is refused.

Dropout belongs to training and is left at zero. Padding comes after a text: RoBERTa itself skips padding wherever it
is when it counts positions, which is then the same.
"""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from oratory.errors import InputError
from oratory.mechanisms import Feedforward
from oratory.mechanisms.feedforward.gelu import Gelu
from oratory.mechanisms.feedforward.relu import Relu
from oratory.mechanisms.feedforward.swiglu import Swiglu
from oratory.mechanisms.norm.layer import Layer
from oratory.mechanisms.norm.rms import Rms
from oratory.mechanisms.pattern.full import Full
from oratory.mechanisms.pattern.window import Window
from oratory.mechanisms.position.rope import Rope
from oratory.model.config import ModelConfig

ACTIVATIONS: dict[str, Feedforward] = {
    "relu": Relu(),
    "gelu": Gelu(),
    "gelu_python": Gelu(),
    "gelu_new": Gelu(form="tanh"),
    "gelu_pytorch_tanh": Gelu(form="tanh"),
    "gelu_python_tanh": Gelu(form="tanh"),
}
GATES: dict[str, Feedforward] = {"silu": Swiglu(), "swish": Swiglu()}
LARGEST = 2**28
"""Beyond every real size, and small enough that the product of two is still a size."""


@dataclass(frozen=True)
class Settings:
    """What config.json says, each value checked as it is read."""

    values: Mapping[str, Any]

    def whole(self, key: str, least: int = 1) -> int:
        """A whole number that must be there."""
        value = self.values.get(key)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= LARGEST:
            raise InputError(f"{key} must be a whole number from {least} to {LARGEST}, not {json.dumps(value)}.")
        return value

    def maybe(self, key: str, absent: int | None = None) -> int | None:
        """A whole number, or none; `absent` where the key is not there at all."""
        if key not in self.values:
            return absent
        return None if self.values[key] is None else self.whole(key)

    def number(self, key: str, absent: float) -> float:
        """A number above zero."""
        value = self.values.get(key, absent)
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < math.inf:
            raise InputError(f"{key} must be a number above 0, not {json.dumps(value)}.")
        return float(value)

    def flag(self, key: str, absent: bool) -> bool:
        """True or false."""
        value = self.values.get(key, absent)
        if not isinstance(value, bool):
            raise InputError(f"{key} must be true or false, not {json.dumps(value)}.")
        return value

    def feedforward(self, key: str, absent: str, known: Mapping[str, Feedforward], hidden: int | None) -> Feedforward:
        """The feed-forward part with this activation."""
        value = self.values.get(key, absent)
        if not isinstance(value, str) or value not in known:
            raise unmatched(key, value, f"one of {', '.join(known)}")
        return replace(known[value], hidden=hidden)

    def only(self, key: str, value: Any) -> None:
        """Refuse any other value; the key may be missing."""
        given = self.values.get(key, value)
        if given != value:
            raise unmatched(key, given, json.dumps(value))


def unmatched(key: str, given: Any, right: str) -> InputError:
    """The error for what our mechanisms do not do exactly."""
    return InputError(f"{key}={json.dumps(given)} cannot be matched exactly; it must be {right}. {what_loads()}")


def what_loads() -> str:
    """The families, as a sentence."""
    return f"Families that load: {', '.join(sorted(FAMILIES))}."


@dataclass(frozen=True)
class Place:
    """The parts of ours that one part in the files holds, with {} for the number of the layer."""

    ours: tuple[str, ...]
    """More than one where they are stacked."""
    turned: bool = False
    """Whether matrices are stored transposed, inputs before outputs."""
    skipped: int = 0
    """Rows at the start that are never used."""


@dataclass(frozen=True)
class Blueprint:
    """What is to be built, and from what."""

    config: ModelConfig
    places: Mapping[str, Place]
    prefix: str
    """The beginning of the names if the model was saved with a head."""
    passed_over: str
    """A regular expression for tensors to skip: an encoder's heads, and constants of old versions."""


def gpt2(settings: Settings) -> Blueprint:
    """GPT-2 (Radford et al., 2019): pre-norm; linear maps are stored transposed; queries, keys and values are one."""
    settings.only("scale_attn_weights", True)
    settings.only("scale_attn_by_inverse_layer_idx", False)
    settings.only("add_cross_attention", False)
    config = ModelConfig(
        output="tokens",
        causal=True,
        vocabulary=settings.whole("vocab_size"),
        layers=settings.whole("n_layer"),
        heads=settings.whole("n_head"),
        width=settings.whole("n_embd"),
        context=settings.whole("n_positions"),
        norm=Layer(eps=settings.number("layer_norm_epsilon", 1e-5)),
        feedforward=settings.feedforward("activation_function", "gelu_new", ACTIVATIONS, settings.maybe("n_inner")),
        qkv_bias=True,
        tied=settings.flag("tie_word_embeddings", True),
        head_bias=False,
    )
    maps = {
        "attn.c_attn": ("attention.query", "attention.key", "attention.value"),
        "attn.c_proj": ("attention.output",),
        "mlp.c_fc": ("feedforward.up",),
        "mlp.c_proj": ("feedforward.down",),
    }
    norms = {"ln_1": "attention_norm", "ln_2": "feedforward_norm"}
    places = _whole({"wte": "tokens", "wpe": "position.table", "ln_f": "norm"}) | _by_layer("h", norms)
    for theirs, ours in maps.items():
        places[f"h.{{}}.{theirs}"] = Place(tuple(f"blocks.{{}}.{part}" for part in ours), turned=True)
    return Blueprint(config, places | _head(config), "transformer.", r"h\.\d+\.attn\.(masked_)?bias")


def bert(settings: Settings, prefix: str = "bert.", skipped: int = 0) -> Blueprint:
    """BERT (Devlin et al., 2018): post-norm, token types, and a norm after the embeddings."""
    settings.only("position_embedding_type", "absolute")
    settings.only("is_decoder", False)
    settings.only("add_cross_attention", False)
    config = ModelConfig(
        output="vectors",
        vocabulary=settings.whole("vocab_size"),
        layers=settings.whole("num_hidden_layers"),
        heads=settings.whole("num_attention_heads"),
        width=settings.whole("hidden_size"),
        context=settings.whole("max_position_embeddings", least=skipped + 1) - skipped,
        norm=Layer(place="post", eps=settings.number("layer_norm_eps", 1e-12)),
        feedforward=settings.feedforward("hidden_act", "gelu", ACTIVATIONS, settings.whole("intermediate_size")),
        qkv_bias=True,
        token_types=settings.whole("type_vocab_size"),
        embedding_norm=True,
    )
    embeddings = {
        "embeddings.word_embeddings": "tokens",
        "embeddings.token_type_embeddings": "types",
        "embeddings.LayerNorm": "embedding_norm",
    }
    layer = {
        "attention.self.query": "attention.query",
        "attention.self.key": "attention.key",
        "attention.self.value": "attention.value",
        "attention.output.dense": "attention.output",
        "attention.output.LayerNorm": "attention_norm",
        "intermediate.dense": "feedforward.up",
        "output.dense": "feedforward.down",
        "output.LayerNorm": "feedforward_norm",
    }
    positions = {"embeddings.position_embeddings": Place(("position.table",), skipped=skipped)}
    heads = r"(pooler|cls|classifier|lm_head|qa_outputs)\..*|embeddings\.(position|token_type)_ids"
    return Blueprint(config, _whole(embeddings) | positions | _by_layer("encoder.layer", layer), prefix, heads)


def roberta(settings: Settings) -> Blueprint:
    """RoBERTa (Liu et al., 2019): BERT whose positions are counted from the id after padding."""
    padding = settings.whole("pad_token_id", least=0) if "pad_token_id" in settings.values else 1
    return bert(settings, "roberta.", skipped=padding + 1)


def llama(settings: Settings) -> Blueprint:
    """Llama (Touvron et al., 2023): pre-norm by root mean square, rotary positions, gated maps, grouped heads."""
    config = _llama_like(settings, settings.maybe("num_key_value_heads"))
    bias = settings.flag("attention_bias", False)
    feedforward = replace(config.feedforward, bias=settings.flag("mlp_bias", False))
    return _llama_blueprint(replace(config, feedforward=feedforward, qkv_bias=bias, out_bias=bias))


def mistral(settings: Settings) -> Blueprint:
    """Mistral (Jiang et al., 2023): Llama with a window, which counts the token itself, as ours does."""
    settings.only("layer_types", None)
    config = _llama_like(settings, settings.maybe("num_key_value_heads", absent=8))
    size = settings.maybe("sliding_window", absent=4096)
    return _llama_blueprint(replace(config, pattern=Full() if size is None else Window(size=size)))


FAMILIES: dict[str, Callable[[Settings], Blueprint]] = {
    family.__name__: family for family in (bert, gpt2, llama, mistral, roberta)
}
"""By what config.json calls `model_type`."""


def _llama_like(settings: Settings, kv_heads: int | None) -> ModelConfig:
    return ModelConfig(
        output="tokens",
        causal=True,
        vocabulary=settings.whole("vocab_size"),
        layers=settings.whole("num_hidden_layers"),
        heads=settings.whole("num_attention_heads"),
        kv_heads=kv_heads,
        width=settings.whole("hidden_size"),
        head_size=settings.maybe("head_dim"),
        context=settings.whole("max_position_embeddings"),
        position=_rope(settings),
        norm=Rms(eps=settings.number("rms_norm_eps", 1e-6)),
        feedforward=settings.feedforward("hidden_act", "silu", GATES, settings.whole("intermediate_size")),
        out_bias=False,
        tied=settings.flag("tie_word_embeddings", False),
        head_bias=False,
    )


def _rope(settings: Settings) -> Rope:
    """Rotary positions; their settings are in an object whose name depends on the version, or beside it."""
    key = "rope_scaling" if settings.values.get("rope_scaling") else "rope_parameters"
    given = settings.values.get(key) or {}
    right = 'of the rope_type "default", with a rope_theta at most'
    known = {"rope_type", "type", "rope_theta", "partial_rotary_factor"}
    if not isinstance(given, dict) or not known.issuperset(given):
        raise unmatched(key, given, right)
    beside = {
        name: settings.values[name] for name in ("rope_theta", "partial_rotary_factor") if name in settings.values
    }
    merged = Settings(beside | given)
    if merged.values.get("rope_type", merged.values.get("type", "default")) != "default":
        raise unmatched(key, given, right)
    if merged.values.get("partial_rotary_factor") is not None:
        merged.only("partial_rotary_factor", 1.0)
    return Rope(base=merged.number("rope_theta", 10000.0))


def _llama_blueprint(config: ModelConfig) -> Blueprint:
    layer = {
        "input_layernorm": "attention_norm",
        "self_attn.q_proj": "attention.query",
        "self_attn.k_proj": "attention.key",
        "self_attn.v_proj": "attention.value",
        "self_attn.o_proj": "attention.output",
        "post_attention_layernorm": "feedforward_norm",
        "mlp.gate_proj": "feedforward.gate",
        "mlp.up_proj": "feedforward.up",
        "mlp.down_proj": "feedforward.down",
    }
    places = _whole({"embed_tokens": "tokens", "norm": "norm"}) | _by_layer("layers", layer) | _head(config)
    return Blueprint(config, places, "model.", r"(layers\.\d+\.self_attn\.)?rotary_emb\.inv_freq")


def _whole(table: Mapping[str, str]) -> dict[str, Place]:
    return {theirs: Place((ours,)) for theirs, ours in table.items()}


def _by_layer(name: str, table: Mapping[str, str]) -> dict[str, Place]:
    return {f"{name}.{{}}.{theirs}": Place((f"blocks.{{}}.{ours}",)) for theirs, ours in table.items()}


def _head(config: ModelConfig) -> dict[str, Place]:
    """A tied head is the token embedding, and has no place of its own."""
    return {} if config.tied else {"lm_head": Place(("head",))}
