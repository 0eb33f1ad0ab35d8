"""Pictures of the baselines of a corpus."""

from collections.abc import Sequence

from oratory.baselines import Baselines
from oratory.baselines.scores import Share
from oratory.pictures import Bars, Curves, Mark


def accuracy(facts: Baselines) -> Bars:
    """Accuracy of each classifier on all, seen and unseen test items, with intervals."""
    items = {"all": facts.test, "seen": facts.seen, "unseen": facts.test - facts.seen}
    groups = [name for name, count in items.items() if count]
    variants = {
        name: [_percent(getattr(scores, group)) for group in groups] for name, scores in facts.classifier.items()
    }
    return Bars([f"{name} ({items[name]:,})" for name in groups], variants, "accuracy on test, %")


def perplexity(facts: Baselines, texts: Sequence[str]) -> Curves:
    """Perplexity of each text against the order of the n-gram model."""
    models = list(facts.lm.values())
    orders = [model.order for model in models]
    series = {text: (orders, [[model.texts[text].perplexity for model in models]]) for text in texts}
    return Curves(series, "words in an n-gram (Kneser-Ney)", "perplexity", log=True, dots=True)


def _percent(share: Share) -> Mark | None:
    if share.value is None or share.interval is None:
        return None
    low, high = share.interval
    return Mark(100 * share.value, (100 * low, 100 * high))
