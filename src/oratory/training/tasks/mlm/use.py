"""The pseudo-surprisal of single texts."""

from oratory.tokens import START, STOP
from oratory.tokens.scoring import predicted
from oratory.training.running_text.scored import ScoredTokens, scored_tokens
from oratory.training.tasks.mlm.metrics.pseudo_perplexity import PseudoPerplexity
from oratory.training.tasks.mlm.surprisal import CentredWindows, pseudo_surprisal
from oratory.training.tasks.task import Trained


class PseudoSurprisal(ScoredTokens):
    """The pseudo-surprisal of every token of one text: -ln p of the token, given those on both sides of it."""

    what = "pseudo-surprisal"
    metric = PseudoPerplexity()

    @property
    def pseudo_perplexity(self) -> float:
        return self.figure

    @property
    def summary(self) -> str:
        return f"Pseudo-perplexity {self.metric.show_value(self.figure)}, each token masked alone."


def surprise(run: Trained, line: str) -> PseudoSurprisal:
    """The pseudo-surprisal of every token of one text, masked one at a time."""
    tokenizer, context = run.tokenizer, run.config.context
    text = tokenizer.measure_all([f"{line}\n"]).wrapped(tokenizer.find(START), tokenizer.find(STOP))
    scored = predicted(text.ids, tokenizer)
    # A window is no longer than the context, so with as many passes one token of it is masked at a time.
    windows = CentredWindows.over(text.starts, context, run.facts["stride"])
    nats = pseudo_surprisal(run.model, text.ids, windows, tokenizer, passes=context)
    return PseudoSurprisal(**scored_tokens(run, line, text.ids[scored], nats[scored]))
