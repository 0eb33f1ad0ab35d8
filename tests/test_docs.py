"""Everything shown runs: `python` and `bash` blocks of the README and the docs, each file from top to bottom.

Blocks marked `sh` are for a person (`make`, `pip`, hours of training). The commands of ours among them are only read.
"""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from docs import hooks
from typer.main import get_command

import oratory
from oratory.cli import build, main
from oratory.comparisons import parse_variants
from oratory.comparisons.design import full_word
from oratory.mechanisms import REGISTRY
from oratory.mechanisms.kinds import KINDS
from oratory.settings import parse_words
from oratory.training.origins import all_settings
from oratory.training.tasks import tasks

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
BLOCK = re.compile(r"^```(python|bash|sh)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMANDS = [
    (page.name, line)
    for page in PAGES
    for kind, block in BLOCK.findall(page.read_text())
    if kind == "sh"
    for line in block.replace("\\\n", " ").splitlines()
    if line.startswith("oratory ")
]


def blocks(page: Path) -> list[tuple[str, str]]:
    """What of a page is executed."""
    return [(kind, block) for kind, block in BLOCK.findall(page.read_text()) if kind != "sh"]


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def run(line: str, monkeypatch: pytest.MonkeyPatch) -> tuple[int, str]:
    """The exit code of a command, and what it said on stderr. It runs in this process, which has imported all of it."""
    monkeypatch.setattr(sys, "argv", shlex.split(line, comments=True))
    said = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        try:
            main()
        except SystemExit as left:
            return left.code if isinstance(left.code, int) else int(left.code is not None), said.getvalue()
    return 0, said.getvalue()


def _lane(page: Path) -> Any:
    """The README is tried every time; the other pages take minutes together."""
    return page if page.name == "README.md" else pytest.param(page, marks=pytest.mark.long)


@pytest.mark.parametrize("page", [_lane(page) for page in PAGES if blocks(page)], ids=name_of)
def test_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_this_process: None) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").symlink_to(DOCS)  # Commands are given in a clone.
    # Mechanisms of a page are known on that page only.
    monkeypatch.setattr(REGISTRY, "_loaded", {kind: dict(REGISTRY[kind]) for kind in KINDS})
    names: dict[str, Any] = {}
    for kind, block in blocks(page):
        if kind == "python":
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(block, page.name, "exec"), names)
            continue
        for line in block.splitlines():
            assert line.startswith("oratory "), f"{page.name} shows a command that is not ours: {line}"
            code, said = run(line, monkeypatch)
            assert code == 0, f"{line}\n{said}"


def test_commands_that_take_long_can_be_read() -> None:
    """Their options exist, and so do their settings."""
    app = get_command(build())
    for page, line in COMMANDS:
        command: Any = app
        words = shlex.split(line.removesuffix("&"), comments=True)[1:]
        while hasattr(command, "commands"):
            command = command.commands[words.pop(0)]
        try:
            given = command.make_context(command.name, words).params
            parse_variants(given.get("variants") or [])
            for name in ("settings", "space", "tune"):
                parse_words(map(full_word, given.get(name) or []), all_settings())
        except Exception as error:
            raise AssertionError(f"{page}: {line}") from error


def test_links_lead_somewhere() -> None:
    for page in [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]:
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
            path = Path(os.path.normpath(page.parent / target))
            written = path.is_relative_to(DOCS) and path.relative_to(DOCS).as_posix() in hooks.PAGES
            assert target.startswith("https://") or written or path.exists(), f"{page.name}: {target}"


def test_every_page_is_in_the_navigation() -> None:
    listed = set(re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text()))
    assert listed == {page.relative_to(DOCS).as_posix() for page in PAGES[1:]} | set(hooks.PAGES)


def test_the_reference_is_written_by_the_program() -> None:
    pages = hooks.pages()
    for path, text in pages.items():
        assert text.startswith("# "), path
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
            found = os.path.normpath(Path(path).parent / target)
            assert found in pages or (DOCS / found).exists(), f"{path}: {target}"
    for name in all_settings():
        assert f"| {name} |".replace("_", r"\_") in pages["reference/settings.md"]
    for name, command in get_command(build()).commands.items():  # type: ignore[attr-defined]
        for part in getattr(command, "commands", [""]):
            assert f"## `{f'oratory {name} {part}'.strip()}`" in pages["reference/commands.md"]
    for kind in KINDS:
        assert all(f"| {name} |" in pages["reference/mechanisms.md"] for name in REGISTRY[kind])
    assert pages["reference/api.md"].count("\n::: ") == len(oratory.__all__)


def test_every_mechanism_has_a_page_with_its_formula_paper_and_parity() -> None:
    pages = hooks.pages()
    for kind in KINDS:
        for name, cls in REGISTRY[kind].items():
            if cls.__module__.startswith("oratory."):
                text = pages[f"reference/mechanisms/{kind}-{name}.md"]
                assert text.startswith(f"# `{kind}={name}`")
                assert cls.paper in text
                assert "within 1e-5, with: " in text
                assert ("there is no map" in text) == getattr(cls, "instead", False)
                assert ("data:image/png;base64," in text) != getattr(cls, "instead", False)
                if kind in ("pattern", "pool", "head", "objective"):
                    assert ("The two are the same here" in text) == (kind != "pattern" or name == "full"), name
                assert ("but one that it declares" in text) == bool(
                    getattr(cls, "loose", "") or getattr(cls, "instead", False) or cls.across_tokens
                )


def test_the_table_of_the_atlas_is_the_committed_data() -> None:
    text = hooks.pages()["reference/atlas.md"]
    assert text.count("data:image/svg+xml;base64,") == sum(len(atlas["base"]["means"]) for atlas in hooks.atlases())
    assert hooks.stacks().keys() <= {atlas["atlas"] for atlas in hooks.atlases()}
    assert text.count("### Together") == len(hooks.stacks())
    for atlas in hooks.atlases():
        assert atlas["command"].startswith("oratory atlas --task ")
        assert {"oratory", "torch"} <= atlas["versions"].keys()
        metric = tasks()[atlas["task"]].metric(name=atlas["metric"])
        lines = [line for line in text.splitlines() if line.startswith("| ")]
        for row in (*atlas["rows"], *atlas["controls"]):
            effect = row["effects"].get("tuned", row["effects"].get("as given"))
            wanted = (
                [row["name"], metric.show_difference(effect["difference"])] if effect else [row["name"], row["reason"]]
            )
            assert any(all(word.replace("_", r"\_") in line for word in wanted) for line in lines), row["name"]


def test_no_path_of_a_machine_is_committed() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("this is not a git checkout")
    for name in listed.stdout.split():
        path = ROOT / name
        if path.suffix in {".py", ".md", ".toml", ".yml", ".html"} and path.is_file():
            assert not re.search(rf"/(?:home|root|Users)/\w|{re.escape(os.sep)}work/", path.read_text()), name
