"""What each hook of a mechanism takes and gives back.

Shapes: B batch, T tokens, Q queries, K keys, H heads, G heads of keys (H unless `kv_heads` says otherwise), D width,
E width of a head, N tokens that are asked for, S tokens of a text, V vocabulary, C classes.
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
    "vectors": Hook("vectors(ids)", "ids (B, S)", "a tensor (B, S, D)"),
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
    "used": Hook("used(layer)", "the number of a layer", "whether that layer knows positions"),
    "allow": Hook(
        "allow(q_positions, k_positions)",
        "two tensors of whole numbers that broadcast",
        "a tensor of booleans with the shape that they broadcast to",
    ),
    "merge": Hook("merge(heads, training)", "heads (B, T, H, E) and a boolean", "a tensor (B, T, H, E)"),
    "pool": Hook("pool(x, mask)", "x (B, T, D) and a mask (B, T), true for tokens", "a tensor (B, D)"),
    "logits": Hook(
        "logits(x, reading)",
        "x (N, D) of tokens, or (B, D) of texts, and a Reading",
        "a tensor (N, V) for tokens, or (B, C) for texts",
    ),
    "learn_from": Hook("learn_from(text)", "a TrainingText", "nothing; what it finds belongs into buffers"),
    "choose_on_dev": Hook(
        "choose_on_dev(nats)", "a function that gives the surprisal of every token of dev", "nothing"
    ),
    "prepare": Hook(
        "prepare(q, k)", "q (B, H, T, E) and k (B, G, T, E), before positions", "two tensors with the shapes of q and k"
    ),
    "values": Hook(
        "values(v, first)",
        "v (B, G, T, E) and what the first layer had, of the same shape",
        "a tensor with the shape of v",
    ),
    "weigh": Hook("weigh(q, k, sight)", "q (B, H, Q, E), k (B, H, K, E) and a Sight", "a tensor (B, H, Q, K)"),
    "outputs": Hook(
        "outputs(out, x, v)",
        "out (B, H, T, E), the input x of attention (B, T, D) and the tokens' own values v (B, H, T, E)",
        "a tensor (B, H, T, E)",
    ),
    "begin": Hook("begin(x)", "embedded tokens (..., D)", "the stream of the model"),
    "end": Hook("end(x)", "the stream of the model", "a tensor (..., D)"),
    "block_of": Hook("block_of(layer)", "the number of a layer", "the number of the block that it uses, at most that"),
    "enter": Hook(
        "enter(entered, left)",
        "a list of the streams that entered the layers so far, and one of those that left the embedding and them",
        "a stream of the same shape",
    ),
    "add": Hook(
        "add(x, part, name)", "a stream x, a function of tensors (..., D), and its name", "a stream of the same shape"
    ),
    "block": Hook(
        "block(x, attention, feedforward)",
        "a stream x and two functions of tensors (..., D)",
        "a stream of the same shape",
    ),
    "mix": Hook("mix(x, keep)", "x (B, T, D) and keep (B, T), true for tokens, or None", "a tensor (B, T, D)"),
    "added": Hook(
        "added(hidden, targets, logits, count)",
        "hidden (B, T, D), targets (B, T), a function from (..., D) to (..., V), and a whole number",
        "a tensor of one number",
    ),
    "forward": Hook(
        "forward(x)",
        "x (..., D), in the module that a Norm or a Feedforward builds (and a Head that needs no Reading)",
        "a tensor with the shape of x (of a Head: of its logits)",
    ),
    "build": Hook(
        "build(shape)",
        "a Shape (a Norm and a Feedforward take the width D, a Residual a BlockShape)",
        "an nn.Module that has the hooks",
    ),
    "check": Hook("check(shape)", "a Shape", "nothing, or raise an InputError"),
}
"""By name. No two kinds have a hook of the same name that takes something else."""
