"""The faster library makes the same products, and whoever asked for it leaves everything as it was."""

from typing import Any

import pytest
import torch

from oratory.model.products import EXACT, MKL, ONEDNN, fast_products, library

_ONEDNN: Any = torch.backends.mkldnn
MATMUL = _ONEDNN.matmul


@pytest.fixture
def with_onednn() -> None:
    if library() != ONEDNN:
        pytest.skip("this processor keeps to MKL")


def test_the_choice_follows_from_the_processor() -> None:
    assert library() in (MKL, ONEDNN)
    if torch.cpu._is_amx_tile_supported() or not torch.cpu._is_avx512_supported():
        assert library() == MKL


@pytest.mark.parametrize(("rows", "inner", "columns"), [(1, 64, 192), (68, 64, 5755), (512, 100, 64), (300, 1536, 384)])
def test_products_have_32_bits(with_onednn: None, rows: int, inner: int, columns: int) -> None:
    made = torch.Generator().manual_seed(rows)
    left, right = torch.randn(rows, inner, generator=made), torch.randn(columns, inner, generator=made)
    with fast_products():
        found = left @ right.t()
    exact = left.double() @ right.double().t()
    # bfloat16 has 8 bits, so its error would be a thousand times as large.
    assert (found - exact).abs().max() < EXACT * inner**0.5


def test_it_is_asked_for_inside_only(with_onednn: None) -> None:
    before = MATMUL.fp32_precision
    with fast_products():
        assert MATMUL.fp32_precision != before
    assert MATMUL.fp32_precision == before
    with pytest.raises(ZeroDivisionError), fast_products():
        _ = 1 / 0
    assert MATMUL.fp32_precision == before
