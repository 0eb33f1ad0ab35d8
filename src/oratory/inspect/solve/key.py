"""A new key for a query that stays.

Only the score of the new key matters: all other weights keep their proportions whatever the new key is. So there is one
number to choose, the new score. The new key is the one nearest to the old key among those with this score (and with the
given length, if there is one).
"""

import numpy as np

from oratory.inspect.solve.certificate import Certificate
from oratory.inspect.solve.geometry import LEAKS
from oratory.inspect.solve.problem import EQUAL, Array, Problem

AIM = 100.0
"""The score that least squares aims at for a key that should have all the weight; minus this for no weight."""
PARALLEL = 1e-9
"""A part of the old key across the query that is shorter than this, relative to the key, has no direction."""


class Replacement:
    """The key at `place`, to be replaced, and the query that stays."""

    def __init__(self, problem: Problem, query: Array, place: int) -> None:
        self.problem, self.query, self.place = problem, query, place
        self.scores = problem.scores(query)
        self.stays = np.arange(len(self.scores)) != place
        self.members = self.stays & problem.inside
        self.share = float(problem.wanted[place])
        reach = problem.factor * float(np.linalg.norm(query)) * (problem.length or np.inf) if query.any() else 0.0
        self.low, self.high = -reach, reach

    def exact(self) -> tuple[Array, Certificate | None]:
        """The new key, and a certificate where no new key gives the wanted weights."""
        return self._key_with(self._attainable(self._best_score())), self._certificate()

    def least_squares(self, target: float | None) -> tuple[Array, Certificate | None]:
        """The shortest key whose score is nearest to a target, stretched to the length where one is given."""
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
        """The score that gives the new key its weight; far above or below the others for a weight of 1 or 0."""
        from scipy.special import logsumexp

        fixed = self.problem.length is not None
        if not self.stays.any():
            return float(self.scores[self.place])
        if self.share == 1:
            return self.high if fixed else float(logsumexp(self.scores[self.stays]) - np.log(LEAKS[0]))
        if self.share == 0:
            return self.low if fixed else float(logsumexp(self.scores[self.members]) + np.log(LEAKS[0]))
        if self._spread() <= EQUAL:
            return float(self._levels().mean() + np.log(self.share))
        return float(logsumexp(self.scores[self.stays]) + np.log(self.share / (1 - self.share)))

    def _levels(self) -> Array:
        """Scores of the wanted keys that stay, minus the logarithms of their weights: equal where these are right."""
        return np.asarray(self.scores[self.members] - np.log(self.problem.wanted[self.members]))

    def _spread(self) -> float:
        return float(np.ptp(self._levels())) if self.members.any() else 0.0

    def _attainable(self, score: float) -> float:
        """The score that a key can have with the smallest divergence from the wanted weights: mostly the nearest."""
        if self.problem.length is None or len(self.query) > 1:
            return float(np.clip(score, self.low, self.high))
        from scipy.special import logsumexp

        rest = logsumexp(self.scores[self.stays])

        def divergence(found: float) -> tuple[float, float]:
            """What of it depends on the new score; the nearer score decides between equals."""
            return float(np.logaddexp(rest, found)) - self.share * found, abs(found - score)

        return min(self.high, self.low, key=divergence)  # In one dimension only two keys have a given length.

    def _key_with(self, score: float) -> Array:
        """The key with this score that is nearest to the old one."""
        old, length = self.problem.keys[self.place], self.problem.length
        if not self.query.any():
            # Every key scores zero, so the old one needs only the right length.
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

    def _across(self, old: Array, along: Array) -> Array:
        """The direction of length 1 across the query that is nearest to the old key."""
        if len(old) == 1:
            return np.zeros(1)
        if np.linalg.norm(old) <= PARALLEL * np.linalg.norm(self.problem.keys[self.place]):
            old = np.eye(len(old))[np.abs(along).argmin()]
        old = old - (old @ along) * along
        return np.asarray(old / np.linalg.norm(old))

    def _certificate(self) -> Certificate | None:
        return self._ratio() or self._out_of_reach() if self.stays.any() else None

    def _ratio(self) -> Certificate | None:
        """Two keys that stay with weights in a wrong proportion, which no new key changes."""
        if not self.members.any():
            return None
        members = np.flatnonzero(self.members)
        if self._spread() > EQUAL:
            levels = self._levels()
            first, second = int(members[levels.argmax()]), int(members[levels.argmin()])
            needed = float(np.log(self.problem.wanted[first] / self.problem.wanted[second]))
            return self._proportion(first, second, needed, f"; wanted is a factor of {np.exp(needed):.4g}")
        rest = np.flatnonzero(self.stays & ~self.problem.inside)
        if not len(rest):
            return None
        least, most = int(members[self.scores[members].argmin()]), int(rest[self.scores[rest].argmax()])
        # A longer query keeps equal weights equal, and takes weight from a key that scores less (by more than
        # rounding). It does not keep unequal weights.
        rounding = self.problem.rounding(self.query)
        allowed = -rounding if self.problem.uniform else np.log(1e-7 / len(self.scores))
        if self.scores[most] - self.scores[least] < allowed:
            return None
        return self._proportion(most, least, None, f", and key {most} should have none")

    def _proportion(self, first: int, second: int, needed: float | None, wanted: str) -> Certificate:
        value = float(self.scores[first] - self.scores[second])
        says = (
            f"Whatever the new key is, the scores of keys {first} and {second} differ by {value:.4g}, so their weights "
            f"differ by a factor of {np.exp(min(value, 700.0)):.6g}{wanted}."
        )
        return Certificate("ratio", {first: 1.0}, {second: 1.0}, value, needed, 0.0, says)

    def _out_of_reach(self) -> Certificate | None:
        """A score that no key of this length has."""
        slack = EQUAL * max(1.0, self.high if np.isfinite(self.high) else 1.0)
        if self.share == 1:
            rival = float(self.scores[self.stays].max())
            return self._reach(rival, self.high, "more than") if self.high <= rival else None
        if self.share == 0:
            rival = float(self.scores[self.members].min())
            return self._reach(rival, self.low, "less than") if self.low >= rival else None
        score = self._best_score()
        nearest = self._attainable(score)
        return self._reach(score, nearest, "") if abs(nearest - score) > slack else None

    def _reach(self, needed: float, value: float, side: str) -> Certificate:
        why = f"a key of length {self.problem.length:g}" if self.query.any() else "with a query of zero every key"
        says = f"The new key would have to score {f'{side} {needed:.6g}'.strip()}; {why} scores "
        says += f"{value:.6g} at {'least' if value < 0 or side == 'less than' else 'most'}."
        return Certificate("reach", {self.place: 1.0}, {}, value, needed, 0.0, says)
