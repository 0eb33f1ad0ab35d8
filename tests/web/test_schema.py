"""Whatever is sent to the API: an answer or a sentence, and never an error of ours."""

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from oratory.web.app import build
from oratory.web.jobs import Jobs
from oratory.web.laboratory import Laboratory
from tests.web.conftest import Kept

pytestmark = pytest.mark.long
HOST = {"host": "127.0.0.1"}
"""Any other name is refused."""
EXAMPLES = 20


def test_no_error_of_ours(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every operation that OpenAPI names, with values that fit and values that do not. What is started stays queued."""
    schemathesis = pytest.importorskip("schemathesis")
    monkeypatch.setattr(Jobs, "_next", lambda self: None)
    monkeypatch.setattr(Jobs, "_put", lambda self, job: self._jobs.__setitem__(job.id, job))
    page = build(Laboratory(kept.runs))
    schema = schemathesis.openapi.from_asgi("/api/openapi.json", page, headers=HOST)
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) > 10
    for operation in operations:
        _try(operation)


def _try(operation: Any) -> None:
    @given(case=operation.as_strategy())
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def check(case: Any) -> None:
        answer = case.call(headers=HOST, timeout=300)
        assert answer.status_code < 500, (operation.label, answer.text)
        if answer.status_code >= 400:
            assert set(answer.json()) == {"error"}, (operation.label, answer.text)
            assert "Traceback" not in answer.json()["error"]

    check()
