"""The catalogue: the line of every run in lists, in one SQLite file. Nothing is kept there alone.

The folders of the runs decide. The catalogue saves reading them all: it is compared with the names of the folders each
time, what is missing is added, what is gone is dropped, and where the file cannot be used the folders are read.
"""

import hashlib
import json
import os
import sqlite3
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from oratory.errors import InputError
from oratory.ids import is_id
from oratory.records import read_record
from oratory.runs.entry import FACTS, Entry
from oratory.runs.record import FORMAT, RECORD
from oratory.runs.run import Run

FILE = "catalogue.sqlite"
ASIDE = "catalogue.sqlite.damaged"
APPLICATION = 0x4F524154
"""What SQLite files of this kind say they are."""
VERSION = 3
"""Raised when a row means something else than before; the catalogue is then made again."""
WAIT = 10.0
"""Seconds to wait for another process that writes."""

CatalogueRow = tuple[str, int, str, str, int]
"""A run in the file: its name, the time of its record, its facts, the key of its settings, and the facts' checksum."""

_NOT_DAMAGE = (
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_NOLFS,
    sqlite3.SQLITE_NOMEM,
)


class Catalogue:
    """The catalogue of a folder of runs. Any number of processes may use it at once."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self.path = self.folder / FILE

    def entries(self) -> list[Entry]:
        """Every run of the folder, the newest first."""
        known, usable = self._known()
        # The folders are looked at after the catalogue: a run that begins meanwhile is then never taken for gone.
        names = self._names()
        unsure = {name for name in names if name not in known or self._changed(name, *known[name])}
        found = self._read(unsure)
        gone = known.keys() - (names - unsure) - found.keys()
        if usable and (found or gone):
            with suppress(sqlite3.Error, OSError):
                self._write(found, gone)
        kept = [known[name] for name in names - unsure]
        # Records of one second are told apart by when they were last written.
        order = sorted([*kept, *found.values()], key=lambda pair: (pair[1].created, pair[0], pair[1].id), reverse=True)
        return [entry for _, entry in order]

    def put(self, run: Run) -> None:
        """Note what the record of a run now says. Where that cannot be written, the next list notices it."""
        with suppress(sqlite3.Error, OSError):
            self._write(self._read([run.folder.name]), ())

    def drop(self, name: str) -> None:
        """Forget a run."""
        if self.path.exists():
            with suppress(sqlite3.Error, OSError):
                self._write({}, [name])

    def rebuild(self) -> int:
        """Make the catalogue again from the folders, and say how many runs it holds."""
        found = self._read(self._names())
        if not found and not self.path.exists():
            return 0
        try:
            self._write(found, None)
        except (sqlite3.Error, OSError) as error:
            raise InputError(f"{self.path} cannot be written: {error}.") from None
        return len(found)

    def _known(self) -> tuple[dict[str, tuple[int, Entry]], bool]:
        """What the file says, each with the time of its record, and whether the file can be used."""
        if not self.path.exists():
            return {}, True
        try:
            with closing(self._connect()) as connection:
                connection.execute("BEGIN")
                rows = connection.execute("SELECT id, stamp, facts, settings, checksum FROM runs").fetchall()
                shared = connection.execute("SELECT key, text FROM settings").fetchall()
            return _parsed(rows, shared), True
        except (sqlite3.Error, ValueError, TypeError, KeyError) as error:
            return {}, _is_damage(error) and self._move_aside()

    def _names(self) -> set[str]:
        """The folders that may hold a run."""
        try:
            with os.scandir(self.folder) as found:
                return {item.name for item in found if is_id(item.name) and item.is_dir()}
        except FileNotFoundError:
            return set()
        except OSError as error:
            raise InputError(f"{self.folder} cannot be read: {error.strerror or error}.") from None

    def _changed(self, name: str, stamp: int, entry: Entry) -> bool:
        """Whether the record may say more by now; one that is finished stays as it is."""
        return entry.status != "finished" and _stamp(self.folder / name) != stamp

    def _read(self, names: Iterable[str]) -> dict[str, tuple[int, Entry]]:
        """The runs in these folders, each with the time of its record."""
        found = {}
        for name in names:
            # The time first: a record that changes meanwhile is then read again next time.
            stamp = _stamp(self.folder / name)
            if stamp is not None:
                found[name] = (stamp, _entry(self.folder / name))
        return found

    def _write(self, found: Mapping[str, tuple[int, Entry]], gone: Iterable[str] | None) -> None:
        """Add some runs and drop others, all or nothing; None drops whatever there was."""
        rows, shared = [], {}
        for name, (stamp, entry) in found.items():
            settings = json.dumps(entry.settings)
            key = _key(settings)
            shared[key] = settings
            facts = json.dumps([getattr(entry, fact) for fact in FACTS])
            rows.append((name, stamp, facts, key, zlib.crc32(facts.encode())))
        try:
            self._change(rows, shared, gone)
        except sqlite3.Error as error:
            if not _is_damage(error):
                raise
            self._move_aside()
            self._change(rows, shared, gone)

    def _change(self, rows: Sequence[CatalogueRow], shared: Mapping[str, str], gone: Iterable[str] | None) -> None:
        with closing(self._connect()) as connection:
            connection.execute("BEGIN IMMEDIATE")
            if gone is None:
                connection.execute("DELETE FROM runs")
                connection.execute("DELETE FROM settings")
            else:
                connection.executemany("DELETE FROM runs WHERE id = ?", [(name,) for name in gone])
            connection.executemany("INSERT OR IGNORE INTO settings VALUES (?, ?)", shared.items())
            # What another process has written from a later record stays.
            connection.executemany(
                "INSERT INTO runs VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET stamp = excluded.stamp, "
                "facts = excluded.facts, settings = excluded.settings, checksum = excluded.checksum "
                "WHERE excluded.stamp >= stamp",
                rows,
            )
            connection.execute("COMMIT")

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=WAIT, isolation_level=None)
        try:
            if _kind(connection) != (APPLICATION, VERSION):
                _prepare(connection)
            connection.execute("PRAGMA synchronous = NORMAL")
        except BaseException:
            connection.close()
            raise
        return connection

    def _move_aside(self) -> bool:
        """Put a file that is no catalogue out of the way, and say whether that was possible."""
        try:
            self.path.replace(self.folder / ASIDE)
            for ending in ("-wal", "-shm", "-journal"):
                (self.folder / f"{FILE}{ending}").unlink(missing_ok=True)
        except OSError:
            return False
        return True


def _parsed(rows: Sequence[CatalogueRow], shared: Sequence[tuple[str, str]]) -> dict[str, tuple[int, Entry]]:
    """Rows of the catalogue as entries. All are parsed in one go, and settings that are the same only once."""
    if any(zlib.crc32(facts.encode()) != checksum for _, _, facts, _, checksum in rows):
        raise ValueError("a run has other facts than were written")
    if any(_key(text) != key for key, text in shared):
        raise ValueError("settings are not those that were written")
    parsed = {key: json.loads(text) for key, text in shared}
    facts: list[list[Any]] = json.loads(f"[{','.join(row[2] for row in rows)}]")
    return {
        name: (stamp, Entry(name, *values, parsed[settings]))  # type: ignore[call-arg]
        for (name, stamp, _, settings, _), values in zip(rows, facts, strict=True)
    }


def _key(settings: str) -> str:
    """What settings are kept by, which is their checksum too."""
    return hashlib.sha256(settings.encode()).hexdigest()[:16]


def _stamp(folder: Path) -> int | None:
    """When the record was written; None where there is none, and 0 where it may not be read."""
    try:
        return os.stat(f"{folder}/{RECORD}").st_mtime_ns  # noqa: PTH116 (a list asks this of every unfinished run)
    except PermissionError:
        return 0 if "-" in folder.name else None  # Without a dash it is a folder beside the runs.
    except OSError:
        return None


def _entry(folder: Path) -> Entry:
    try:
        return Entry.of(Run.read(folder))
    except InputError:
        is_closed = not os.access(folder / RECORD, os.R_OK)
        return Entry(folder.name, status="closed" if is_closed else "newer" if _is_newer(folder) else "damaged")


def _is_newer(folder: Path) -> bool:
    try:
        return bool(read_record(folder / RECORD)["format"] > FORMAT)
    except (InputError, TypeError, KeyError):
        return False


def _is_damage(error: Exception) -> bool:
    """Whether the file itself is at fault, and not its folder or another process."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is None or code & 0xFF not in _NOT_DAMAGE


def _kind(connection: sqlite3.Connection) -> tuple[int, int]:
    """What the file says it is."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return application, version


def _prepare(connection: sqlite3.Connection) -> None:
    """Make an empty catalogue of an empty file, or of a catalogue of another version."""
    connection.execute("BEGIN IMMEDIATE")
    application, version = _kind(connection)
    if application != APPLICATION and connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise sqlite3.DatabaseError("the catalogue of something else")
    if (application, version) != (APPLICATION, VERSION):
        connection.execute("DROP TABLE IF EXISTS runs")
        connection.execute("DROP TABLE IF EXISTS settings")
        connection.execute(
            "CREATE TABLE runs (id TEXT PRIMARY KEY, stamp INTEGER, facts TEXT, settings TEXT, checksum INTEGER)"
        )
        connection.execute("CREATE TABLE settings (key TEXT PRIMARY KEY, text TEXT)")
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")
    with suppress(sqlite3.OperationalError):  # Not every file system can do it, and not while others use the file.
        connection.execute("PRAGMA journal_mode = WAL")
