import math
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.nn.functional import gelu, silu

from oratory.errors import InputError
from oratory.mechanisms import REGISTRY
from oratory.model import Transformer, count_parameters
from oratory.training.tasks import base

VOCABULARY = 17
TASKS = ("classifier", "lm", "encoder")
POSITIONS = sorted(REGISTRY["position"])


def ids_of(batch: int = 2, length: int = 10) -> Tensor:
    return torch.randint(0, VOCABULARY, (batch, length), generator=torch.Generator().manual_seed(0))


def small(task: str = "classifier", seed: int = 0, **changes: Any) -> Transformer:
    start: dict[str, Any] = {"classes": 3, "layers": 2, "width": 16, "heads": 2, "context": 12}
    return Transformer(base(task, VOCABULARY, **(start | changes)), seed=seed)


def shared(one: Transformer, other: Transformer) -> list[str]:
    """Names of parameters that both have, in one shape; all must have the same values."""
    first, second = dict(one.named_parameters()), dict(other.named_parameters())
    names = [name for name in first if name in second and first[name].shape == second[name].shape]
    assert all(torch.equal(first[name], second[name]) for name in names)
    return names


@pytest.mark.parametrize("task", TASKS)
def test_the_same_seed_gives_the_same_model_and_another_seed_another(task: str) -> None:
    one, same, other = small(task), small(task), small(task, seed=1)
    assert len(shared(one, same)) == len(list(one.parameters()))
    assert torch.equal(one(ids_of()).logits, same(ids_of()).logits)
    for (name, first), second in zip(one.named_parameters(), other.parameters(), strict=True):
        assert torch.equal(first, second) == ("norm" in name), name


@pytest.mark.parametrize(
    "changes",
    [
        *({"position": name} for name in POSITIONS),
        {"layers": 4},
        {"heads": 4},
        {"heads": 4, "kv_heads": 2},
        {"pattern": "window"},
        {"merge": "shuffle"},
        {"pool": "attention"},
        {"norm": "layer(place=post)"},
        {"feedforward": "swiglu"},
        {"qkv_bias": True},
        {"token_types": 2},
        {"context": 20},
        {"vocabulary": 30},
        {"dropout": 0.3},
    ],
    ids=str,
)
@pytest.mark.parametrize("task", ["classifier", "lm"])
def test_variants_share_initial_values(changes: dict[str, Any], task: str) -> None:
    start = {"model": task, "vocabulary": VOCABULARY, "classes": 3, "layers": 2, "width": 16}
    one, other = Transformer(base(**start), seed=5), Transformer(base(**(start | changes)), seed=5)  # type: ignore[arg-type]
    names = shared(one, other)
    assert {"blocks.0.attention.query.weight", "blocks.1.attention.output.weight"} <= set(names)
    assert any(name.startswith("head") for name in names) or changes == {"vocabulary": 30}


def test_classifier_and_language_model_share_their_encoder() -> None:
    names = shared(small("classifier", feedforward="relu"), small("lm", feedforward="relu"))
    assert len(names) == len(list(small("encoder", feedforward="relu").parameters()))


def test_no_two_parameters_share_their_random_numbers() -> None:
    model = small(layers=3, qkv_bias=True)
    drawn = [parameter.flatten()[:3].tolist() for name, parameter in model.named_parameters() if "norm" not in name]
    scaled = {tuple(round(value / values[0], 4) for value in values) for values in drawn}
    assert len(scaled) == len(drawn)


@pytest.mark.parametrize("position", POSITIONS)
def test_building_a_model_leaves_the_global_generator_untouched(position: str) -> None:
    before = torch.get_rng_state()
    one = small(position=position, pool="attention", merge="shuffle", token_types=2)
    assert torch.equal(torch.get_rng_state(), before)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(99)
        assert len(shared(one, small(position=position, pool="attention", merge="shuffle", token_types=2)))


def linears(model: Transformer) -> list[tuple[str, nn.Linear]]:
    return [(name, module) for name, module in model.named_modules() if isinstance(module, nn.Linear)]


def test_init_torch_is_that_of_the_framework() -> None:
    model = small(width=128, qkv_bias=True, position="learned", context=200, token_types=100)
    for name, linear in linears(model):
        bound = 1 / math.sqrt(linear.in_features)
        for values in (linear.weight, linear.bias):
            assert float(values.detach().abs().max()) <= bound, name
        assert float(linear.weight.detach().abs().max()) > 0.97 * bound, name
        if linear.weight.numel() > 10_000:
            assert float(linear.weight.detach().std()) == pytest.approx(bound / math.sqrt(3), rel=0.03), name
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(0)
                theirs = nn.Linear(linear.in_features, linear.out_features).weight
            quantiles = torch.linspace(0.05, 0.95, 19)
            ours = linear.weight.detach().flatten().quantile(quantiles)
            torch.testing.assert_close(ours, theirs.detach().flatten().quantile(quantiles), atol=0.04 * bound, rtol=0)
    assert model.types is not None
    for table in (model.position.table, model.types):
        assert float(table.weight.detach().std()) == pytest.approx(1, rel=0.03)
        assert float(table.weight.detach().mean()) == pytest.approx(0, abs=0.03)
    norms = [part for part in model.modules() if isinstance(part, nn.LayerNorm)]
    assert len(norms) == 5
    assert all((norm.weight == 1).all() and (norm.bias == 0).all() for norm in norms)


@pytest.mark.parametrize("feedforward", ["relu", "gelu", "swiglu(bias=on)"])
def test_init_gpt2_is_small_with_scaled_residuals(feedforward: str) -> None:
    model = small("lm", width=128, layers=3, init="gpt2", qkv_bias=True, context=200, feedforward=feedforward)
    residual = 0
    for name, linear in linears(model):
        ends = name.endswith(("attention.output", "feedforward.down"))
        residual += ends
        expected = 0.02 / math.sqrt(2 * 3) if ends else 0.02
        assert float(linear.weight.detach().std()) == pytest.approx(expected, rel=0.05), name
        assert not linear.bias.any()
    assert residual == 6
    assert float(model.tokens.weight.detach().std()) == pytest.approx(0.02, rel=0.05)
    assert float(model.position.table.weight.detach().std()) == pytest.approx(0.02, rel=0.05)


@pytest.mark.parametrize("init", ["torch", "gpt2"])
def test_tied_embeddings_are_one_and_count_once(init: str) -> None:
    tied, apart = small("lm", tied=True, init=init), small("lm", init=init)
    assert isinstance(tied.head, nn.Linear)
    assert tied.head.weight is tied.tokens.weight
    assert torch.equal(tied.tokens.weight, apart.tokens.weight)
    assert count_parameters(apart).total - count_parameters(tied).total == VOCABULARY * 16
    assert count_parameters(tied).components["head"] == VOCABULARY
    tied(ids_of()).logits.logsumexp(-1).sum().backward()
    assert tied.tokens.weight.grad is not None
    assert tied.tokens.weight.grad.all()  # Every row is in the head, if not in the text.
    assert "head" not in count_parameters(small("lm", tied=True, head_bias=False)).components


@pytest.mark.parametrize("position", ["learned", "rope", "t5", "alibi", "disentangled"])
@pytest.mark.parametrize("task", ["classifier", "lm"])
@pytest.mark.parametrize("kv_heads", [1, 2])
def test_grouped_heads_equal_full_heads_with_repeated_weights(task: str, kv_heads: int, position: str) -> None:
    changes: dict[str, Any] = {"heads": 4, "qkv_bias": True, "position": position}
    grouped, full = small(task, kv_heads=kv_heads, **changes).eval(), small(task, **changes).eval()
    state = full.state_dict()
    for name, value in grouped.state_dict().items():
        if ".key." in name or ".value." in name:
            value = value.unflatten(0, (kv_heads, 4)).repeat_interleave(4 // kv_heads, dim=0).flatten(0, 1)
        state[name] = value
    full.load_state_dict(state)
    torch.testing.assert_close(grouped(ids_of()).logits, full(ids_of()).logits)
    assert count_parameters(grouped).total < count_parameters(full).total


@pytest.mark.parametrize("place", ["pre", "post"])
@pytest.mark.parametrize("task", ["encoder", "lm"])
def test_a_block_is_that_of_the_framework(place: str, task: str) -> None:
    model = small(task, layers=1, qkv_bias=True, norm=f"layer(place={place})", feedforward="relu").eval()
    block: Any = model.blocks[0]
    theirs = nn.TransformerEncoderLayer(16, 2, 64, 0.0, batch_first=True, norm_first=place == "pre")
    maps = (block.attention.query, block.attention.key, block.attention.value)
    norms = (nn.LayerNorm(16), nn.LayerNorm(16), nn.LayerNorm(16))
    generator = torch.Generator().manual_seed(4)
    for norm in norms:  # At one and zero they would hide which is which.
        norm.weight.data.uniform_(0.5, 1.5, generator=generator)
        norm.bias.data.uniform_(-0.5, 0.5, generator=generator)
    block.attention_norm.load_state_dict(norms[0].state_dict())
    block.feedforward_norm.load_state_dict(norms[1].state_dict())
    if model.norm is not None:
        model.norm.load_state_dict(norms[2].state_dict())
    theirs.load_state_dict(
        {
            "self_attn.in_proj_weight": torch.cat([part.weight for part in maps]),
            "self_attn.in_proj_bias": torch.cat([part.bias for part in maps]),
            "self_attn.out_proj.weight": block.attention.output.weight,
            "self_attn.out_proj.bias": block.attention.output.bias,
            "linear1.weight": block.feedforward.up.weight,
            "linear1.bias": block.feedforward.up.bias,
            "linear2.weight": block.feedforward.down.weight,
            "linear2.bias": block.feedforward.down.bias,
            "norm1.weight": norms[0].weight,
            "norm1.bias": norms[0].bias,
            "norm2.weight": norms[1].weight,
            "norm2.bias": norms[1].bias,
        }
    )
    ids = ids_of()
    x = model.tokens(ids) + model.position.table.weight[:10]
    future = torch.ones(10, 10, dtype=torch.bool).triu(1) if task == "lm" else None
    expected = theirs(x, src_mask=future)
    assert (model.norm is not None) == (place == "pre")
    torch.testing.assert_close(
        model(ids).hidden, norms[2](expected) if place == "pre" else expected, atol=1e-5, rtol=1e-5
    )


def test_feedforwards_are_their_formulas() -> None:
    x = torch.randn(3, 8, generator=torch.Generator().manual_seed(1))
    relu_, exact, tanh = (REGISTRY.choose("feedforward", text).build(8) for text in ("relu", "gelu", "gelu(form=tanh)"))
    gated = REGISTRY.choose("feedforward", "swiglu(hidden=12)").build(8)
    torch.testing.assert_close(relu_(x), relu_.down(relu_.up(x).clamp(min=0)))
    torch.testing.assert_close(exact(x), exact.down(exact.up(x) * torch.special.ndtr(exact.up(x))))
    torch.testing.assert_close(tanh(x), tanh.down(gelu(tanh.up(x), approximate="tanh")))
    torch.testing.assert_close(gated(x), gated.down(silu(gated.gate(x)) * gated.up(x)))
    assert (relu_.up.out_features, gated.up.out_features, gated.up.bias) == (32, 12, None)
    assert REGISTRY.choose("feedforward", "swiglu").build(48).up.out_features == 128


def test_norms_are_their_formulas() -> None:
    x = 3 + 2 * torch.randn(3, 8, generator=torch.Generator().manual_seed(1))
    layer, rms = (REGISTRY.choose("norm", f"{name}(eps=0.1)").build(8) for name in ("layer", "rms"))
    centred = x - x.mean(-1, keepdim=True)
    torch.testing.assert_close(layer(x), centred / (centred.square().mean(-1, keepdim=True) + 0.1).sqrt())
    torch.testing.assert_close(rms(x), x / (x.square().mean(-1, keepdim=True) + 0.1).sqrt())


@pytest.mark.parametrize("weights", [True, False])
@pytest.mark.parametrize("task", TASKS)
def test_dropout_acts_in_training_only(task: str, weights: bool) -> None:
    model, plain, ids = small(task, dropout=0.5), small(task), ids_of()
    assert torch.equal(model.eval()(ids, weights=weights).logits, plain.eval()(ids, weights=weights).logits)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        one, other = (model.train()(ids, weights=weights).logits for _ in range(2))
        torch.manual_seed(1)
        again = model(ids, weights=weights).logits
    assert not torch.allclose(one, other)
    assert torch.equal(one, again)
    assert torch.equal(plain.train()(ids).logits, plain(ids).logits)


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (torch.tensor([[1, VOCABULARY]]), "The id 17 is out of range: the vocabulary has 17 entries"),
        (torch.tensor([[-1, 3]]), "The id -1 is out of range"),
        (torch.zeros(1, 0, dtype=torch.int64), "at least one token"),
        (torch.zeros(0, 4, dtype=torch.int64), "at least one token"),
        (torch.tensor([1, 2, 3]), r"shape \(texts, tokens\)"),
    ],
)
@pytest.mark.parametrize("task", TASKS)
def test_bad_ids_are_refused(task: str, ids: Tensor, message: str) -> None:
    with pytest.raises(InputError, match=message):
        small(task)(ids)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("position", POSITIONS)
def test_texts_beyond_the_context(position: str, task: str) -> None:
    model = small(task, position=position).eval()
    if position == "learned":
        model(ids_of(length=12))
        with pytest.raises(InputError, match=r"13 tokens are too long: the positions of this model end at 12. Shorten"):
            model(ids_of(length=13))
    else:
        assert model(ids_of(length=40)).logits.isfinite().all()


@pytest.mark.parametrize("weights", [True, False])
@pytest.mark.parametrize("pattern", ["full", "window(size=3)"])
@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("task", ["classifier", "lm"])
def test_a_text_of_padding_alone_is_finite_and_disturbs_nothing(
    task: str, position: str, pattern: str, weights: bool
) -> None:
    model = small(task, position=position, pattern=pattern).eval()
    mask = torch.tensor([[True] * 10, [False] * 10])
    ids = ids_of()
    found = model(ids, mask, weights=weights)
    found.logits.logsumexp(-1).sum().backward()
    assert found.logits.isfinite().all()
    assert all(parameter.grad.isfinite().all() for parameter in model.parameters() if parameter.grad is not None)
    torch.testing.assert_close(found.logits[:1], model(ids[:1]).logits, atol=1e-5, rtol=1e-5)


@settings(deadline=None, max_examples=20)
@given(st.integers(1, 9), st.integers(0, 9), st.sampled_from(["classifier", "lm"]), st.sampled_from(POSITIONS))
def test_padding_changes_nothing(length: int, padding: int, task: str, position: str) -> None:
    model = small(task, position=position, context=20).eval()
    ids = ids_of(1, length + padding)
    mask = torch.arange(length + padding)[None] < length
    padded, alone = model(ids, mask), model(ids[:, :length])
    torch.testing.assert_close(padded.hidden[:, :length], alone.hidden, atol=1e-5, rtol=1e-5)
    if task == "classifier":
        torch.testing.assert_close(padded.logits, alone.logits, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("task", TASKS)
def test_weights_are_one_map_a_layer_when_asked_for(task: str) -> None:
    model = small(task, layers=3, heads=4).eval()
    ids = ids_of()
    found, plain = model(ids, weights=True), model(ids)
    assert plain.weights == ()
    assert len(found.weights) == 3
    for weights in found.weights:
        assert weights.shape == (2, 4, 10, 10)
        torch.testing.assert_close(weights.sum(-1), torch.ones(2, 4, 10))
        assert (weights.triu(1) == 0).all() == (task == "lm")
    torch.testing.assert_close(found.logits, plain.logits, atol=1e-5, rtol=1e-5)


def test_each_task_has_its_output() -> None:
    ids = ids_of()
    assert small("classifier")(ids).logits.shape == (2, 3)
    assert small("lm")(ids).logits.shape == (2, 10, VOCABULARY)
    encoder = small("encoder")(ids)
    assert encoder.logits is encoder.hidden
    assert encoder.hidden.shape == (2, 10, 16)
    assert isinstance(small("classifier", head_hidden=None).head, nn.Linear)


def test_a_language_model_does_not_see_the_future() -> None:
    model, ids = small("lm").eval(), ids_of()
    changed = ids.clone()
    changed[:, 6:] = (changed[:, 6:] + 1) % VOCABULARY
    assert torch.equal(model(ids).logits[:, :6], model(changed).logits[:, :6])
    assert not torch.allclose(model(ids).logits[:, 6:], model(changed).logits[:, 6:])


def test_token_types_have_vectors_of_their_own() -> None:
    model, ids = small(token_types=2).eval(), ids_of()
    assert torch.equal(model(ids).logits, model(ids, types=torch.zeros_like(ids)).logits)
    assert not torch.allclose(model(ids).logits, model(ids, types=torch.ones_like(ids)).logits)


def test_a_model_reads_its_own_state_back() -> None:
    for merge in REGISTRY["merge"]:
        one, other = (small(merge=merge, pool="attention", heads=8, seed=seed) for seed in (0, 3))
        assert not torch.equal(one.eval()(ids_of()).logits, other.eval()(ids_of()).logits)
        other.load_state_dict(one.state_dict())
        assert torch.equal(one(ids_of()).logits, other(ids_of()).logits)
