"""Attention maps as one interactive page in one file.

A weight w is stored as round(M sqrt(w)) with M = 255 or 65,535, so that small weights, which are the most frequent, are
stored more exactly. Maps are then deflated and written as base64. Maps that would make the page too large are stored
in squares of several tokens.
"""

import base64
import hashlib
import json
import math
import zlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from oratory import __version__
from oratory.reports.maps import label_of, reduced, scale
from oratory.reports.ramp import ramp
from oratory.reports.template import environment

if TYPE_CHECKING:
    from oratory.inspect import Maps, Stage

BUDGET = 24_000_000
"""The most cells that all maps may have together; with more, they are stored in squares."""
FINE = 4_000_000
"""Up to this number of cells, each is stored in 16 bits."""
THUMB = 64
"""The most cells along one side of a small map."""


def page(maps: "Maps") -> str:
    """The page as text. Everything that comes from a user's text is escaped."""
    data = payload(maps)
    packed = json.dumps(data, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c").replace(">", "\\u003e")
    # Inside a page there are no modules to import: the lines come first, without their exports.
    script = _template("lines.js").replace("\nexport ", "\n").removeprefix("export ") + "\n" + _template("maps.js")
    style = _template("maps.css")
    return (
        environment()
        .get_template("maps.html")
        .render(
            maps=maps,
            # The data is JSON in ASCII without angle brackets; script and style are files of ours.
            data=Markup(packed),  # nosec B704
            script=Markup(script),  # nosec B704
            style=Markup(style),  # nosec B704
            hashes={"script": _hash(script), "style": _hash(style)},
            kept=_kept(data, len(packed)),
            version=__version__,
        )
    )


def payload(maps: "Maps") -> dict[str, Any]:
    """The data that the page's script draws."""
    length = len(maps.tokens)
    stages = [_named(maps, stage) for stage in maps.stages]
    cells = sum(len(named) for named in stages) * length**2
    # A square stores both its largest weight and its mean, because neither shows the other.
    size = 1 if cells <= BUDGET else math.ceil(math.sqrt(2 * cells / BUDGET))
    bits = 16 if cells <= FINE else 8
    shown = [weights for named in stages for weights in named.values()]
    end, most = scale(maps, shown)
    return {
        "tokens": [label_of(token) for token in maps.tokens],
        "real": length - maps.padding,
        "size": size,
        "bits": bits,
        "end": end,
        "most": most,
        "ramp": {"light": ramp(), "dark": ramp(dark_paper=True)},
        "stages": [
            {"name": stage.name, "maps": [_map(name, weights, size, bits) for name, weights in named.items()]}
            for stage, named in zip(maps.stages, stages, strict=True)
        ],
    }


def _named(maps: "Maps", stage: "Stage") -> dict[str, NDArray[np.float32]]:
    """Every map of a stage, by its name."""
    found = {
        f"layer {layer} head {head}": stage.weights[at, place]
        for at, layer in enumerate(maps.layers)
        for place, head in enumerate(maps.heads)
    }
    if stage.mean is not None:
        found |= {f"layer {layer} mean": stage.mean[at] for at, layer in enumerate(maps.layers)}
    if stage.rollout is not None:
        found["rollout"] = stage.rollout
    return found


def _map(name: str, weights: NDArray[np.float32], size: int, bits: int) -> dict[str, Any]:
    thumb = math.ceil(len(weights) / THUMB)
    return {
        "name": name,
        "most": float(weights.max()),
        "largest": pack(reduced(weights, size), bits),
        "mean": pack(reduced(weights, size, largest=False), bits) if size > 1 else None,
        "thumb": pack(reduced(weights, thumb), 8),
    }


def pack(weights: NDArray[np.float32], bits: int) -> str:
    """Weights as whole numbers, deflated and written as base64."""
    steps = 2**bits - 1
    whole = np.round(np.sqrt(np.clip(weights, 0, 1)) * steps).astype("<u2" if bits == 16 else np.uint8)
    return base64.b64encode(zlib.compress(whole.tobytes(), 6)).decode("ascii")


def _kept(data: dict[str, Any], size: int) -> str:
    """A sentence about the precision of the weights and the size of the page."""
    off = 1 / (2 ** data["bits"] - 1)
    weight = f"{size / 1e6:.1f} MB" if size >= 1e5 else f"{size / 1e3:.0f} kB"
    said = f"The maps take {weight} of this page; weights are exact to {off:.1g}."
    if data["size"] > 1:
        said += (
            f" To keep the page small, squares of {data['size']} x {data['size']} tokens are stored, each with its "
            "largest weight and its mean; a page of one layer and head stores every weight."
        )
    return said


@cache
def _template(name: str) -> str:
    return (files("oratory.reports") / "templates" / name).read_text("utf-8").strip()


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
