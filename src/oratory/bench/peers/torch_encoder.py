"""The encoder of PyTorch, with a mean over tokens and a classifier on top."""

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from oratory.bench.peer import Forward, Peer

if TYPE_CHECKING:
    from oratory.model import ModelConfig

HIDDEN = 100
"""Width of the hidden layer of the classifier, as in our base settings."""


class TorchEncoder(Peer):
    """`nn.TransformerEncoder`."""

    name = "nn.TransformerEncoder"
    tasks = ("classifier",)

    def model(self, task: str, config: "ModelConfig") -> tuple[nn.Module, Forward]:
        module = EncoderClassifier(config)
        return module, module


class EncoderClassifier(nn.Module):
    """Ids to logits of classes."""

    def __init__(self, config: "ModelConfig") -> None:
        super().__init__()
        width = config.width
        self.tokens, self.positions = nn.Embedding(config.vocabulary, width), nn.Embedding(config.context, width)
        sizes = (width, config.heads, Peer.hidden(config))
        layer = nn.TransformerEncoderLayer(*sizes, dropout=0.0, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, config.layers, nn.LayerNorm(width), enable_nested_tensor=False)
        self.head = nn.Sequential(nn.Linear(width, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, config.classes))

    def forward(self, ids: Tensor, mask: Tensor | None) -> Tensor:
        x = self.tokens(ids) + self.positions(torch.arange(ids.shape[1]))
        kept = torch.ones_like(ids, dtype=torch.bool) if mask is None else mask
        x = self.encoder(x, src_key_padding_mask=~kept)
        shares = kept[..., None].to(x.dtype)
        logits: Tensor = self.head((x * shares).sum(1) / shares.sum(1))
        return logits
