"""Whether a variant may get a verdict: what the contract found of its model, and what is said about it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oratory.errors import InputError
from oratory.runs import Run
from oratory.training.origins import contract_of
from oratory.training.tasks import Task

if TYPE_CHECKING:
    from oratory.model.contract import ModelContract

BROKEN = "a model that breaks the contract"


@dataclass(frozen=True)
class Eligibility:
    """What the contract means for one variant."""

    no_verdict: str = ""
    """Why it gets no verdict, in a few words; empty where it may have one."""
    warnings: tuple[str, ...] = ()
    """Sentences for whoever reads the comparison."""


def eligibility_of(name: str, task: Task, runs: Sequence[Run | None]) -> Eligibility:
    """Whether a variant may get a verdict, from its runs: from their records, or by the contract now."""
    try:
        found = [contract for run in runs if run and (contract := _contract(task, run))]
    except InputError as error:
        return Eligibility(
            warnings=(f"Whether {name} keeps the contract of mechanisms was not recorded and cannot be tried: {error}",)
        )
    if not found:
        return Eligibility()
    contract = max(found, key=lambda each: len(each.broken))
    if contract.broken:
        return Eligibility(BROKEN, (f"{name} gets no verdict. {contract.broken[0]}",))
    if contract.leaks:
        mark = f"not a {task.noun}"
        why = f"{name} is {mark}, since it sees the future, and gets no verdict. {contract.declared[0]}"
        return Eligibility(mark, (why,))
    return Eligibility(warnings=tuple(f"{name}: {sentence}" for sentence in contract.declared))


def _contract(task: Task, run: Run) -> "ModelContract | None":
    from oratory.model.contract import ModelContract

    if run.record.contract is not None:
        return ModelContract.of_values(run.record.contract)
    if run.record.plugins:
        run.config  # noqa: B018 - refuses a plugin that is not the one of then
    return contract_of(task, run.record.given)
