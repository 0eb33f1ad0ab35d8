"""GPT-2 and BERT of transformers, in a bare loop."""

from abc import abstractmethod
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from torch import nn

from oratory.bench.peer import Forward, Peer
from oratory.bench.work import Call

if TYPE_CHECKING:
    from oratory.model import ModelConfig


class _Transformers(Peer):
    """A model of transformers, with its configuration by the names that the library has for it."""

    needs: ClassVar[str | None] = "transformers"
    made: ClassVar[tuple[str, str]]
    """The names of the model and of its configuration in the library."""

    @abstractmethod
    def settings(self, config: "ModelConfig") -> dict[str, Any]:
        """The same model, in the words of the library."""

    def model(self, task: str, config: "ModelConfig") -> tuple[nn.Module, Forward]:
        library: Any = import_module("transformers")
        model, settings = (getattr(library, name) for name in self.made)
        module = model(settings(vocab_size=config.vocabulary, **self.settings(config)))
        return module, lambda ids, mask: module(ids, attention_mask=mask).logits


class Gpt2(_Transformers):
    """GPT-2 of transformers."""

    name = "transformers GPT-2"
    tasks = ("lm",)
    generates = True
    made = "GPT2LMHeadModel", "GPT2Config"

    def settings(self, config: "ModelConfig") -> dict[str, Any]:
        return {
            "n_positions": config.context,
            "n_embd": config.width,
            "n_layer": config.layers,
            "n_head": config.heads,
            "n_inner": self.hidden(config),
            "activation_function": "relu",
            **dict.fromkeys(("resid_pdrop", "embd_pdrop", "attn_pdrop"), 0.0),
            **dict.fromkeys(("tie_word_embeddings", "use_cache"), False),
            **dict.fromkeys(("bos_token_id", "eos_token_id")),
        }

    def generation(self, model: Any, tokens: int) -> Call:
        import torch

        prompt = torch.ones(1, 1, dtype=torch.long)
        asked = {"max_new_tokens": tokens, "do_sample": True, "top_k": 0, "use_cache": True}
        asked["pad_token_id"] = 0
        return lambda: model.generate(prompt, attention_mask=torch.ones_like(prompt), **asked)


class Bert(_Transformers):
    """BERT of transformers."""

    name = "transformers BERT"
    tasks = ("classifier",)
    made = "BertForSequenceClassification", "BertConfig"

    def settings(self, config: "ModelConfig") -> dict[str, Any]:
        return {
            "max_position_embeddings": config.context,
            "hidden_size": config.width,
            "num_hidden_layers": config.layers,
            "num_attention_heads": config.heads,
            "intermediate_size": self.hidden(config),
            "hidden_act": "relu",
            **dict.fromkeys(("hidden_dropout_prob", "attention_probs_dropout_prob"), 0.0),
            "num_labels": config.classes,
        }
