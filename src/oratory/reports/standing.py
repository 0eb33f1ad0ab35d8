"""Models beside their baselines, as a part of a report."""

from dataclasses import replace

from oratory.comparisons.standing import Standing
from oratory.pictures import Mark, Topic
from oratory.statistics import Estimate
from oratory.tables import Table
from oratory.training.tasks.metric import Metric


def standing_topic(standing: Standing, table: Table | None = None) -> Topic:
    """The picture of all parts of test, with their table, or with another one."""
    metric, parts = standing.metric, standing.parts
    variants = {name: [_mark(metric, found[part]) for part in parts] for name, found in standing.variants.items()}
    baselines = {
        name: [None if (value := values.get(part)) is None else metric.plotted_value(value) for part in parts]
        for name, values in standing.baselines.items()
    }
    topic = standing.task.results.parts(parts, variants, baselines, metric)
    sentences = tuple(filter(None, (standing.in_train, standing.one_seed)))
    return replace(topic, sentences=sentences, tables=(table or standing.table(parts),))


def _mark(metric: Metric, found: Estimate) -> Mark:
    interval = (metric.plotted(found.interval[0]), metric.plotted(found.interval[1])) if found.interval else None
    return Mark(metric.plotted(found.mean), interval)
