from pathlib import Path

import pytest

from oratory.text import Corpus
from oratory.text.sentences import sentences


@pytest.mark.parametrize(
    "expected",
    [
        ["Mr. Speaker, Mr. Vice President, I thank you.", "We met Dr. Jones at 5 p.m. in the U.S. Capitol."],
        ["This is the policy of the U.S.", "We will keep it."],
        ["I spoke to George W. Bush.", "He agreed."],
        ['He said, "We will not fail."', "And we did not."],
        ['"Is this right?" she asked.', '"No!" he said.'],
        ["“We did it.”", "That is all."],
        ["The U.S. Government paid $3.5 million.", "No. 5 was last."],
        ["We met Gen. Grant, Hon. John Smith, and J. P. Morgan Jr. in St. Louis."],
        ["Sgt. Maj. Smith of Washington, D.C.", "He is here tonight."],
        ["God bless you... and good night.", "Really?!", "Yes."],
        ["The plan was passed in 1990.", "12 States agreed."],
    ],
)
def test_titles_initials_abbreviations_and_quotes(expected: list[str]) -> None:
    assert sentences(" ".join(expected)) == expected


@pytest.mark.parametrize(
    ("transcript", "expected"),
    [
        ("We won. [Laughter] And now to work.", ["We won.", "And now to work."]),
        ("I see you—[applause]—and I thank you.", ["I see you——and I thank you."]),
        ("They were [we're; White House correction] right.", ["They were we're right."]),
        ("Audience members. Boo!\nLet me go on.", ["Let me go on."]),
        ("The President. Thank you all.", ["Thank you all."]),
        ("NATIONAL DEFENSE\nWe stand firm.\nHARRY S. TRUMAN", ["We stand firm."]),
        ("Urban Policy\nCities need help.\nJimmy Carter", ["Cities need help."]),
        ("The White House,\nWe begin.", ["We begin."]),
        ("", []),
    ],
)
def test_what_the_transcriber_added_is_left_out(transcript: str, expected: list[str]) -> None:
    assert sentences(transcript) == expected


def test_sentences_of_the_default_corpus_look_like_sentences(sotu: Corpus) -> None:
    data = sotu.need_classifier()
    texts = [text for _, split in data.splits() for text in split.texts]
    # Abbreviations that never end a sentence in these addresses.
    assert not [text for text in texts if text.endswith((" Mr.", " Mrs.", " Dr.", " Gen.", " St.", " Sgt.", " No."))]
    assert sum(text[0].islower() for text in texts) / len(texts) < 0.005
    assert not [text for text in texts if "[Laughter]" in text or "[Applause]" in text]
    assert sum(text.rstrip("\"'”’)")[-1] in ".?!:;—" for text in texts) / len(texts) > 0.995


def test_typed_text_is_split_as_the_corpus_was() -> None:
    from oratory.text.load import parse_source

    text = "We will go on. Mr. Speaker, thank you! [Laughter]"
    assert parse_source("sotu").pieces(text)[:2] == ["We will go on.", "Mr. Speaker, thank you!"]
    assert parse_source("sotu(presidents=lincoln+grant)").pieces("One. Two.") == ["One.", "Two."]
    assert parse_source("/tmp").pieces("One. Two.") == ["One. Two."]


def test_typed_text_is_split_where_the_texts_of_a_folder_are_sentences(tmp_path: Path) -> None:
    from oratory.text.load import parse_source

    lines = tmp_path / "train_LM.txt"
    lines.write_text("".join(f"We will go on for {number} years.\n" for number in range(30)))
    assert parse_source(tmp_path).pieces("One. Two.") == ["One.", "Two."]
    lines.write_text("".join(f"We go on. It takes {number} years.\n" for number in range(30)))
    assert parse_source(tmp_path).pieces("One. Two.") == ["One. Two."]
