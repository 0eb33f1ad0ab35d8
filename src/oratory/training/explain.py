"""Every setting explained: what it means, what it can be, its default, and which runs it is for."""

from dataclasses import asdict, dataclass, replace
from typing import Any

from oratory.errors import unknown
from oratory.settings import about
from oratory.tables import Table, Tabled
from oratory.training.origins import Origin, all_settings, full_name, origin_of, origins
from oratory.training.setting import Setting, settings_in, shown
from oratory.training.tasks import tasks

COLUMNS = ("setting", "meaning", "values", "default", "for")


@dataclass(frozen=True)
class ParameterFacts:
    """A setting, or a parameter of one of its values, such as the momentum of sgd."""

    name: str
    meaning: str
    values: str
    default: str


@dataclass(frozen=True)
class ValueFacts:
    """One value of a setting that is a choice, such as sgd."""

    name: str
    meaning: str
    paper: str
    parameters: tuple[ParameterFacts, ...]


@dataclass(frozen=True)
class BaseValue:
    """The value that some runs begin with, where it is not the default."""

    origin: str
    tasks: tuple[str, ...]
    value: str

    def __str__(self) -> str:
        who = ", ".join(self.tasks) if self.origin == origin_of({}).name else self.origin
        return f"{who}: {self.value}"


@dataclass(frozen=True)
class SettingFacts(ParameterFacts):
    """One setting, and which runs it is for."""

    bases: tuple[BaseValue, ...]
    tasks: tuple[str, ...]
    """The tasks that it matters to."""
    origins: tuple[str, ...]
    """The origins of models that have it."""
    choices: tuple[ValueFacts, ...]
    """What it can be, where that is an object with parameters."""

    @property
    def row(self) -> tuple[str, ...]:
        """The cells of its row in a table."""
        defaults = "; ".join([self.default, *map(str, self.bases)])
        users = "all" if self.tasks == tuple(tasks()) else ", ".join(self.tasks)
        return self.name, self.meaning, self.values, defaults, users

    def details(self) -> list[Table]:
        """Its values, if they are objects, and the parameters of these."""
        if not self.choices:
            return []
        papers = any(value.paper for value in self.choices)
        columns = ("value", "what it is", "paper")[: 2 + papers]
        values = tuple((value.name, value.meaning, value.paper)[: 2 + papers] for value in self.choices)
        found = [Table(f"Values of {self.name}", columns, values, words=len(columns))]
        pairs = [(value.name, parameter) for value in self.choices for parameter in value.parameters]
        if pairs:
            rows = tuple((value, one.name, one.meaning, one.values, one.default) for value, one in pairs)
            note = f"Parameters are written in brackets: {self.name}={pairs[0][0]}({pairs[0][1].name}=...)."
            found.append(Table("Parameters of these values", ("value", "parameter", *COLUMNS[1:-1]), rows, 5, note))
        return found


@dataclass(frozen=True)
class Explained(Tabled):
    """Settings for a reader."""

    settings: tuple[SettingFacts, ...]

    def tables(self) -> list[Table]:
        """A table for the settings that the same origins have; of a single setting also its values."""
        found: dict[tuple[str, ...], list[SettingFacts]] = {}
        for setting in self.settings:
            found.setdefault(setting.origins, []).append(setting)
        nouns = {origin.name: origin.noun for origin in origins()}
        tables = []
        for names, settings in found.items():
            *first, last = [nouns[name] for name in names]
            title = f"Settings of {', '.join(first)}{' and ' * bool(first)}{last}"
            tables.append(Table(title, COLUMNS, tuple(setting.row for setting in settings), words=len(COLUMNS)))
            tables += settings[0].details() if len(settings) == 1 else []
        return tables

    def to_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        return {"settings": [asdict(setting) for setting in self.settings]}


def explain(name: str | None = None) -> Explained:
    """All settings, or those of one name; `optimizer` is enough for `train.optimizer`."""
    whole = None if name is None else full_name(name)
    if name is not None and whole not in all_settings():
        raise unknown("setting", name, all_settings())
    found: dict[tuple[str, str], SettingFacts] = {}
    for origin in sorted(origins(), key=lambda origin: not origin.claims({})):
        for setting in origin.settings():
            users = tuple(task.name for task in tasks().values() if origin.serves(task) and task.uses(setting.name))
            key = (setting.name, setting.meaning)
            if users:
                found[key] = _joined(found.get(key), _facts(setting, origin, users))
    return Explained(tuple(facts for facts in found.values() if whole in (None, facts.name)))


def _facts(setting: Setting, origin: Origin, users: tuple[str, ...]) -> SettingFacts:
    """A setting as the tasks of one origin have it."""
    found: dict[str, list[str]] = {}
    for name in users:
        value = origin.base(tasks()[name]).get(setting.name, setting.default)
        found.setdefault(shown(value, setting.choices), []).append(name)
    bases = [BaseValue(origin.name, tuple(names), value) for value, names in found.items() if value != setting.default]
    choices = [
        ValueFacts(name, about(cls), getattr(cls, "paper", ""), tuple(map(_parameter, settings_in(cls))))
        for name, cls in setting.choices.items()
    ]
    return SettingFacts(*_cells(setting), tuple(bases), users, (origin.name,), tuple(choices))


def _joined(one: SettingFacts | None, other: SettingFacts) -> SettingFacts:
    """A setting that two origins have."""
    if one is None:
        return other
    users = tuple(name for name in tasks() if name in (*one.tasks, *other.tasks))
    known = {(base.tasks, base.value) for base in one.bases}
    bases = one.bases + tuple(base for base in other.bases if (base.tasks, base.value) not in known)
    return replace(one, bases=bases, tasks=users, origins=one.origins + other.origins)


def _parameter(setting: Setting) -> ParameterFacts:
    return ParameterFacts(*_cells(setting))


def _cells(setting: Setting) -> tuple[str, str, str, str]:
    return setting.name, setting.meaning, setting.values, setting.default
