"""How blocks add up, against the formula written out or published code."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from oratory.errors import InputError
from oratory.mechanisms import REGISTRY
from oratory.model import ModelConfig, Transformer
from oratory.seeds import seeded

T = 5


def model(residual: str, **settings: Any) -> Transformer:
    base = {
        "output": "vectors",
        "vocabulary": 9,
        "layers": 4,
        "heads": 2,
        "width": 16,
        "context": T,
        "position": "none",
    }
    made = Transformer(ModelConfig.from_dict(base | {"residual": residual} | settings), 1).eval()
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for name, value in made.named_parameters():
            if "residual" in name:
                value.add_(0.3 * torch.randn(value.shape, generator=generator))
    return made


IDS = torch.arange(2 * T).view(2, T) % 9


def parts(made: Transformer, layer: int) -> tuple[Any, Any]:
    """Attention and feed-forward of a layer, each after its norm."""
    block: Any = made.blocks[layer]
    q = torch.arange(T)
    from oratory.model.view import View

    view = View(made.config, q, q)
    return (
        lambda x: block.attention(block.attention_norm(x), view, made.position)[0],
        lambda x: block.feedforward(block.feedforward_norm(x)),
    )


def through(made: Transformer, step: Any) -> Tensor:
    """The model with a block written out: `step(x, layer, attention, feedforward)`."""
    x = made.tokens(IDS)
    for layer in range(made.config.layers):
        x = step(x, layer, *parts(made, layer))
    assert made.norm is not None
    return made.norm(x)  # type: ignore[no-any-return]


def same(made: Transformer, wanted: Tensor) -> None:
    torch.testing.assert_close(made(IDS).hidden, wanted, atol=1e-5, rtol=0)


def in_turn(x: Tensor, attention: Any, feedforward: Any, gates: Any) -> Tensor:
    x = x + gates("attention", attention(x))
    after: Tensor = x + gates("feedforward", feedforward(x))
    return after


@pytest.mark.parametrize("name", ["rezero", "layer-scale"])
def test_gates(name: str) -> None:
    made = model(name)

    def step(x: Tensor, layer: int, attention: Any, feedforward: Any) -> Tensor:
        found: Any = made.blocks[layer].residual
        return in_turn(x, attention, feedforward, lambda part, y: getattr(found, part) * y)

    same(made, through(made, step))


def test_rezero_is_the_identity_at_first() -> None:
    base = {"output": "vectors", "vocabulary": 9, "layers": 3, "width": 16, "position": "none", "residual": "rezero"}
    made = Transformer(ModelConfig.from_dict(base), 1).eval()
    torch.testing.assert_close(made(IDS).hidden, made.norm(made.tokens(IDS)))  # type: ignore[misc]


def test_sandwich() -> None:
    made = model("sandwich")

    def step(x: Tensor, layer: int, attention: Any, feedforward: Any) -> Tensor:
        found: Any = made.blocks[layer].residual
        return in_turn(x, attention, feedforward, lambda part, y: getattr(found, f"{part}_norm")(y))

    same(made, through(made, step))


def test_parallel_is_that_of_gpt_neox() -> None:
    """One block, with the same parameters in the published code."""
    modeling = pytest.importorskip("transformers.models.gpt_neox.modeling_gpt_neox")
    made = model("parallel", layers=1, feedforward="gelu")
    block: Any = made.blocks[0]
    theirs = modeling.GPTNeoXLayer(
        modeling.GPTNeoXConfig(
            hidden_size=16, num_attention_heads=2, intermediate_size=64, use_parallel_residual=True, hidden_dropout=0.0
        ),
        0,
    ).eval()

    class Ours(nn.Module):
        def forward(self, x: Tensor, **_: Any) -> tuple[Tensor, None]:
            return parts(made, 0)[0](x), None

    theirs.input_layernorm, theirs.attention = nn.Identity(), Ours()
    theirs.post_attention_layernorm = block.feedforward_norm
    theirs.mlp.dense_h_to_4h, theirs.mlp.dense_4h_to_h = block.feedforward.up, block.feedforward.down
    x = made.tokens(IDS)
    found = theirs(x, attention_mask=None)
    wanted = found[0] if isinstance(found, tuple) else found
    same(made, made.norm(wanted))  # type: ignore[misc]


def test_macaron() -> None:
    made = model("macaron")

    def step(x: Tensor, layer: int, attention: Any, feedforward: Any) -> Tensor:
        first: Any = made.blocks[layer].residual
        x = x + 0.5 * first.feedforward(first.norm(x))
        x = x + attention(x)
        after: Tensor = x + 0.5 * feedforward(x)
        return after

    same(made, through(made, step))


def test_every_layer_counts() -> None:
    made = model("every-layer-counts")
    added = [made.tokens(IDS)]

    def step(x: Tensor, layer: int, attention: Any, feedforward: Any) -> Tensor:
        found: Any = made.blocks[layer].residual
        if layer:
            weights = found.weights.exp() / found.weights.exp().sum()
            x = sum(weight * part for weight, part in zip(weights, added, strict=True))
        after = in_turn(x, attention, feedforward, lambda _, y: y)
        added.append(after - x)
        return after

    same(made, through(made, step))


@pytest.mark.parametrize("layers", [2, 3, 4])
def test_u_net(layers: int) -> None:
    made = model("u-net", layers=layers)
    heard: list[Tensor] = []

    def step(x: Tensor, layer: int, attention: Any, feedforward: Any) -> Tensor:
        if layer >= (layers + 1) // 2:
            found: Any = made.blocks[layer].residual
            x = x + found.share * heard[layers - 1 - layer]
        heard.append(x)
        return in_turn(x, attention, feedforward, lambda _, y: y)

    same(made, through(made, step))
    shares = [getattr(block.residual, "share", None) is not None for block in made.blocks]
    assert sum(shares) == layers // 2


def test_shared_layers_are_one_block_again_and_again() -> None:
    made = model("shared")
    assert len(made.blocks) == 1
    plain = Transformer(ModelConfig.from_dict(made.config.to_dict() | {"residual": "add"})).eval()
    state = {
        name.replace("blocks.0.", f"blocks.{layer}."): value
        for layer in range(4)
        for name, value in made.state_dict().items()
    }
    plain.load_state_dict(state)
    same(made, plain(IDS).hidden)
    assert model("shared(blocks=2)").config.blocks == (0, 1, 0, 1)


def test_stochastic_depth_leaves_parts_out_of_training_only() -> None:
    usual, made = model("add"), model("stochastic-depth(rate=0.5)")
    torch.testing.assert_close(made(IDS).hidden, usual(IDS).hidden)
    chance: Any = made.blocks[3].residual
    assert chance.rate == 0.5
    assert made.blocks[0].residual.rate == pytest.approx(0.125)  # type: ignore[union-attr]
    chance.train()
    x = torch.ones(3)
    with seeded(1, "test"):
        found = [chance.add(x, lambda y: y, "attention") for _ in range(400)]
    kept = [bool((each != x).any()) for each in found]
    assert all(torch.equal(each, 3 * x) for each, was in zip(found, kept, strict=True) if was)
    assert 0.4 < sum(kept) / 400 < 0.6


def test_hyper_connections_start_as_the_usual_model() -> None:
    base = {"output": "vectors", "vocabulary": 9, "layers": 3, "width": 16, "position": "none"}
    usual, made = (
        Transformer(ModelConfig.from_dict(base | {"residual": name}), 1).eval() for name in ("add", "hyper-connections")
    )
    # The last norm sees the sum of four streams, next to which its eps is smaller.
    torch.testing.assert_close(made(IDS).hidden, usual(IDS).hidden, atol=1e-4, rtol=0)


def test_hyper_connections() -> None:
    made = model("hyper-connections(streams=3)", layers=2)
    streams = [made.tokens(IDS)] * 3
    for layer in range(2):
        found: Any = made.blocks[layer].residual
        for name, part in zip(("attention", "feedforward"), parts(made, layer), strict=True):
            heard, mixed, taken = found.heard[name], found.mixed[name], found.taken[name]
            given = part(sum(heard[n] * streams[n] for n in range(3)))
            streams = [sum(mixed[m, n] * streams[n] for n in range(3)) + taken[m] * given for m in range(3)]
    same(made, made.norm(sum(streams)))  # type: ignore[misc]


@pytest.mark.parametrize("name", ["parallel", "macaron"])
def test_norms_after_sums_have_no_place_here(name: str) -> None:
    with pytest.raises(InputError, match=f"residual={name} has norms before its parts"):
        model(name, norm="layer(place=post)")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("shared(blocks=5)", "from 1 to 4"),
        ("layer-scale(start=0)", "above 0"),
        ("stochastic-depth(rate=1)", "below 1"),
        ("hyper-connections(streams=1)", "at least 2"),
    ],
)
def test_bad_parameters(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        model(text)


@pytest.mark.parametrize("name", sorted(REGISTRY["residual"]))
def test_initial_values_of_others_stay(name: str) -> None:
    usual, made = dict(model("add").named_parameters()), dict(model(name).named_parameters())
    for path in usual.keys() & made.keys():
        assert torch.equal(usual[path], made[path]), path
