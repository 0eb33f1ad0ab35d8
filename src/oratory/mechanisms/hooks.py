"""What each hook of a mechanism takes and gives back.

Shapes: B batch, T tokens, Q queries, K keys, H heads, G heads of keys (H unless `kv_heads` says otherwise), D width,
E width of a head.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Hook:
    """The shapes of one hook, in words."""

    call: str
    """The name with its parameters."""
    takes: str
    gives: str

    @property
    def expected(self) -> str:
        """The shapes in a sentence."""
        return f"{self.call} takes {self.takes}, and must give {self.gives}."


HOOKS = {
    "embed": Hook("embed(x, positions)", "x (B, T, D) and positions (T)", "a tensor (B, T, D)"),
    "rotate": Hook(
        "rotate(q, k, q_positions, k_positions)",
        "q (B, H, T, E), k (B, G, T, E) and twice positions (T)",
        "two tensors with the shapes of q and k",
    ),
    "bias": Hook(
        "bias(q, k, scene)",
        "q (B, H, Q, E), k (B, H, K, E) and a Scene",
        "a tensor that can be added to scores (B, H, Q, K)",
    ),
    "score": Hook(
        "score(s, q, k, scene)",
        "scores (B, H, Q, K), q (B, H, Q, E), k (B, H, K, E) and a Scene",
        "a tensor (B, H, Q, K)",
    ),
    "scale": Hook("scale(head_size)", "the number E", "a number"),
    "limit": Hook("limit(shape)", "a Shape", "a number of tokens, or None"),
    "allow": Hook(
        "allow(q_positions, k_positions)",
        "two tensors of whole numbers that broadcast",
        "a tensor of booleans with the shape that they broadcast to",
    ),
    "merge": Hook("merge(heads, training)", "heads (B, T, H, E) and a boolean", "a tensor (B, T, H, E)"),
    "pool": Hook("pool(x, mask)", "x (B, T, D) and a mask (B, T), true for tokens", "a tensor (B, D)"),
    "forward": Hook(
        "forward(x)",
        "x (..., D), in the module that a Norm or a Feedforward builds",
        "a tensor with the shape of x",
    ),
    "build": Hook(
        "build(shape)", "a Shape (a Norm and a Feedforward take the width D)", "an nn.Module that has the hooks"
    ),
    "check": Hook("check(shape)", "a Shape", "nothing, or raise an InputError"),
}
"""By name. No two kinds have a hook of the same name that takes something else."""
