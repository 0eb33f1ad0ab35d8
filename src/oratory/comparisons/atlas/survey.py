"""Before an atlas is made: which mechanisms can be trained, what each costs, and how long the whole will take."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from oratory.comparisons.atlas.design import CONTROLS, AtlasDesign, AtlasEntry
from oratory.comparisons.atlas.facts import FAILED, JUDGED, LEAKS, REFUSED, SLOW
from oratory.comparisons.atlas.record import read_times, write_times
from oratory.comparisons.design import Variant
from oratory.errors import InputError
from oratory.execution.ready import check_room, is_finished, ready
from oratory.execution.timing import short_training
from oratory.mechanisms.plugins import blame
from oratory.runs import Store
from oratory.training.origins import contract_of
from oratory.training.prepared import Prepared


@dataclass(frozen=True)
class Surveyed:
    """A mechanism before training: what it costs, or why it is not trained."""

    variant: Variant
    entry: AtlasEntry | None = None
    status: str = JUDGED
    reason: str = ""
    prepared: Prepared | None = None
    seconds: float = 0.0
    """Of the processor, for a whole run, estimated."""
    update: float | None = None

    @property
    def parameters(self) -> int | None:
        return self.prepared.parameters.total if self.prepared else None


@dataclass(frozen=True)
class Survey:
    """All of them, and what is still to be trained."""

    found: tuple[Surveyed, ...]
    """The base first, the controls last."""
    missing: int
    had: int
    seconds: float
    """Of the processor, for all runs that are missing."""

    @property
    def trained(self) -> tuple[Surveyed, ...]:
        return tuple(each for each in self.found if each.status == JUDGED)


def survey(design: AtlasDesign, store: Store, here: bool = True, say: Callable[[str], None] = lambda _: None) -> Survey:
    """Try the contract of every mechanism and time a few updates. Nothing is trained to the end."""
    design.task.need_test(design.corpus)
    times = read_times(design.id, store)
    base = _surveyed(design, None, times, store, say)
    if base.status != JUDGED:
        raise InputError(f"The base settings cannot be compared with: {base.reason}")
    found = [base, *(_surveyed(design, entry, times, store, say, base.update) for entry in design.entries)]
    found += [replace(base, variant=replace(base.variant, name=name)) for name in CONTROLS]
    trained = [each for each in found if each.status == JUDGED]
    prepared = [each.prepared for each in trained if each.prepared]
    check_room(prepared, design.seeds, store, here)
    missing = [
        each.seconds
        for each in trained
        for seed in design.seeds_of(each.variant.name)
        if each.prepared and not is_finished(replace(each.prepared, seed=seed), store, here)
    ]
    return Survey(tuple(found), len(missing), len(trained) * len(design.seeds) - len(missing), sum(missing))


def _surveyed(
    design: AtlasDesign,
    entry: AtlasEntry | None,
    times: dict[str, tuple[float, float]],
    store: Store,
    say: Callable[[str], None],
    usual: float | None = None,
) -> Surveyed:
    """One mechanism; whatever its code raises is the reason in its row."""
    variant = design.variant(entry)
    made = Surveyed(variant, entry)
    try:
        contract = contract_of(design.task, variant.settings)
        if contract is not None and contract.leaks:
            return replace(made, status=LEAKS, reason=f"it sees the future. {contract.declared[0]}")
        made = replace(made, prepared=ready(design.task, design.corpus, variant.settings))
        if variant.name not in times:
            say(f"Timing a few updates of {variant.name} ...")
            timed = short_training(design.task.name, design.corpus, variant.settings)
            times[variant.name] = (timed.processor, timed.update)
            write_times(design.id, store, times)
    except InputError as error:
        return replace(made, status=REFUSED, reason=str(error))
    except Exception as error:  # A user's own mechanism may raise anything.
        return replace(made, status=FAILED, reason=blame(error) or f"{type(error).__name__}: {error}")
    seconds, update = times[variant.name]
    made = replace(made, seconds=seconds, update=update)
    if usual and update > design.limit * usual:
        why = f"an update costs {update / usual:.1f} times that of the base settings, and the limit is {design.limit:g}"
        return replace(made, status=SLOW, reason=why)
    return made
