"""What looks at neighbours, against the formula token by token or published code."""

import math
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.functional import elu, silu

from oratory.errors import InputError
from oratory.mechanisms import REGISTRY, Shape
from oratory.mechanisms.mixer.gated_delta import delta_rule
from oratory.mechanisms.position.rope import Rope
from oratory.model import ModelConfig, Transformer, generate

B, T, D, H, E = 2, 6, 16, 2, 8
SHAPE = Shape(width=D, heads=H, head_size=E, layers=2, context=T, causal=True)


def draw(*size: int, seed: int = 0) -> Tensor:
    return torch.randn(*size, generator=torch.Generator().manual_seed(seed))


def part(name: str, causal: bool = True) -> Any:
    return REGISTRY.choose("mixer", name).build(Shape(**{**vars(SHAPE), "causal": causal}))


def test_token_shift() -> None:
    made, x = part("token-shift"), draw(B, T, D)
    made.share.data = draw(D, seed=1)
    found = made.mix(x, None)
    for t in range(T):
        before = x[:, t - 1] if t else torch.zeros(B, D)
        torch.testing.assert_close(found[:, t], made.share * x[:, t] + (1 - made.share) * before)


def test_short_convolution() -> None:
    made, x = part("short-convolution(size=3)"), draw(B, T, D)
    found = made.mix(x, None)
    for t in range(T):
        wanted = x[:, t] + sum(made.weight[:, 0, 2 - i] * x[:, t - i] for i in range(3) if t >= i)
        torch.testing.assert_close(found[:, t], wanted)


def heads(made: Any, x: Tensor) -> list[Tensor]:
    return [each(x).view(B, T, H, E) for each in (made.query, made.key, made.value)]


def test_linear_attention_is_a_recurrent_network() -> None:
    made, x = part("linear-attention"), draw(B, T, D)
    q, k, v = heads(made, x)
    memory, norm, found = torch.zeros(B, H, E, E), torch.zeros(B, H, E), []
    for t in range(T):
        key, query = elu(k[:, t]) + 1, elu(q[:, t]) + 1
        memory = memory + key[..., :, None] * v[:, t][..., None, :]
        norm = norm + key
        found.append((query[..., None, :] @ memory)[..., 0, :] / (query * norm).sum(-1, keepdim=True))
    wanted = made.output(torch.stack(found, 1).flatten(2))
    torch.testing.assert_close(made.mix(x, None), wanted, atol=1e-5, rtol=0)


def test_retention_is_a_recurrent_network() -> None:
    made, x = part("retention"), draw(B, T, D)
    q, k, v = heads(made, x)
    places = torch.arange(T)
    q, k = (Rope().turn(each.transpose(1, 2), places).transpose(1, 2) for each in (q, k))
    fade = torch.tensor([1 - 2.0 ** (-5 - h) for h in range(H)])[None, :, None, None]
    memory, found = torch.zeros(B, H, E, E), []
    for t in range(T):
        memory = fade * memory + k[:, t][..., :, None] * v[:, t][..., None, :]
        found.append((q[:, t][..., None, :] @ memory)[..., 0, :] / math.sqrt(E))
    out = torch.stack(found, 1)
    normed = out / (out.square().mean(-1, keepdim=True) + 1e-5).sqrt()
    wanted = made.output(normed.flatten(2) * silu(made.gate(x)))
    torch.testing.assert_close(made.mix(x, None), wanted, atol=1e-5, rtol=0)


def test_the_delta_rule_is_that_of_qwen() -> None:
    modeling = pytest.importorskip("transformers.models.qwen3_next.modeling_qwen3_next")
    q, k, v = draw(B, T, H, E), draw(B, T, H, E, seed=1), draw(B, T, H, E, seed=2)
    fade, share = -draw(B, T, H, seed=3).abs(), draw(B, T, H, seed=4).sigmoid()
    theirs, _ = modeling.torch_recurrent_gated_delta_rule(
        q, k, v, fade, share, initial_state=None, output_final_state=False, use_qk_l2norm_in_kernel=True
    )
    unit = [torch.nn.functional.normalize(each, dim=-1).transpose(1, 2) for each in (q, k)]
    ours = delta_rule(unit[0] / math.sqrt(E), unit[1], v.transpose(1, 2), fade.exp(), share)
    torch.testing.assert_close(ours.transpose(1, 2), theirs, atol=1e-5, rtol=0)


def test_in_an_encoder_both_sides_are_heard() -> None:
    x = draw(B, T, D)
    for name in ("linear-attention", "retention"):
        made = part(name, causal=False)
        changed = x.clone()
        changed[:, -1] += 1
        assert not torch.allclose(made.mix(x, None)[:, 0], made.mix(changed, None)[:, 0])


def config(**settings: Any) -> ModelConfig:
    base = {"output": "tokens", "causal": True, "vocabulary": 9, "layers": 2, "heads": 2, "width": 16, "context": 12}
    return ModelConfig.from_dict(base | settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"pattern": "window"}, "so pattern=window would change nothing"),
        ({"merge": "shift"}, "so merge=shift would change nothing"),
        ({"attention": "gated"}, "so attention=gated would change nothing"),
        ({"position": "rope"}, "so position=rope would change nothing"),
        ({"position": "t5"}, "so position=t5 would change nothing"),
    ],
)
def test_what_belongs_to_attention_is_refused_without_it(settings: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        config(mixer="retention", **settings)
    assert config(mixer="token-shift", **settings).mixer.instead is False


@pytest.mark.parametrize("name", sorted(REGISTRY["mixer"]))
def test_a_text_is_continued_with_and_without_a_cache(name: str) -> None:
    model = Transformer(config(mixer=name, position="sinusoidal"), 1).eval()
    with_cache, without = (generate(model, [1, 2, 3], 6, seed=2, cache=cache) for cache in (True, False))
    assert with_cache == without
    assert any("attention." in key for key in model.state_dict()) != model.config.mixer.instead
