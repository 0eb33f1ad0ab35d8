"""Records with a wrong value: how each is made, and what is said of it."""

from collections.abc import Callable
from typing import Any


def of_test(record: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = record["result"]["test"]
    return found


def put(values: Any, key: Any, value: Any) -> None:
    values[key] = value


WRONG: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "a text for the seed": (lambda r: r.update(seed="three"), "seed must be a whole number"),
    "a list for parameters": (lambda r: r.update(parameters=[1]), "parameters must be an object"),
    "a text in parameters": (lambda r: r["parameters"].update(total="many"), "parameters.total must be a whole number"),
    "a text for a component": (lambda r: r["parameters"].update(components={"a": "x"}), "parameters.components.a must"),
    "a context of a billion": (lambda r: r["settings"].update(context=10**9), "settings.context is 1,000,000,000"),
    "a billion layers": (lambda r: r["settings"].update(layers=10**9), "settings.layers is 1,000,000,000"),
    "a width below zero": (lambda r: r["settings"].update(width=-8), "settings.width is -8"),
    "an unknown plugin entry": (lambda r: r.update(plugins=[{"odd": 1}]), "nothing is known of plugins"),
    "a plugin that is a text": (lambda r: r.update(plugins=["x.py"]), r"plugins\[0\] must be an object"),
    "a number for labels": (lambda r: r.update(labels=3), "labels must be a list"),
    "numbers as labels": (lambda r: r.update(labels=[0, 1]), r"labels\[0\] must be text"),
    "a list for settings": (lambda r: r.update(settings=[]), "settings must be an object"),
    "a list for what was given": (lambda r: r.update(given=[]), "given must be an object"),
    "a number that was given": (lambda r: r.update(given={"layers": 1}), "given.layers must be text"),
    "a text for the result": (lambda r: r.update(result="good"), "result must be an object"),
    "a number in the result": (lambda r: r.update(result={"test": 1}), "result.test must be an object"),
    "a list for files": (lambda r: r.update(files=[]), "files must be an object"),
    "a file elsewhere": (lambda r: r.update(files={"../x": "0"}), r"files names '\.\./x'"),
    "a corpus that is a text": (lambda r: r.update(corpus="sotu"), "corpus must be an object"),
    "a source without data": (lambda r: r["corpus"].update(source={}), "The source {} does not say"),
    "a source that is a list": (lambda r: r["corpus"].update(source=[1]), r"The source \[1\] does not say"),
    "a machine of texts": (lambda r: r["machine"].update(threads="2"), "machine.threads must be a whole number"),
    "no thread": (lambda r: r["machine"].update(threads=0), "machine.threads and machine.processes must be"),
    "seconds that are a text": (lambda r: r.update(seconds="long"), "seconds must be a number"),
    "a step that is a text": (lambda r: r.update(step="x"), "step must be a whole number"),
    "a status that is a list": (lambda r: r.update(status=[]), "status must be text"),
    "an unknown task": (lambda r: r.update(task="poetry"), "task must be one of"),
    "an id that is a path": (lambda r: r.update(id="../../x"), "id must be letters, digits and dashes"),
    "no versions": (lambda r: r.update(versions={}), "it lacks versions.oratory"),
    "versions that are numbers": (lambda r: r.update(versions={"oratory": 1}), "versions.oratory must be text"),
    "a message that is a list": (lambda r: r.update(message=[1]), "message must be text"),
    "no settings": (lambda r: r.update(settings={}), "it lacks settings.tokenizer"),
    "a number for the tokenizer": (lambda r: r["settings"].update(tokenizer=1), "settings.tokenizer must be text"),
    "a text for items": (lambda r: of_test(r).update(items="many"), "result.test.items must be a whole number"),
    "a list for the loss": (lambda r: of_test(r).update(loss=[]), "result.test.loss must be a number"),
    "a row that is none": (
        lambda r: put(of_test(r)["confusion"], 1, None),
        r"result.test.confusion\[1\] must be a list",
    ),
    "a row that is short": (lambda r: of_test(r)["confusion"][1].pop(), "result.test.confusion must count the items"),
    "a row too many": (lambda r: of_test(r)["confusion"].append([0, 0]), "result.test.confusion must count the items"),
    "half an item": (
        lambda r: of_test(r)["calibration"][0].update(items=1.5),
        r"result.test.calibration\[0\].items must be a whole number",
    ),
    "no item in a bin": (
        lambda r: of_test(r)["calibration"][0].update(items=0),
        "result.test.calibration must have items",
    ),
    "a class without items": (
        lambda r: put(of_test(r)["per_class"], "0", {}),
        "it lacks result.test.per_class.0.items",
    ),
}
