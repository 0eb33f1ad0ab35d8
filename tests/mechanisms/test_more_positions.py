"""The relative and the scaled positions, against published code or the formula written out."""

import math
from dataclasses import dataclass, replace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from oratory.errors import InputError
from oratory.mechanisms import REGISTRY, Scene, Shape
from oratory.model import ModelConfig, Transformer
from oratory.model.families import Settings, llama

B, H, T, E = 2, 2, 6, 8
SHAPE = Shape(width=16, heads=H, head_size=E, layers=1, context=T, causal=True)
PLACES = torch.arange(T)


def draw(*size: int, seed: int = 0) -> Tensor:
    return torch.randn(*size, generator=torch.Generator().manual_seed(seed))


def scene(causal: bool = True) -> Scene:
    same: Any = lambda vectors: vectors  # noqa: E731
    return Scene(PLACES[None], PLACES[None], E**-0.5, causal, same, same)


def built(name: str) -> Any:
    made = REGISTRY.choose("position", name).build(SHAPE)
    for number, parameter in enumerate(made.parameters()):
        if parameter.dim() > 1 or "bias" in name:
            nn.init.normal_(parameter, generator=torch.Generator().manual_seed(number))
    return made


@torch.no_grad()
def by_pairs(found: Tensor, formula: Any) -> None:
    """Every pair of query and key, one by one."""
    wanted = torch.tensor(
        [[[[float(formula(b, h, t, s)) for s in range(T)] for t in range(T)] for h in range(H)] for b in range(B)]
    )
    torch.testing.assert_close(found.expand(B, H, T, T), wanted, atol=1e-5, rtol=0)


def test_shaw() -> None:
    made, q, k = built("shaw(span=2)"), draw(B, H, T, E), draw(B, H, T, E, seed=1)
    table = made.table.weight
    by_pairs(made.bias(q, k, scene()), lambda b, h, t, s: q[b, h, t] @ table[min(max(t - s, -2), 2) + 2] / math.sqrt(E))


def test_transformer_xl() -> None:
    made, q, k = built("transformer-xl"), draw(B, H, T, E), draw(B, H, T, E, seed=1)
    nn.init.normal_(made.content)
    nn.init.normal_(made.place)

    def wave(distance: int) -> Tensor:
        angles = torch.tensor([distance / 10000 ** (2 * i / 16) for i in range(8)])
        return made.waves(torch.cat([angles.sin(), angles.cos()])).view(H, E)  # type: ignore[no-any-return]

    u, v = (part.view(H, -1) for part in (made.content, made.place))
    by_pairs(
        made.bias(q, k, scene()),
        lambda b, h, t, s: (u[h] @ k[b, h, s] + (q[b, h, t] + v[h]) @ wave(t - s)[h]) / math.sqrt(E),
    )


def test_kerple() -> None:
    made, q = built("kerple"), draw(B, H, T, E)
    height, slope = made.height.clamp(min=0.01), made.slope.clamp(min=0.01)
    by_pairs(made.bias(q, q, scene()), lambda b, h, t, s: -height[h] * math.log(1 + float(slope[h]) * abs(t - s)))


def test_fire() -> None:
    made, q = built("fire"), draw(B, H, T, E)
    made.length.data = torch.tensor(3.0)
    bend = float(made.bend.detach())

    def formula(b: int, h: int, t: int, s: int) -> Tensor:
        share = math.log(1 + bend * abs(t - s)) / math.log(1 + bend * max(3.0, t, s))
        return made.heads(torch.relu(made.up(torch.tensor([share]))))[h]  # type: ignore[no-any-return]

    by_pairs(made.bias(q, q, scene()), formula)


def test_cope_is_that_of_x_transformers() -> None:
    x_transformers = pytest.importorskip("x_transformers.x_transformers")
    made, q, k = built("cope(most=4)"), draw(B, H, T, E), draw(B, H, T, E, seed=1)
    theirs = x_transformers.CoPE(E, H, 4, soft_onehot=False)
    theirs.pos_emb.data = made.table.data
    logits = q @ k.transpose(-1, -2) / math.sqrt(E)
    seen = torch.ones(T, T, dtype=torch.bool).tril()
    wanted = theirs(q, logits.masked_fill(~seen, -1e9))
    found = made.score(logits, q, k, scene()) - logits
    torch.testing.assert_close(found[..., seen], wanted[..., seen], atol=1e-5, rtol=0)


def test_xpos_is_that_of_x_transformers() -> None:
    x_transformers = pytest.importorskip("x_transformers.x_transformers")
    chosen = REGISTRY.choose("position", "xpos(layout=interleaved,reach=8)")
    q, k = draw(B, H, T, E), draw(B, H, T, E, seed=1)
    theirs = x_transformers.RotaryEmbedding(E, use_xpos=True, scale_base=8)
    turns, scale = theirs(PLACES)
    rotate = x_transformers.apply_rotary_pos_emb
    ours_q, ours_k = chosen.rotate(q, k, PLACES, PLACES)
    wanted = rotate(q, turns, scale) @ rotate(k, turns, scale**-1).transpose(-1, -2)
    torch.testing.assert_close(ours_q @ ours_k.transpose(-1, -2), wanted, atol=1e-5, rtol=0)
    half = REGISTRY.choose("position", "xpos(reach=8)")
    order = [*range(0, E, 2), *range(1, E, 2)]
    other_q, other_k = half.rotate(q[..., order], k[..., order], PLACES, PLACES)
    torch.testing.assert_close(other_q @ other_k.transpose(-1, -2), wanted, atol=1e-5, rtol=0)


def test_scaled_positions_are_those_of_transformers() -> None:
    utils = pytest.importorskip("transformers.modeling_rope_utils")
    from transformers import LlamaConfig

    def frequencies(kind: str, **more: Any) -> tuple[Tensor, float]:
        config = LlamaConfig(hidden_size=64, num_attention_heads=1, max_position_embeddings=32)
        config.rope_parameters = {"rope_type": kind, "rope_theta": 10000.0, "factor": 4.0, **more}
        found: tuple[Tensor, float] = utils.ROPE_INIT_FUNCTIONS[kind](config, "cpu", seq_len=32)
        return found

    share = torch.arange(0, 64, 2) / 64
    theirs, amplitude = frequencies("yarn", original_max_position_embeddings=32)
    ours = REGISTRY.choose("position", "rope-yarn(factor=4,length=32)")
    torch.testing.assert_close(ours.turns(share), theirs, atol=1e-6, rtol=1e-5)
    q = draw(1, 1, T, 64)
    plain = REGISTRY.choose("position", "rope")
    first = ours.rotate(q, q, PLACES[:1], PLACES[:1])[0][:, :, :1]
    torch.testing.assert_close(first, amplitude * plain.turn(q, PLACES[:1])[:, :, :1], atol=1e-5, rtol=0)
    ntk = REGISTRY.choose("position", "rope-ntk(factor=4)")
    base = 10000 * 4 ** (64 / 62)
    wanted = torch.tensor([base ** (-2 * i / 64) for i in range(32)])
    torch.testing.assert_close(ntk.turns(share), wanted, atol=1e-6, rtol=1e-5)
    assert float(ntk.turns(share)[-1] / plain.turns(share)[-1]) == pytest.approx(1 / 4, rel=1e-3)


def test_sandwich() -> None:
    made, q = REGISTRY.choose("position", "sandwich(waves=6)"), draw(B, H, T, E)

    def formula(b: int, h: int, t: int, s: int) -> float:
        return H / (8 * (h + 1)) * sum(math.cos((t - s) / 10000 ** (2 * i / 6)) for i in range(3))

    by_pairs(made.bias(q, q, scene()), formula)
    with pytest.raises(InputError, match="it must be even"):
        REGISTRY.choose("position", "sandwich(waves=5)").check(SHAPE)


def test_nope_in_every_nth_layer_is_that_of_transformers() -> None:
    transformers = pytest.importorskip("transformers")
    sizes = {"vocab_size": 19, "hidden_size": 16, "intermediate_size": 20, "num_hidden_layers": 4}
    heads = {"num_attention_heads": 2, "num_key_value_heads": 1, "max_position_embeddings": 12}
    ends = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
    more = {"no_rope_layer_interval": 2, "tie_word_embeddings": False, "rope_theta": 10000.0}
    chosen = transformers.SmolLM3Config(**sizes, **heads, **ends, **more)
    torch.manual_seed(0)
    theirs = transformers.SmolLM3ForCausalLM(chosen).eval()
    blueprint = llama(Settings({**sizes, **heads, "rms_norm_eps": chosen.rms_norm_eps}))
    config = replace(blueprint.config, position=REGISTRY.choose("position", "rope-nope(every=2)"))
    state, ours = theirs.state_dict(), Transformer(config, 0).eval()
    with torch.no_grad():
        for name, place in blueprint.places.items():
            for layer in range(4 if "{}" in name else 1):
                found = name if name == "lm_head" else f"model.{name.format(layer)}"
                part: Any = ours.get_submodule(place.ours[0].format(layer))
                part.weight.copy_(state[f"{found}.weight"])
    ids = torch.arange(12)[None] % 19
    torch.testing.assert_close(ours(ids).logits, theirs(ids).logits, atol=1e-5, rtol=0)
    rope = Transformer(replace(config, position=REGISTRY.choose("position", "rope")), 0).eval()
    rope.load_state_dict(ours.state_dict())
    assert (rope(ids).logits - ours(ids).logits).abs().max() > 1e-4


def test_layers_without_positions_have_no_bias_either() -> None:
    """Biases that are made once for all layers are not those of a layer without positions."""

    @dataclass(frozen=True, kw_only=True)
    class Some(type(REGISTRY.choose("position", "alibi"))):  # type: ignore[misc]
        def used(self, layer: int) -> bool:
            return layer != 1

    config = ModelConfig(output="tokens", causal=True, vocabulary=9, layers=2, heads=2, width=8, context=6)
    maps = {}
    ids = torch.arange(6)[None]
    for name, position in (("some", Some()), ("alibi", REGISTRY.choose("position", "alibi"))):
        made = Transformer(replace(config, position=position), 0).eval()
        found = made(ids, weights=True)
        torch.testing.assert_close(made(ids).hidden, found.hidden, atol=1e-5, rtol=0)
        maps[name] = found.weights
    assert torch.equal(maps["some"][0], maps["alibi"][0])
    assert not torch.allclose(maps["some"][1], maps["alibi"][1])


def test_nope_says_where_it_would_be_rope() -> None:
    with pytest.raises(InputError, match="would be rope in all of 1 layers"):
        REGISTRY.choose("position", "rope-nope").check(SHAPE)
    with pytest.raises(InputError, match="at least 2"):
        REGISTRY.choose("position", "rope-nope(every=1)").check(SHAPE)
