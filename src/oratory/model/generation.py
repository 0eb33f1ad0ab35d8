"""Continuing a text."""

from collections.abc import Sequence

import torch
from torch import Tensor

from oratory.errors import InputError
from oratory.model.direct import direct
from oratory.model.network import Transformer
from oratory.model.view import Cache


@torch.inference_mode()
def generate(
    model: Transformer,
    prompt: Sequence[int],
    tokens: int,
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    greedy: bool = False,
    stop: int | None = None,
    seed: int = 0,
    cache: bool = True,
) -> list[int]:
    """New ids after a prompt: up to `tokens` of them, or until `stop`, which is then the last one.

    Each is drawn from the softmax of the logits over the temperature, cut to the `top_k` most likely tokens and to the
    fewest tokens that have `top_p` of the probability between them (Holtzman et al., 2019); `greedy` takes the most
    likely one. The cache of keys and values changes how long it takes, and nothing else. Where the positions of the
    model end, each later token is given as many tokens before it as there are positions.
    """
    config = model.config
    if not config.causal or config.output != "tokens":
        raise InputError(f"Only a causal language model can continue a text; this model gives {config.output}.")
    _check(len(prompt), tokens, temperature, top_k, top_p)
    limit = config.longest
    generator = torch.Generator().manual_seed(seed)
    device = model.device
    use_cache = cache and not config.across_tokens
    caches = [Cache() for _ in range(config.layers)] if use_cache else None
    measured = direct(model)
    ids, new = list(prompt), list(prompt)
    for _ in range(tokens):
        if limit is not None and len(ids) > limit:  # The context slides: every position is another one now.
            use_cache, caches = False, None
        given = torch.tensor([new if use_cache else ids[-limit:] if limit else ids], device=device)
        logits = measured(given, caches=caches, last=1).logits[0, -1].float().cpu()  # V
        chosen = int(logits.argmax()) if greedy else _draw(logits / temperature, top_k, top_p, generator)
        ids.append(chosen)
        new = [chosen]
        if chosen == stop:
            break
    return ids[len(prompt) :]


@torch.no_grad()
def next_logits(model: Transformer, texts: Sequence[Sequence[int]]) -> Tensor:
    """The logits of what comes next after texts of one length, as `generate` sees them: (B, V)."""
    config = model.config
    if not config.causal or config.output != "tokens":
        raise InputError(f"Only a causal language model can continue a text; this model gives {config.output}.")
    limit = config.longest
    given = torch.tensor([text[-limit:] if limit else text for text in texts], device=model.device)
    logits: Tensor = model(given, last=1).logits[:, -1].float().cpu()
    return logits


def draw_at(
    logits: Tensor,
    number: int,
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    greedy: bool = False,
    seed: int = 0,
) -> int:
    """The token that `generate` draws from these logits if it is the new one of this number, counted from 0."""
    _check(1, number, temperature, top_k, top_p)
    generator = torch.Generator().manual_seed(seed)
    torch.rand(number, generator=generator, dtype=torch.float64)  # Each token before it has taken one.
    return int(logits.argmax()) if greedy else _draw(logits / temperature, top_k, top_p, generator)


def _draw(logits: Tensor, top_k: int | None, top_p: float | None, generator: torch.Generator) -> int:
    """One token. Only what is cut off needs an order, which takes longer than all the rest."""
    most = len(logits) if top_k is None else min(top_k, len(logits))
    cut = most < len(logits) or (top_p is not None and top_p < 1)
    ranked, order = logits.sort(descending=True, stable=True) if cut else (logits, None)
    sums = ranked.softmax(-1).cumsum(-1, dtype=torch.float64)
    if top_p is not None and top_p < 1:
        # A token stays when those before it do not have the whole share yet; so the first always stays.
        most = min(most, 1 + int((sums[:-1] < top_p).sum()))
    share = torch.rand(1, generator=generator, dtype=torch.float64) * sums[most - 1]
    drawn = min(int(torch.searchsorted(sums[:most], share, right=True)), most - 1)
    return drawn if order is None else int(order[drawn])


def _check(prompt: int, tokens: int, temperature: float, top_k: int | None, top_p: float | None) -> None:
    if not prompt:
        raise InputError("There is nothing to continue: the prompt is empty.")
    if tokens < 0:
        raise InputError(f"{tokens} new tokens cannot be made; ask for 0 or more.")
    if not temperature > 0:
        raise InputError(f"The temperature must be above 0, not {temperature}; for the likeliest token ask for greedy.")
    if top_k is not None and top_k < 1:
        raise InputError(f"top_k must be at least 1, not {top_k}.")
    if top_p is not None and not 0 < top_p <= 1:
        raise InputError(f"top_p must lie above 0 and up to 1, not {top_p}.")
