from collections import Counter
from typing import Any

import pytest
import torch

from oratory.errors import InputError
from oratory.mechanisms import REGISTRY
from oratory.model import Cache, Transformer, generate
from oratory.training.tasks import base

POSITIONS = sorted(REGISTRY["position"])
PATTERNS = {
    "full": "full",
    "window": "window(size=4)",
    "block": "block(size=5)",
    "dilated": "dilated(size=3,gap=2)",
    "longformer": "longformer(size=3,global_tokens=2)",
    "strided": "strided(stride=4)",
}
LOGITS = torch.tensor([0.0, 2.0, 1.0, 1.5, -1.0])


def small(seed: int = 0, **changes: Any) -> Transformer:
    start: dict[str, Any] = {"layers": 2, "width": 16, "heads": 2, "context": 8}
    return Transformer(base("lm", 13, **(start | changes)), seed=seed).eval()


def steady() -> Transformer:
    """A model that gives the same logits, whatever stands before."""
    model = Transformer(base("lm", 5, layers=1, width=4, heads=1, position="none", pattern="window(size=1)")).eval()
    assert isinstance(model.head, torch.nn.Linear)
    with torch.no_grad():
        model.head.weight.zero_()
        model.head.bias.copy_(LOGITS)
    return model


def frequencies(temperature: float = 1.0, top_k: int | None = None, top_p: float | None = None) -> list[float]:
    model, counts = steady(), Counter[int]()
    for seed in range(20):
        counts.update(generate(model, [0], 50, temperature=temperature, top_k=top_k, top_p=top_p, seed=seed))
    return [counts[token] / counts.total() for token in range(5)]


def test_every_pattern_is_here() -> None:
    assert set(PATTERNS) == set(REGISTRY["pattern"])


def test_greedy_takes_the_likeliest_token_each_time() -> None:
    model, ids = small(position="rope"), [1, 2, 3]
    for _ in range(10):
        ids.append(int(model(torch.tensor([ids])).logits[0, -1].argmax()))
    assert generate(model, [1, 2, 3], 10, greedy=True) == ids[3:]
    assert generate(model, [1, 2, 3], 10, greedy=True, seed=5, temperature=9.0) == ids[3:]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_one_token_to_choose_from_is_greedy(seed: int) -> None:
    model = small(position="rope")
    greedy = generate(model, [1, 2, 3], 12, greedy=True)
    assert generate(model, [1, 2, 3], 12, top_k=1, seed=seed) == greedy
    assert generate(model, [1, 2, 3], 12, top_p=1e-9, seed=seed) == greedy
    assert generate(model, [1, 2, 3], 12, temperature=1e-4, seed=seed) == greedy


def test_a_cut_that_cuts_nothing_changes_nothing() -> None:
    model = small(position="rope")
    plain = generate(model, [1, 2, 3], 20, seed=3)
    assert generate(model, [1, 2, 3], 20, seed=3, top_k=13) == plain
    assert generate(model, [1, 2, 3], 20, seed=3, top_k=1000) == plain
    assert generate(model, [1, 2, 3], 20, seed=3, top_p=1.0) == plain


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_tokens_are_as_frequent_as_the_softmax_says(temperature: float) -> None:
    assert frequencies(temperature) == pytest.approx((LOGITS / temperature).softmax(0).tolist(), abs=0.05)


def test_top_k_leaves_the_k_likeliest_in_proportion() -> None:
    expected = torch.zeros(5)
    expected[[1, 3]] = LOGITS[[1, 3]].softmax(0)
    assert frequencies(top_k=2) == pytest.approx(expected.tolist(), abs=0.05)


@pytest.mark.parametrize(("top_p", "kept"), [(0.3, [1]), (0.5, [1, 3]), (0.8, [1, 2, 3]), (0.95, [0, 1, 2, 3])])
def test_top_p_leaves_the_fewest_tokens_that_have_the_share(top_p: float, kept: list[int]) -> None:
    probabilities = LOGITS.softmax(0)
    assert probabilities[kept].sum() >= top_p > probabilities[kept].sum() - probabilities[kept].min()
    expected = torch.zeros(5)
    expected[kept] = LOGITS[kept].softmax(0)
    assert frequencies(top_p=top_p) == pytest.approx(expected.tolist(), abs=0.05)


def test_the_seed_decides() -> None:
    model = small(position="rope")
    texts = [generate(model, [1, 2, 3], 20, seed=seed) for seed in range(6)]
    assert texts == [generate(model, [1, 2, 3], 20, seed=seed) for seed in range(6)]
    assert len({tuple(text) for text in texts}) == 6


def test_the_global_generator_has_no_part_in_it() -> None:
    model = small(position="rope")
    before = torch.get_rng_state()
    text = generate(model, [1, 2, 3], 8)
    assert torch.equal(torch.get_rng_state(), before)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(123)
        assert generate(model, [1, 2, 3], 8) == text


def test_stop_ends_the_text_and_is_its_last_token() -> None:
    model = small(position="rope")
    whole = generate(model, [1, 2, 3], 20, seed=1)
    for stop in set(whole):
        ended = generate(model, [1, 2, 3], 20, seed=1, stop=stop)
        assert ended == whole[: whole.index(stop) + 1]
        assert stop not in ended[:-1]
    missing = next(token for token in range(14) if token not in whole)
    assert generate(model, [1, 2, 3], 20, seed=1, stop=missing) == whole
    assert generate(model, [whole[0]], 0, stop=whole[0]) == []


@pytest.mark.parametrize("pattern", sorted(PATTERNS))
@pytest.mark.parametrize("position", POSITIONS)
def test_the_cache_gives_the_same_tokens_beyond_the_context_too(position: str, pattern: str) -> None:
    model = small(position=position, pattern=PATTERNS[pattern], context=16 if position == "learned" else 8)
    choices: list[dict[str, Any]] = [{"greedy": True}, {"seed": 7}]
    for options in choices:
        texts = [generate(model, [1, 2, 3, 4], 12, cache=cache, **options) for cache in (True, False)]
        assert texts[0] == texts[1]
        assert len(texts[0]) == 12


@pytest.mark.parametrize("pattern", sorted(PATTERNS))
@pytest.mark.parametrize("position", POSITIONS)
def test_a_text_in_pieces_through_the_cache_gives_the_same_logits(position: str, pattern: str) -> None:
    model = small(position=position, pattern=PATTERNS[pattern], heads=4, kv_heads=2, context=15)
    ids = torch.arange(30).view(2, 15) % 13
    caches = [Cache(), Cache()]
    with torch.no_grad():
        pieces = [model(piece, caches=caches).logits for piece in torch.split(ids, [4, 1, 7, 3], dim=1)]
        torch.testing.assert_close(torch.cat(pieces, dim=1), model(ids).logits, atol=1e-5, rtol=1e-5)
    assert [len(cache) for cache in caches] == [15, 15]


@pytest.mark.parametrize("merge", sorted(REGISTRY["merge"]))
def test_the_cache_gives_the_same_tokens_for_every_merge(merge: str) -> None:
    model = small(merge=merge, heads=4, position="alibi")
    texts = [generate(model, [1, 2, 3], 12, seed=2, cache=cache) for cache in (True, False)]
    assert texts[0] == texts[1]


def test_the_context_slides_where_learned_positions_end() -> None:
    model = small(position="learned")
    assert len(generate(model, [1, 2, 3], 6)) == 6  # The ninth token is made, but never read.
    made = generate(model, [1, 2, 3], 20, greedy=True)
    assert len(made) == 20
    whole = [1, 2, 3, *made]
    for at in (10, 15, 22):  # Each token beyond them follows from the eight before it.
        assert generate(model, whole[at - 8 : at], 1, greedy=True) == [whole[at]]
    assert generate(model, [5, *whole[:8]], 1, greedy=True) == generate(model, whole[:8], 1, greedy=True)
    assert generate(model, [1, 2, 3], 20, greedy=True, cache=False) == made


def test_a_long_prompt_goes_through_the_sparse_plan() -> None:
    model = small(position="rope", pattern="window(size=4)", layers=1)
    prompt = [token % 13 for token in range(600)]
    assert generate(model, prompt, 4, seed=1) == generate(model, prompt, 4, seed=1, cache=False)


@pytest.mark.parametrize(
    ("prompt", "tokens", "options", "message"),
    [
        ([], 3, {}, "the prompt is empty"),
        ([1], -1, {}, "-1 new tokens cannot be made"),
        ([1], 3, {"temperature": 0.0}, "temperature must be above 0, not 0.0; .* ask for greedy"),
        ([1], 3, {"temperature": -1.0}, "temperature must be above 0"),
        ([1], 3, {"temperature": float("nan")}, "temperature must be above 0"),
        ([1], 3, {"top_k": 0}, "top_k must be at least 1, not 0"),
        ([1], 3, {"top_p": 0.0}, "top_p must lie above 0"),
        ([1], 3, {"top_p": 1.1}, "top_p must lie above 0 and up to 1, not 1.1"),
        ([13], 3, {}, "The id 13 is out of range"),
        ([-1], 3, {}, "The id -1 is out of range"),
    ],
)
@pytest.mark.parametrize("training", [True, False])
def test_bad_arguments_are_refused_and_leave_the_model_as_it_was(
    prompt: list[int], tokens: int, options: dict[str, float], message: str, training: bool
) -> None:
    model = small().train(training)
    with pytest.raises(InputError, match=message):
        generate(model, prompt, tokens, **options)  # type: ignore[arg-type]
    assert model.training is training


@pytest.mark.parametrize("task", ["classifier", "encoder"])
def test_only_a_language_model_can_generate(task: str) -> None:
    model = Transformer(base(task, 13, classes=2, layers=1, width=8))
    with pytest.raises(InputError, match="Only a causal language model can continue a text"):
        generate(model, [1], 3)


@pytest.mark.parametrize("training", [True, False])
def test_the_mode_of_the_model_is_restored_and_dropout_is_off(training: bool) -> None:
    model = small(dropout=0.5, position="rope").train(training)
    assert generate(model, [1, 2], 10) == generate(small(position="rope"), [1, 2], 10)
    assert model.training is training
    assert all(part.training is training for part in model.modules())


def test_no_new_tokens_is_an_empty_text() -> None:
    assert generate(small(), [1, 2], 0) == []


@pytest.mark.parametrize("position", ["rope", "alibi", "t5", "learned"])
def test_a_model_that_has_continued_a_text_goes_on_learning(position: str) -> None:
    """What is kept of positions while a text is continued can have no part in a gradient."""
    torch.manual_seed(0)
    model = Transformer(base("lm", vocabulary=11, layers=1, width=8, heads=2, context=6, position=position))
    generate(model, [1, 2, 3], 3)
    model(torch.tensor([[1, 2, 3, 4, 5, 6]])).logits.sum().backward()
    assert all(parameter.grad is not None for parameter in model.parameters())
    assert len(generate(model, [1, 2, 3], 3)) == 3
