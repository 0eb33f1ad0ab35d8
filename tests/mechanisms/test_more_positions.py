"""The relative and the scaled positions, against published code or the formula written out."""

import math
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from oratory.mechanisms import REGISTRY, Scene, Shape

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
