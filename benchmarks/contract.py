"""The contract matrix: every mechanism and every promise."""

from oratory.mechanisms import REGISTRY
from oratory.mechanisms.kinds import KINDS
from oratory.model.contract import check_mechanism
from oratory.tables import Table

_SHORT = {
    "the configuration round-trips": "round trip",
    "gradients flow": "gradients",
    "the future does not leak": "future",
    "padding changes nothing": "padding",
    "weights are a distribution": "weights",
    "the open path equals the fast one": "paths",
    "long texts: the open path equals the fast one": "long",
    "the cache changes nothing": "cache",
    "it differs from the baseline": "differs",
}


def measure() -> Table:
    rows = []
    for kind in KINDS:
        for name, cls in REGISTRY[kind].items():
            checks = check_mechanism(cls()).checks
            verdicts = {promise: [c.verdict for c in checks if c.name == promise] for promise in _SHORT}
            rows.append((kind, name, *(_worst(found) for found in verdicts.values())))
    return Table("The contract", ("kind", "mechanism", *_SHORT.values()), tuple(rows), words=2)


def _worst(verdicts: list[str]) -> str:
    """Of an encoder and a decoder the verdict that is worse; a dash where the promise does not apply."""
    return next((verdict for verdict in ("failed", "declared", "passed") if verdict in verdicts), "–")
