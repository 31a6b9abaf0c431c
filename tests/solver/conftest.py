import pytest

from service.solver import warm


@pytest.fixture(scope="session", autouse=True)
def _compiled() -> None:
    """No test waits for the compiler, so that hypothesis sees steady times."""
    warm()
