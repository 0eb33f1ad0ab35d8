"""GPT-2 and BERT of transformers, in a bare loop."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from torch import nn

from oratory.bench.peer import Forward, Peer
from oratory.bench.work import Call

if TYPE_CHECKING:
    from oratory.model import ModelConfig


class Gpt2(Peer):
    """GPT-2 of transformers."""

    name = "transformers GPT-2"
    needs = "transformers"
    tasks = ("lm",)
    generates = True

    def model(self, task: str, config: "ModelConfig") -> tuple[nn.Module, Forward]:
        library: Any = import_module("transformers")
        module = library.GPT2LMHeadModel(
            library.GPT2Config(
                vocab_size=config.vocabulary,
                n_positions=config.context,
                n_embd=config.width,
                n_layer=config.layers,
                n_head=config.heads,
                n_inner=self.hidden(config),
                activation_function="relu",
                resid_pdrop=0.0,
                embd_pdrop=0.0,
                attn_pdrop=0.0,
                tie_word_embeddings=False,
                use_cache=False,
                bos_token_id=None,
                eos_token_id=None,
            )
        )
        return module, lambda ids, mask: module(ids, attention_mask=mask).logits

    def generation(self, model: Any, tokens: int) -> Call:
        import torch

        prompt = torch.ones(1, 1, dtype=torch.long)
        asked = {"max_new_tokens": tokens, "do_sample": True, "top_k": 0, "use_cache": True, "pad_token_id": 0}
        return lambda: model.generate(prompt, attention_mask=torch.ones_like(prompt), **asked)


class Bert(Peer):
    """BERT of transformers."""

    name = "transformers BERT"
    needs = "transformers"
    tasks = ("classifier",)

    def model(self, task: str, config: "ModelConfig") -> tuple[nn.Module, Forward]:
        library: Any = import_module("transformers")
        module = library.BertForSequenceClassification(
            library.BertConfig(
                vocab_size=config.vocabulary,
                hidden_size=config.width,
                num_hidden_layers=config.layers,
                num_attention_heads=config.heads,
                intermediate_size=self.hidden(config),
                hidden_act="relu",
                hidden_dropout_prob=0.0,
                attention_probs_dropout_prob=0.0,
                max_position_embeddings=config.context,
                num_labels=config.classes,
            )
        )
        return module, lambda ids, mask: module(ids, attention_mask=mask).logits
