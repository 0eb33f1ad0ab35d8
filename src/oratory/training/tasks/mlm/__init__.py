"""The masked language model: tokens that are hidden are predicted from those on both sides."""

from typing import TYPE_CHECKING, Any

from oratory.errors import InputError
from oratory.training.running_text.task import TextTask
from oratory.training.tasks.mlm.baselines import MaskedBaselines
from oratory.training.tasks.mlm.results import MaskedResults
from oratory.training.tasks.task import KeptNumber, Learning, Trained

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from oratory.baselines.counts import CountModels
    from oratory.model import ModelConfig, Transformer
    from oratory.tokens import Tokenizer
    from oratory.training.prepared import Prepared
    from oratory.training.tasks.mlm.config import MaskedTraining
    from oratory.training.tasks.mlm.use import PseudoSurprisal
    from oratory.training.tasks.samples import Samples


class MaskedLanguageModel(TextTask):
    """Tokens that are hidden are predicted from those on both sides (Devlin et al., 2019, arXiv:1810.04805)."""

    name = "mlm"
    noun = "masked language model"
    model = {"output": "tokens", "causal": False}  # noqa: RUF012
    training = {"iterations": 3000, "eval_every": 500, "eval_train": False}  # noqa: RUF012
    kept_numbers = {**TextTask.kept_numbers, "passes": KeptNumber(1)}  # noqa: RUF012
    results = MaskedResults()
    no_baselines = MaskedBaselines()

    def train_config(self) -> "type[MaskedTraining]":
        from oratory.training.tasks.mlm.config import MaskedTraining

        return MaskedTraining

    def tokenizer(self, chosen: str, config: "ModelConfig | None" = None) -> str:
        from oratory.tokens import with_special
        from oratory.training.tasks.mlm.token import MASK

        return with_special(chosen, MASK)

    def need_tokens(self, tokenizer: "Tokenizer", config: "ModelConfig | None" = None) -> None:
        from oratory.training.tasks.mlm.token import mask_id

        mask_id(tokenizer)

    def learning(self, prepared: "Prepared") -> Learning:
        from oratory.training.tasks.mlm.learning import MaskedLearning

        return MaskedLearning(prepared)

    def counts(self) -> "type[CountModels]":
        from oratory.baselines.neighbours import FromBothSides

        return FromBothSides

    def score(self, run: Trained, line: str) -> "PseudoSurprisal":
        from oratory.training.tasks.mlm.use import surprise

        return surprise(run, line)

    def generate(self, run: Trained, prompt: str, tokens: int, **options: Any) -> str:
        raise InputError(
            f"The run {run.id} is a {self.noun}: it fills in tokens between others, and cannot continue a text."
        )

    def losses(self, model: "Transformer", samples: "Samples", tokenizer: "Tokenizer") -> "NDArray[np.float64]":
        from oratory.training.tasks.mlm.losses import losses

        return losses(model, samples, tokenizer)
