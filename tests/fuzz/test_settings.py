"""Settings, variants, spaces, seeds and ids as anybody may type them."""

import shutil
from itertools import islice
from pathlib import Path

from hypothesis import strategies as st

from oratory.api import report
from oratory.comparisons.design import Variant, parse_seeds
from oratory.comparisons.record import ComparisonRecord
from oratory.ids import is_id
from oratory.runs import Store
from oratory.searches.space import Space, setting_kinds
from oratory.settings import choose, parse_words, written
from oratory.tokens.corpus import SETTINGS
from oratory.training.origins import all_settings, origin_of
from oratory.training.tasks import tasks
from tests.fuzz.tried import a_folder, refused_at_most, texts, tried
from tests.runs.records import write

NUMBERS = ("0", "-1", "1e999", "nan", "-inf", "9" * 30, "9" * 5000, "٣", "1_0", "0x10", " 1", "1.5", "1e-400", "1e308")
values = (
    st.sampled_from(NUMBERS)
    | texts
    | st.sampled_from(
        ("word", "bpe(vocabulary=9)", "word(min_count=2)", "rope(", "window(size=-1)", "warmup(steps=1e9)")
    )
    | st.builds("{}({}={})".format, st.sampled_from(("rope", "window", "bpe", "adam", "cosine")), texts, texts)
)
numbers = st.sampled_from(NUMBERS) | st.integers().map(str) | st.floats().map(str)
keys = st.sampled_from(sorted(set(all_settings()) - {"model"})) | texts
words = st.lists(st.builds("{}={}".format, keys, values) | texts, max_size=4)


@tried(words, st.sampled_from(sorted(tasks())))
def test_settings(given: list[str], task: str) -> None:
    with refused_at_most():
        settings = parse_words(given, list(all_settings()))
        origin_of(settings).complete(tasks()[task], settings)


@tried(keys, values, st.sampled_from(sorted(tasks())))
def test_a_setting(key: str, value: str, task: str) -> None:
    with refused_at_most():
        settings = parse_words([f"{key}={value}"], list(all_settings()))
        origin_of(settings).complete(tasks()[task], settings)


@tried(st.builds("{}: {}".format, texts, words.map(" ".join)) | words.map(" ".join) | texts)
def test_variants(text: str) -> None:
    with refused_at_most():
        assert Variant.parse(text).spelled in (True, False)


spans = st.builds("{}..{}{}".format, numbers, numbers, st.sampled_from(("", ":log", ":linear", ":cubic")))


@tried(st.lists(st.builds("{}={}".format, keys, spans | st.lists(values, max_size=3).map(",".join)), max_size=3))
def test_spaces(given: list[str]) -> None:
    with refused_at_most():
        space = Space.parse(given, setting_kinds(origin_of({})))
        for _ in islice(space.probes(), 1000):
            pass
        assert Space.parse([f"{name}={text}" for name, text in space.to_dict().items()], setting_kinds(origin_of({})))
        assert space.size is None or space.size > 1
        space.point(space.grid() - 1)


@tried(numbers | texts | st.lists(numbers, max_size=3).map(",".join))
def test_seeds(text: str) -> None:
    with refused_at_most():
        assert len(parse_seeds(text)) < 10**5


@tried(st.sampled_from(sorted(SETTINGS)), texts | st.builds("({}={})".format, texts, values))
def test_choices(name: str, rest: str) -> None:
    with refused_at_most():
        chosen = choose(f"{name}{rest}", SETTINGS, "tokenizer")
        assert choose(written(chosen, name), SETTINGS, "tokenizer") == chosen


ids = texts | st.sampled_from(("../outside", "..", ".", "", "/", "runs/..", "comparisons/../../outside", "last\n"))


def _stores(folder: Path) -> Store:
    """A store with one run, and a run outside of it."""
    inside = write(folder / "runs")
    shutil.copytree(inside.folder, folder / "outside" / inside.id)
    return Store(folder / "runs")


@tried(ids | st.builds("../outside/{}".format, texts))
def test_ids(name: str) -> None:
    with a_folder() as folder:
        store = _stores(folder)
        for outside in (name, f"../outside/{store.find('last')}"):
            with refused_at_most():
                found = store.find(outside)
                assert is_id(found)
                assert (store.folder / found).resolve().parent == store.folder.resolve()
            with refused_at_most():
                report(outside, folder / "report.md", store.folder)
                assert is_id(outside)
            with refused_at_most():
                ComparisonRecord.read(outside, store)
            assert sorted(found.name for found in folder.iterdir() if found.suffix != ".md") == ["outside", "runs"]
