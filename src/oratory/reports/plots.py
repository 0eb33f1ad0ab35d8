"""What results show of themselves in a notebook: the pictures of their reports."""

from oratory.comparisons import Comparison
from oratory.inspect import Maps
from oratory.reports.document import document_of
from oratory.reports.maps import picture
from oratory.runs import Run
from oratory.searches.result import Search
from oratory.tables import Plot, Plots, plots_of


@plots_of.register(Run)
@plots_of.register(Comparison)
@plots_of.register(Search)
def of_report(result: Run | Comparison | Search) -> Plots:
    """All pictures of the report."""
    return Plots(tuple(Plot(each.name, each.svg, each.caption) for each in document_of(result).figures))


@plots_of.register
def of_maps(maps: Maps) -> Plots:
    """All maps in one picture."""
    return Plots((Plot("maps", picture(maps, "").decode(), f"Rows are queries, columns keys: {maps.text}"),))
