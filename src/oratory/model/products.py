"""Which library multiplies matrices.

PyTorch has two for numbers of 32 bits: MKL, which it takes unless told otherwise, and oneDNN. On processors of AMD with
vectors of 512 bits, oneDNN is twice as fast as MKL; on others the two are alike. PyTorch takes oneDNN only where
products may be made in bfloat16. Only processors with AMX then do so, and these keep to MKL; all others compute in 32
bits either way, which is tried once before it is believed.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import torch

MKL, ONEDNN = "mkl", "onednn"
WIDE = 64
"""From this width on, the products of an update are large enough for the faster library."""
EXACT = 1e-5
"""Differences from the product in 64 bits that 32 bits explain; bfloat16 would differ by a hundred times as much."""
_ONEDNN: Any = torch.backends.mkldnn
_MATMUL = _ONEDNN.matmul


@contextmanager
def fast_products() -> Iterator[None]:
    """Products in here are made by the faster library. Each costs ten microseconds more, so few large ones are best."""
    if library() == MKL:
        yield
        return
    with _precision("bf16"):
        yield


def are_fast() -> bool:
    """Whether products are made by the faster library just now."""
    return bool(_MATMUL.fp32_precision != "none")


@contextmanager
def _precision(name: str) -> Iterator[None]:
    before = _MATMUL.fp32_precision
    if before == name:
        yield
        return
    _MATMUL.fp32_precision = name
    try:
        yield
    finally:
        _MATMUL.fp32_precision = before


@cache
def library() -> str:
    """The library that is faster here, decided by the processor and never by the clock: results depend on it."""
    vectors, tiles = (getattr(torch.cpu, f"_is_{name}_supported", lambda: True) for name in ("avx512", "amx_tile"))
    if not _ONEDNN.is_available() or not vectors() or tiles():
        return MKL
    return ONEDNN if _is_exact() else MKL


def _is_exact() -> bool:
    """Whether products through oneDNN are those of 32 bits, whatever PyTorch calls them."""
    made = torch.Generator().manual_seed(0)
    for rows in (1, 45, 512):
        left, right = torch.randn(rows, 64, generator=made), torch.randn(64, 100, generator=made)
        with _precision("bf16"):
            found = left @ right
        if (found.double() - left.double() @ right.double()).abs().max() > EXACT:
            return False
    return True
