import os
import signal
import time

import pytest

from loadtests import generator
from loadtests.generator import Load, run_processes
from loadtests.parallel import ProcessDiedError, run_each
from loadtests.wire import Address, request


def double(number: int) -> int:
    time.sleep(0.02 * (3 - number))
    return 2 * number


def die(number: int) -> int:
    if number == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)
    return number


def fail(number: int) -> int:
    raise ValueError(number)


def test_results_come_in_the_order_of_the_shares() -> None:
    assert run_each(double, [(i,) for i in range(3)], 10) == [0, 2, 4]


@pytest.mark.timeout(20)
def test_a_process_that_dies_is_not_waited_for() -> None:
    with pytest.raises(ProcessDiedError, match="died"):
        run_each(die, [(1,), (0,)], 60)


@pytest.mark.timeout(20)
def test_a_process_that_is_silent_is_not_waited_for_for_ever() -> None:
    with pytest.raises(ProcessDiedError, match="silent"):
        run_each(die, [(0,)], 0.1)


def test_what_a_share_raises_is_raised() -> None:
    with pytest.raises(ValueError, match="7"):
        run_each(fail, [(7,)], 10)


@pytest.mark.timeout(20)
def test_a_generator_whose_process_dies_does_not_hang(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def send(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr(generator, "_send_one", send)
    load = Load([request("GET", "/")], cycle=True)
    with pytest.raises(ProcessDiedError):
        run_processes(Address("127.0.0.1", 1), load, 1)
