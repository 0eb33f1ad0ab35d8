"""In which type of numbers a model is computed, and whether this processor can."""

import platform
import subprocess  # nosec B404
import sys
from functools import cache

import torch

from oratory.errors import InputError

TYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
TRIAL = """
import sys, torch
for rows in (1, 16, 512):
    left, right = (torch.ones(rows, 64, requires_grad=True) for _ in range(2))
    with torch.autocast("cpu", getattr(torch, sys.argv[1])):
        torch.nn.functional.linear(left, right).float().sum().backward()
"""
"""Products of several sizes, forward and backward; each may have instructions of its own."""
FALLBACK = ("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16")
"""An environment variable that keeps products away from AMX, which virtual machines often lack."""
INSTRUCTIONS = {"bfloat16": ("avx512_bf16", "amx_tile"), "float16": ("amx_fp16",)}
"""Sets of instructions of x86 processors, as PyTorch calls them, of which one is needed for fast products."""
PATIENCE = 120
"""Seconds after which a trial has failed."""


def numbers(precision: str, device: torch.device) -> torch.dtype:
    """The type of numbers to compute in; auto is mixed on a GPU, with bfloat16 if the GPU has it."""
    if precision != "auto":
        return TYPES[precision]
    if device.type != "cuda":
        return torch.float32
    return torch.bfloat16 if torch.cuda.is_bf16_supported(including_emulation=False) else torch.float16


def check_precision(precision: str, device: torch.device) -> None:
    """Refuse a setting whose numbers would end the process: a virtual processor may announce what it cannot do."""
    if device.type == "cpu" and numbers(precision, device) != torch.float32 and not works_here(precision):
        raise InputError(
            f"train.precision={precision} does not work on this processor: it announces products in such numbers, and "
            f"they end the process. Choose another, or limit what PyTorch uses: {FALLBACK[0]}={FALLBACK[1]} in the "
            "environment."
        )


def slow_numbers(precision: str, device: torch.device) -> str:
    """A sentence where this processor has to imitate such numbers; else nothing, as on processors of other makers."""
    wanted = INSTRUCTIONS.get(precision, ())
    if not wanted or device.type != "cpu" or platform.machine() not in ("x86_64", "AMD64"):
        return ""
    if any(getattr(torch.cpu, f"_is_{name}_supported", lambda: True)() for name in wanted):
        return ""
    return (
        f"This processor has no instructions for {precision}: updates may take several times as long as with "
        "train.precision=float32."
    )


@cache
def works_here(precision: str) -> bool:
    """Whether the processor multiplies such numbers, tried in a process that may be lost."""
    command = [sys.executable, "-c", TRIAL, precision]
    try:
        done = subprocess.run(command, capture_output=True, timeout=PATIENCE)  # nosec B603 (our own words, no shell)
        return done.returncode == 0
    except subprocess.TimeoutExpired:
        return False
