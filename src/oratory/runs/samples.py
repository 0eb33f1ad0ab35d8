"""Three sentences that tell a language model's habits apart: an everyday one, an odd one and a long one."""

SAMPLES = {
    "normal": "Thank you so much Liwei and Taylor for all your help with this !",
    "weird": "After learning language models model natural language",
    # The opening sentence of Charles Dickens, A Tale of Two Cities (1859).
    "long": (
        "It was the best of times , it was the worst of times , it was the age of wisdom , it was the age of "
        "foolishness , it was the epoch of belief , it was the epoch of incredulity , it was the season of Light , it "
        "was the season of Darkness , it was the spring of hope , it was the winter of despair , we had everything "
        "before us , we had nothing before us , we were all going direct to Heaven , we were all going direct the "
        "other way ."
    ),
}
"""By name."""
