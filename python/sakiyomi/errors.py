"""What can go wrong. Every exception of this package is a `SakiyomiError`."""


class SakiyomiError(Exception):
    """The base of all exceptions of this package."""


class SpecError(SakiyomiError, ValueError):
    """A game, an agent or a setting that does not exist, or that does not fit: the message says what would be right."""


class TableError(SakiyomiError):
    """Something that is not possible in this state, such as playing after the end."""


class IllegalAction(TableError, ValueError):
    """An action that is not legal; the message lists those that are."""


class AgentError(SakiyomiError):
    """An agent gave up: it crashed, ran out of time, or answered nonsense."""


class NetworkError(SakiyomiError, ValueError):
    """A network returned arrays that cannot be used: wrong shapes, or numbers that are no probabilities."""


class StoreError(SakiyomiError, OSError):
    """A file of results cannot be read or written."""


class MissingPackage(SakiyomiError, ImportError):
    """A package that is needed for this function only is not installed; the message says which."""
