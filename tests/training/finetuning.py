"""Small published models: folders with random weights and a tokenizer of their own, as transformers saves them."""

from pathlib import Path
from typing import Any

import tokenizers
import torch
import transformers
from tokenizers import models, pre_tokenizers, processors

_TEXT = """a all alone and ask be bless can come freedom go god here in is it law lives must nation new no none now of
old on our pass prevail should stand state strong thank the this together tonight true union we will world yes you good
bad film plot great dull , . !"""
WORDS = tuple(_TEXT.split())
SIZES = {"hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 24}
QUIET: dict[str, Any] = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
FAMILIES: dict[str, tuple[Any, Any, dict[str, Any], tuple[str, ...]]] = {
    "bert": (
        transformers.BertModel,
        transformers.BertConfig,
        SIZES | {"max_position_embeddings": 40},
        ("[PAD]", "[UNK]", "[CLS]", "[SEP]"),
    ),
    "roberta": (
        transformers.RobertaModel,
        transformers.RobertaConfig,
        SIZES | {"max_position_embeddings": 42, "type_vocab_size": 1, "pad_token_id": 1},
        ("<s>", "<pad>", "</s>", "<unk>"),
    ),
    "distilbert": (
        transformers.DistilBertModel,
        transformers.DistilBertConfig,
        {"dim": 16, "n_layers": 3, "n_heads": 2, "hidden_dim": 24, "max_position_embeddings": 40},
        ("[PAD]", "[UNK]", "[CLS]", "[SEP]"),
    ),
}


def write_model(folder: Path, family: str = "bert", classes: tuple[str, ...] = (), **changes: Any) -> Path:
    """A folder with a small model of a family; with a head for the classes where there are any."""
    model, config, sizes, specials = FAMILIES[family]
    made = config(vocab_size=len(specials) + len(WORDS), **sizes | changes)
    if classes:
        made.id2label = dict(enumerate(classes))
        made.label2id = {name: index for index, name in enumerate(classes)}
        model = getattr(transformers, model.__name__.replace("Model", "ForSequenceClassification"))
    with torch.random.fork_rng():
        torch.manual_seed(7)
        built = model(made)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for name, parameter in built.named_parameters():
            parameter.normal_(1.0 if "norm.weight" in name.lower() else 0.0, 0.3, generator=generator)
    built.save_pretrained(folder)
    write_tokenizer(folder, specials)
    return folder


def write_reviews(folder: Path) -> Path:
    """A corpus without dev, of which a small model learns much in a few updates."""
    folder.mkdir(parents=True, exist_ok=True)
    subjects = [f"{article} {noun}" for article in ("the", "this", "our") for noun in ("film", "plot", "world", "law")]
    lines = [
        f"{subject} is {word}{end}\t{word}\n"
        for subject in subjects
        for word in ("good", "bad")
        for end in ("", " !", " .")
    ]
    (folder / "train.tsv").write_text("".join(lines))
    (folder / "test.tsv").write_text("it is good\tgood\nall of it is bad\tbad\nis this good\tgood\n")
    return folder


def write_tokenizer(folder: Path, specials: tuple[str, ...], more: tuple[str, ...] = ()) -> None:
    """One token a word, between the special tokens of the family."""
    vocabulary = {word: index for index, word in enumerate((*specials, *WORDS, *more))}
    unknown = "<unk>" if "<unk>" in specials else "[UNK]"
    inner = tokenizers.Tokenizer(models.WordLevel(vocabulary, unk_token=unknown))
    inner.normalizer = tokenizers.normalizers.Lowercase()
    inner.pre_tokenizer = pre_tokenizers.Whitespace()
    first, last = ("<s>", "</s>") if "<s>" in specials else ("[CLS]", "[SEP]")
    inner.post_processor = processors.TemplateProcessing(
        single=f"{first} $A {last}", special_tokens=[(first, vocabulary[first]), (last, vocabulary[last])]
    )
    inner.add_special_tokens(list(specials))
    backend: Any = transformers.PreTrainedTokenizerFast
    fast = backend(
        tokenizer_object=inner,
        pad_token="<pad>" if "<pad>" in specials else "[PAD]",
        unk_token=unknown,
        cls_token=first,
        sep_token=last,
        model_max_length=40,
    )
    fast.save_pretrained(folder)
