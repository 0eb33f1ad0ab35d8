"""A new key for a fixed query: only its score counts, and the score is the query's length times the key's shadow on it.

All other weights keep their proportions whatever the new key is. So there is one number to choose, the new score; the
key itself is the one nearest to the old key among those with this score (and with the length, where one is fixed).
"""

import numpy as np
from numpy.typing import NDArray

from oratory.inspect.solve_facts import Certificate
from oratory.inspect.solve_query import LEAK, NOTHING, Problem

Array = NDArray[np.float64]

AIM = 100.0
"""The score that least squares aims at for a key that is wanted, as for queries; the opposite for one that is not."""


class Replacement:
    """A key to be replaced, beside a query that stays."""

    def __init__(self, problem: Problem, query: Array, place: int) -> None:
        self.problem, self.query, self.place = problem, query, place
        self.scores = problem.factor * problem.keys @ query
        self.stays = np.arange(len(self.scores)) != place
        self.members = self.stays & problem.inside
        self.share = float(problem.wanted[place])
        reach = problem.factor * float(np.linalg.norm(query)) * (problem.length or np.inf) if query.any() else 0.0
        self.low, self.high = -reach, reach
        # On a line, a key of a given length is one of two.
        self.two = problem.length is not None and len(query) == 1

    def exactly(self) -> tuple[Array, Certificate | None]:
        """The new key, and why it does not give the wanted weights where no key (and no longer query) does."""
        return self._key_with(self._attainable(self._best_score())), self._certificate()

    def least_squares(self, target: float | None) -> tuple[Array, Certificate | None]:
        """The shortest key whose score is nearest to a target, stretched to the length where one is fixed."""
        if target is None:
            target = self._best_score() if 0 < self.share < 1 else AIM if self.share else -AIM
        if not self.query.any():
            return self._key_with(0.0), self._certificate()
        key = target * self.query / (self.problem.factor * float(self.query @ self.query))
        if self.problem.length is not None:
            key = self.query * np.copysign(1.0, target)
            key *= self.problem.length / np.linalg.norm(key)
        return key, self._certificate()

    def _best_score(self) -> float:
        """The score that gives the new key its share; far above or below the rest for all or nothing."""
        from scipy.special import logsumexp

        fixed = self.problem.length is not None
        if not self.stays.any():
            return float(self.scores[self.place])
        if self.share == 1:
            return self.high if fixed else float(logsumexp(self.scores[self.stays]) - np.log(LEAK))
        if self.share == 0:
            return self.low if fixed else float(logsumexp(self.scores[self.members]) + np.log(LEAK))
        if self._apart() <= NOTHING:
            return float(self._levels().mean() + np.log(self.share))
        return float(logsumexp(self.scores[self.stays]) + np.log(self.share / (1 - self.share)))

    def _levels(self) -> Array:
        """Scores of wanted keys that stay, less the logarithms of their weights: all alike where they can be right."""
        return np.asarray(self.scores[self.members] - np.log(self.problem.wanted[self.members]))

    def _apart(self) -> float:
        return float(np.ptp(self._levels())) if self.members.any() else 0.0

    def _attainable(self, score: float) -> float:
        """The nearest score that a key can have."""
        if not self.two:
            return float(np.clip(score, self.low, self.high))
        if abs(score - self.low) != abs(score - self.high):
            return min(self.low, self.high, key=lambda end: abs(end - score))
        return self.high

    def _key_with(self, score: float) -> Array:
        """The key with this score that is nearest to the old one."""
        old, length = self.problem.keys[self.place], self.problem.length
        if not self.query.any():
            # Every key scores zero, so any will do.
            size = float(np.linalg.norm(old))
            if length is None:
                return np.asarray(old)
            return np.asarray(old * length / size if size else np.eye(len(old))[0] * length)
        along = self.query / np.linalg.norm(self.query)
        shadow = score / (self.problem.factor * float(np.linalg.norm(self.query)))
        across = old - (old @ along) * along
        if length is not None:
            across = self._across(across, along) * np.sqrt(max(length**2 - shadow**2, 0.0))
        return np.asarray(shadow * along + across)

    def _across(self, wish: Array, along: Array) -> Array:
        """A direction of length 1 at a right angle to the query, as near to a wish as can be."""
        if len(wish) == 1:
            return np.zeros(1)
        if np.linalg.norm(wish) <= NOTHING * np.linalg.norm(self.problem.keys[self.place]):
            wish = np.eye(len(wish))[np.abs(along).argmin()]
        wish = wish - (wish @ along) * along
        return np.asarray(wish / np.linalg.norm(wish))

    def _certificate(self) -> Certificate | None:
        return self._ratio() or self._out_of_reach() if self.stays.any() else None

    def _ratio(self) -> Certificate | None:
        """Two keys that stay and whose weights are in the wrong proportion, which no new key changes."""
        if not self.members.any():
            return None
        members = np.flatnonzero(self.members)
        if self._apart() > NOTHING:
            levels = self._levels()
            first, second = int(members[levels.argmax()]), int(members[levels.argmin()])
            needed = float(np.log(self.problem.wanted[first] / self.problem.wanted[second]))
            return self._fixed(first, second, needed, f"; wanted is a factor of {np.exp(needed):.4g}")
        rest = np.flatnonzero(self.stays & ~self.problem.inside)
        if not len(rest):
            return None
        least, most = int(members[self.scores[members].argmin()]), int(rest[self.scores[rest].argmax()])
        # Equal weights stay equal in a longer query, and a key that is behind (by more than rounding) falls further;
        # others do not.
        rounding = NOTHING * float(np.abs(self.scores[self.stays]).max())
        allowed = -rounding if self.problem.uniform else np.log(1e-7 / len(self.scores))
        if self.scores[most] - self.scores[least] < allowed:
            return None
        return self._fixed(most, least, None, f", and key {most} should have none")

    def _fixed(self, first: int, second: int, needed: float | None, wish: str) -> Certificate:
        value = float(self.scores[first] - self.scores[second])
        says = (
            f"Whatever the new key is, the scores of keys {first} and {second} differ by {value:.4g}, so their weights "
            f"differ by a factor of {np.exp(min(value, 700.0)):.6g}{wish}."
        )
        return Certificate("ratio", {first: 1.0}, {second: 1.0}, value, needed, 0.0, says)

    def _out_of_reach(self) -> Certificate | None:
        """A score that no key of this length has."""
        slack = NOTHING * max(1.0, self.high if np.isfinite(self.high) else 1.0)
        if self.share == 1:
            rival = float(self.scores[self.stays].max())
            return self._short(rival, self.high, "more than") if self.high <= rival else None
        if self.share == 0:
            rival = float(self.scores[self.members].min())
            return self._short(rival, self.low, "less than") if self.low >= rival else None
        score = self._best_score()
        nearest = self._attainable(score)
        return self._short(score, nearest, "") if abs(nearest - score) > slack else None

    def _short(self, needed: float, value: float, side: str) -> Certificate:
        why = f"a key of length {self.problem.length:g}" if self.query.any() else "with a query of zero every key"
        says = f"The new key would have to score {f'{side} {needed:.6g}'.strip()}; {why} scores "
        says += f"{value:.6g} at the {'least' if value < 0 or side == 'less than' else 'most'}."
        return Certificate("reach", {self.place: 1.0}, {}, value, needed, 0.0, says)
