"""Values on which all processes agree: each is chosen once."""

from service.store.keyspace import choice_name
from service.store.runner import Runner, Script

_CHOOSE = Script("choose")


class Choices:
    """Choices by name.

    Args:
        runner: runs scripts on the servers.
    """

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    def find(self, what: str) -> str | None:
        """What was chosen, or None.

        Raises:
            StoreUnavailableError: the store cannot be read.
        """
        chosen = self._runner.get(choice_name(what))
        return None if chosen is None else chosen.decode()

    def choose(self, what: str, value: str) -> str:
        """Choose a value, unless another one was chosen before; what is chosen.

        Raises:
            StoreUnavailableError: the store cannot do its part.
        """
        name = choice_name(what)
        chosen: bytes = self._runner.write_script(_CHOOSE, [name], [value.encode()])
        return chosen.decode()
