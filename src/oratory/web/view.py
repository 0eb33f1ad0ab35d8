"""What a view is: a title, a place in the menu, its pages, and its part of the API."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from fastapi import APIRouter

if TYPE_CHECKING:
    from oratory.runs import Run
    from oratory.web.laboratory import Laboratory


class View(ABC):
    """One view of the page. Its file is its name: `views/runs.py` has its page at `/runs`, and its API at `/api/runs`.

    Its template is `templates/NAME.html`, and its script, if it needs one, `static/NAME.js`.
    """

    title: ClassVar[str]
    """In the menu."""
    about: ClassVar[str]
    """One sentence on what it shows."""
    place: ClassVar[int]
    """Its place in the menu: those with smaller numbers come first."""

    @property
    def name(self) -> str:
        """The name of its file."""
        return type(self).__module__.rpartition(".")[2]

    def link(self, run: "Run") -> str | None:
        """Where it looks at this run; None where it looks at no run, or not at one of this kind."""
        return None

    @abstractmethod
    def router(self, lab: "Laboratory") -> APIRouter:
        """Its pages and its part of the API."""
