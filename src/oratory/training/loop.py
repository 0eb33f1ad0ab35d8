"""The training loop: one for every task, and plain.

`Fit.run` yields an event for every update and every evaluation; the recorder and the progress bar listen to them.
Between two events `Fit.state` gives the whole state, and `Fit.restore` continues from it to the same bits: batches and
dropout follow from the seed and the step alone, so no state of a generator has to be kept.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import cross_entropy
from torch.nn.utils import clip_grads_with_norm_, get_total_norm

from oratory.batches import IGNORE, Batch, Order
from oratory.errors import Failed
from oratory.model.products import WIDE, fast_products
from oratory.seeds import seeded
from oratory.training.config import TrainConfig
from oratory.training.events import Measured, Stepped
from oratory.training.loss import NotFinite
from oratory.training.optimizers import NO_FACTORS, Factors
from oratory.training.parallel import Processes
from oratory.training.precision import numbers
from oratory.training.tasks.task import Learning, Scores

PLACE = ("step", "measured", "losses", "waited", "parts", "taken")
"""The plain values of the state, besides its tensors."""
LossOf = Callable[[Batch, int], Tensor]
"""The loss of a batch, of an update that has so many targets."""


class Diverged(Failed):
    """The loss or the gradient is not a finite number. The model is as it was before the step."""

    def __init__(self, step: int, what: str, items: NDArray[np.int64]) -> None:
        super().__init__(f"The {what} at step {step} is not a finite number, so training stopped before that update.")
        self.step = step
        self.items = items


class Fit:
    """Training in progress: a model, its optimisers, and how far training is."""

    def __init__(
        self,
        model: Any,
        learning: Learning,
        config: TrainConfig,
        seed: int,
        unknown_id: int | None = None,
        processes: Processes | None = None,
        factors: Factors = NO_FACTORS,
    ) -> None:
        self.model, self.learning, self.config, self.seed, self.unknown_id = model, learning, config, seed, unknown_id
        self.processes = processes or Processes()
        self.processes.check(config.batch, config.accumulate)
        if getattr(model, "counts_text", False):
            model.learn_from(learning.training_text())
        self.wrapped = self.processes.wrap(model)
        self.device = next(model.parameters()).device
        self.products = fast_products if model.config.width >= WIDE else nullcontext
        """How an update makes its products; the output layer and evaluation choose for themselves."""
        self.dtype = numbers(config.precision, self.device)
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=self.dtype == torch.float16)
        self.named: dict[str, Tensor] = {name: one for name, one in model.named_parameters() if one.requires_grad}
        self.learned = list(self.named.values())
        self.optimizers: list[Any] = config.optimizer.make(
            list(self.named.items()),  # type: ignore[arg-type]
            config.lr,
            config.weight_decay,
            factors,
        )
        lengths = learning.items.lengths if config.bucketing else None
        self.order = Order(len(learning.items), config.batch, seed, lengths)
        self.steps = config.iterations or self.order.steps * (config.epochs or 1)
        self.eval_every = config.eval_every or self.order.steps
        self.parts = config.accumulate
        """Parts in which a batch is computed: more than the setting where memory ran out."""
        self.average: dict[str, Tensor] = {}
        """The average of what is learned, so far, where the settings ask for one. What is counted is not in it."""
        self.taken = 0
        """How many weights it has."""
        self.noise = config.noise.of(learning.encoded["train"], model.config.vocabulary)
        self.step = 0
        self.measured = -1
        """The step at which the model was last measured."""
        self.losses = 0.0
        """The sum of the losses since then."""
        self.best: tuple[float, ...] | None = None
        self.best_weights: dict[str, Tensor] = {}
        self.waited = 0
        """Evaluations since dev was last better."""
        self.scores: Scores | None = None
        """Of the last evaluation."""

    def run(self) -> Iterator[Stepped | Measured]:
        """Train to the end, with an event for each update and evaluation."""
        while True:
            if self.step % self.eval_every == 0 or self.step == self.steps:
                if self.measured != self.step:
                    yield self._measure()
                if self._stops():
                    break
            yield self._update()
        self._finish()

    def _stops(self) -> bool:
        patience = self.config.patience
        tired = patience is not None and self.waited >= patience
        return bool(self.processes.agree(self.step == self.steps or tired))

    def _measure(self) -> Measured:
        since = self.step - max(0, self.measured)
        # With keep=best, the best weights are restored after the last step and measured then.
        last = self.step == self.steps and self.config.keep == "last"
        loss = self.losses / since if since else None
        better = False
        with self._averaged():
            scores = self._scores(last) if self.processes.leads else None
            self.measured, self.losses = self.step, 0.0
            if scores is not None and scores.on_dev is not None:
                better = self.best is None or scores.on_dev > self.best
                self.waited = 0 if better else self.waited + 1
                if better:
                    self.best = scores.on_dev
                    if self.config.keep == "best":
                        self.best_weights = copied(self.model)
        self.scores = scores
        return Measured(self.step, self.step / self.order.steps, scores, loss, better)  # type: ignore[arg-type]

    def _finish(self) -> None:
        """Take the average of the weights or the best ones, and measure everything if that is still to be done."""
        if not self.processes.leads:
            return
        if self.best_weights:
            self.model.load_state_dict(self.best_weights)
        else:
            self._set(self._shown())
        if self.best_weights or self.step < self.steps or self.scores is None:
            self.scores = self._scores(True)

    def _shown(self) -> dict[str, Tensor]:
        """The parameters that are measured and kept, where they are not those of the last update."""
        if self.average or not self.config.optimizer.averages:
            return self.average
        found = {parameter: value for optimizer in self.optimizers for parameter, value in optimizer.averaged().items()}
        return {name: found[parameter] for name, parameter in self.named.items() if parameter in found}

    @torch.no_grad()
    def _set(self, values: dict[str, Tensor]) -> None:
        for name, value in values.items():
            self.named[name].copy_(value)

    @contextmanager
    def _averaged(self) -> Iterator[None]:
        """The model with the average of its weights, where there is one."""
        shown = self._shown()
        own = {name: self.named[name].detach().clone() for name in shown}
        self._set(shown)
        try:
            yield
        finally:
            self._set(own)

    def _take(self) -> None:
        """Take the weights into their average."""
        share = self.config.average.share(self.step, self.steps, self.taken)
        if share is not None:
            self.config.average.add(self.average, self.named, share)
            self.taken += 1

    def _scores(self, final: bool) -> Scores:
        try:
            return self.learning.measure(self.model, final)
        except NotFinite:
            raise Diverged(self.step, "prediction", self.order.of_step(max(0, self.step - 1))) from None

    def _update(self) -> Stepped:
        config, items = self.config, self.order.of_step(self.step)
        lr = config.lr * config.schedule.factor(self.step, self.steps)
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                group["lr"] = lr * group.get("factor", 1.0)
        every = config.optimizer.curvature_every
        looked = self._look_at_curvature(items) if every is not None and self.step % every == 0 else ""
        loss, remark = self._gradients_in_memory(items, self._loss)
        if not math.isfinite(loss):
            raise Diverged(self.step, "loss", items)
        for optimizer in self.optimizers:
            self.scaler.unscale_(optimizer)
        total = get_total_norm([value.grad for value in self.learned if value.grad is not None])
        norm = float(total)
        # Scaled up for float16, a gradient may be too large for it; as it is, it must not be.
        if not math.isfinite(norm) and self.scaler.get_scale() <= 1:
            raise Diverged(self.step, "gradient", items)
        if config.clip is not None:
            clip_grads_with_norm_(self.learned, config.clip, total)
        for optimizer in self.optimizers:
            self.scaler.step(optimizer)  # With float16 this leaves out a step whose gradient was too large for it.
        self.scaler.update()
        self.step += 1
        self.losses += loss
        self._take()
        return Stepped(self.step, loss, norm, lr, remark or looked)

    def _loss(self, batch: Batch, targets: int) -> Tensor:
        return self.learning.loss(self.wrapped, batch, targets, self.config.smoothing)

    def _look_at_curvature(self, items: NDArray[np.int64]) -> str:
        """Give the optimisers the gradients of targets that the model draws itself; a remark if memory ran out."""
        loss, remark = self._gradients_in_memory(items, self._loss_of_drawn)
        if not math.isfinite(loss):
            raise Diverged(self.step, "loss", items)
        targets = self.learning.items_of(self.step // self.order.steps).targets(items)
        for optimizer in self.optimizers:
            optimizer.take_curvature(targets / self.scaler.get_scale() ** 2)
        return remark

    def _loss_of_drawn(self, batch: Batch, targets: int) -> Tensor:
        logits = self.wrapped(batch.ids, batch.mask).logits.float().flatten(0, -2)  # N, classes or vocabulary
        drawn = torch.multinomial(logits.detach().softmax(-1), 1)[:, 0]
        wanted = drawn.masked_fill(batch.targets.flatten() == IGNORE, IGNORE)
        return cross_entropy(logits, wanted, reduction="sum", ignore_index=IGNORE) / targets

    def _gradients_in_memory(self, items: NDArray[np.int64], loss_of: LossOf) -> tuple[float, str]:
        """The loss of `_gradients`, computed in smaller parts if memory runs out, and a remark if so."""
        before = self.parts
        while True:
            for optimizer in self.optimizers:
                optimizer.zero_grad()
            try:
                loss = self._gradients(items, loss_of)
            except (RuntimeError, MemoryError) as error:
                if not is_out_of_memory(error):
                    raise
                if self.processes.size > 1 or self.parts >= len(items):
                    raise Failed(
                        f"Memory ran out at step {self.step}, with a batch of {len(items)} in {self.parts} parts: "
                        "train.accumulate, train.batch or context must change."
                    ) from None
                self.parts = min(2 * self.parts, len(items))
                continue
            if self.parts == before:
                return loss, ""
            return loss, (
                f"Memory ran out at step {self.step}: from here on a batch is computed in {self.parts} parts in place "
                f"of {before}. An update is still of the whole batch."
            )

    def _gradients(self, items: NDArray[np.int64], loss_of: LossOf) -> float:
        """Compute the gradients of the mean loss over the whole batch, in parts, and return that loss."""
        # The epoch of this step, so that what is drawn for an item follows from the seed and the epoch alone.
        drawn, size = self.learning.items_of(self.step // self.order.steps), self.processes.size
        targets = drawn.targets(items)
        parts = np.array_split(self.processes.share(items), self.parts)
        loss = torch.zeros((), device=self.device)
        alone = "" if size == 1 else f" of {self.processes.rank}"
        with self.products(), seeded(self.seed, f"dropout {self.step}{alone}"):
            for number, part in enumerate(parts):
                # A process without an item of its own still computes one: the others wait for its gradients.
                weight = size if len(part) else 0
                chosen = part if len(part) else items[:1]
                batch = self._with_words_dropped(self._noised(drawn.batch(chosen))).to(self.device)
                alone_until_last = size > 1 and number < len(parts) - 1
                with self.wrapped.no_sync() if alone_until_last else nullcontext():  # type: ignore[operator]
                    with torch.autocast(self.device.type, self.dtype, enabled=self.dtype != torch.float32):
                        value = loss_of(batch, targets)
                    self.scaler.scale(value * weight).backward()  # type: ignore[no-untyped-call]
                loss += value.detach() * bool(weight)
        return float(self.processes.total(loss))

    def _noised(self, batch: Batch) -> Batch:
        if self.noise is None:
            return batch
        return self.config.noise.noised(batch, self.noise, self.learning.next_tokens)

    def _with_words_dropped(self, batch: Batch) -> Batch:
        if not self.config.word_dropout:
            return batch
        dropped = torch.rand(batch.ids.shape) < self.config.word_dropout
        if batch.mask is not None:
            dropped &= batch.mask
        return Batch(batch.ids.masked_fill(dropped, self.unknown_id or 0), batch.targets, batch.mask)

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Everything that training changes: tensors by name, and plain values."""
        tensors = {f"model.{name}": value for name, value in self.model.state_dict().items()}
        tensors |= {f"best.{name}": value for name, value in self.best_weights.items()}
        tensors |= {f"average.{name}": value for name, value in self.average.items()}
        for number, optimizer in enumerate(self.optimizers):
            for index, entries in optimizer.state_dict()["state"].items():
                for name, value in entries.items():
                    if value is not None:
                        tensors[f"optimizer.{number}.{index}.{name}"] = torch.as_tensor(value)
        facts = {name: getattr(self, name) for name in PLACE}
        return tensors, facts | {"best": self.best, "scaler": self.scaler.state_dict()}

    def restore(self, tensors: dict[str, Tensor], facts: dict[str, Any]) -> None:
        """Continue from a state."""
        self.model.load_state_dict(_under("model.", tensors))
        self.best_weights = _under("best.", tensors)
        # Checkpoints of earlier versions have an average of what is counted, too.
        self.average = {name: value for name, value in _under("average.", tensors).items() if name in self.named}
        for number, optimizer in enumerate(self.optimizers):
            states: dict[int, dict[str, Tensor]] = {}
            for path, value in _under(f"optimizer.{number}.", tensors).items():
                index, _, name = path.partition(".")
                states.setdefault(int(index), {})[name] = value
            optimizer.load_state_dict({"state": states, "param_groups": optimizer.state_dict()["param_groups"]})
        for name in PLACE:
            setattr(self, name, facts.get(name, 0))  # Checkpoints of earlier versions have no average.
        self.best = None if facts["best"] is None else tuple(facts["best"])
        if facts["scaler"]:
            self.scaler.load_state_dict(facts["scaler"])


def copied(model: Any) -> dict[str, Tensor]:
    """The values of a model, apart from it."""
    return {name: value.clone() for name, value in model.state_dict().items()}


def is_out_of_memory(error: BaseException) -> bool:
    """Whether memory ran out; processors and GPUs report that in different ways."""
    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    return any(words in str(error).lower() for words in ("out of memory", "not enough memory", "can't allocate memory"))


def _under(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}
