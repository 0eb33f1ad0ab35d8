"""The nearest texts of train."""

from pathlib import Path

import pytest

from oratory.baselines.nearest import NearestTexts
from oratory.text import load_corpus


def test_the_same_text_is_seen_and_comes_first(folder: Path) -> None:
    index = NearestTexts(load_corpus(folder).need_classifier())
    found = index.of("YES we can")
    assert found.seen
    assert (found.neighbours[0].text, found.neighbours[0].same) == ("Yes, we can.", True)
    assert [each.likeness for each in found.neighbours[1:]] == sorted(
        (each.likeness for each in found.neighbours[1:]), reverse=True
    )


def test_likeness_is_the_cosine_of_tfidf(folder: Path) -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.metrics.pairwise import cosine_similarity

    data = load_corpus(folder).need_classifier()
    found = NearestTexts(data).of("The union will go on", 10)
    vectors = TfidfVectorizer(token_pattern=r"\w+|[^\w\s]", ngram_range=(1, 2), sublinear_tf=True).fit(data.train.texts)
    expected = cosine_similarity(vectors.transform(data.train.texts), vectors.transform(["The union will go on"]))[:, 0]
    assert {each.place: each.likeness for each in found.neighbours} == pytest.approx(
        {place: value for place, value in enumerate(expected) if value > 0}
    )
    assert not found.seen
    assert NearestTexts(data).of("zounds").neighbours == ()
