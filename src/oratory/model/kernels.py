"""The fast path of attention: scores, softmax and values, without the weights.

PyTorch's fused kernel makes its products one small matrix at a time, which suits MKL. Where oneDNN makes the products
(`products.py`), each of these costs ten microseconds more, and all texts and heads as one batched product are faster:
twice as fast at 128 tokens. The weights of a batch must fit in the cache for that, so long texts keep to the fused
kernel, whose products are then large enough.

Shapes: B batch, H heads, Q queries, K keys, E width of a head.
"""

from functools import lru_cache

import torch
from torch import Tensor
from torch.nn.functional import dropout, scaled_dot_product_attention

from oratory.model.products import are_fast

SHORT = 512
"""Keys up to which the weights are written out."""


def attend(q: Tensor, k: Tensor, v: Tensor, added: Tensor | None, causal: bool, scale: float, lost: float) -> Tensor:
    """What queries (B, H, Q, E) find among keys and values: (B, H, Q, E).

    `added` comes to the scores, and broadcasts to them. If `causal`, no query sees a later key, and nothing is added.
    """
    if not are_fast() or k.shape[2] > SHORT:  # In this order: what is exported is for any length.
        return scaled_dot_product_attention(q, k, v, attn_mask=added, dropout_p=lost, is_causal=causal, scale=scale)
    batch, heads, queries, _ = q.shape
    q, k, v = (part.reshape(batch * heads, *part.shape[2:]) for part in (q, k, v))
    if causal:
        added = _future(queries, q.dtype)
    if added is None:
        scores = torch.baddbmm(q.new_empty(1), q, k.transpose(1, 2), beta=0, alpha=scale)
    else:
        added = added.expand(batch, heads, *added.shape[-2:]).flatten(0, 1)
        scores = torch.baddbmm(added, q, k.transpose(1, 2), alpha=scale)
    out = torch.bmm(dropout(scores.softmax(-1), lost), v)
    return out.view(batch, heads, queries, -1)


@lru_cache(maxsize=8)
def _future(length: int, dtype: torch.dtype) -> Tensor:
    """Minus infinity where a key is later than its query: (Q, K)."""
    return torch.full((length, length), float("-inf"), dtype=dtype).triu(1)
