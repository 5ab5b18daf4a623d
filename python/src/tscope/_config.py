"""The configuration of a run as trackers have it: a dictionary that is also read and written by attributes."""

from collections.abc import Iterator, MutableMapping
from typing import Any, Callable

from tscope import _json


class Config(MutableMapping[str, Any]):
    """Hyper-parameters by name: `config["lr"]`, `config.lr`. What is set later is a fact of the run, config.NAME.

    >>> config = Config({"lr": 0.1})
    >>> config.batch_size = 32
    >>> config.update({"lr": 0.2})
    >>> dict(config), config.lr
    ({'lr': 0.2, 'batch_size': 32}, 0.2)
    """

    def __init__(self, values: Any = None, told: "Callable[[dict[str, Any]], None]" = lambda new: None) -> None:
        plain = _json.plain(values)
        self.__dict__["_values"] = dict(plain) if isinstance(plain, dict) else {}
        self.__dict__["_tell"] = told

    def __getitem__(self, name: str) -> Any:
        return self.__dict__["_values"][name]

    def __setitem__(self, name: str, value: Any) -> None:
        self.update({name: value})

    def __delitem__(self, name: str) -> None:
        del self.__dict__["_values"][name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.__dict__["_values"])

    def __len__(self) -> int:
        return len(self.__dict__["_values"])

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_values"][name]
        except KeyError:
            raise AttributeError(f"the configuration has no {name!r}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        self.update({name: value})

    def __repr__(self) -> str:
        return repr(self.__dict__["_values"])

    def update(self, *values: Any, allow_val_change: Any = None, **by_name: Any) -> None:
        """Adds hyper-parameters, a dictionary, a dataclass or a namespace of them; a name that was there gets the new value.

        >>> config = Config()
        >>> config.update({"lr": 0.1}, allow_val_change=True)
        >>> config
        {'lr': 0.1}
        """
        for given in (*values, by_name):
            plain = _json.plain(given)
            if not isinstance(plain, dict):
                plain = dict(given)
            kept: dict[str, Any] = self.__dict__["_values"]
            raw = given if isinstance(given, dict) else plain
            new = {name: value for name, value in plain.items() if name not in kept or _json.plain(kept[name]) != value}
            kept.update({str(name): value for name, value in raw.items()})
            if new:
                self.__dict__["_tell"](new)

    def setdefaults(self, values: Any) -> dict[str, Any]:
        """Adds those hyper-parameters that are not there.

        >>> Config({"lr": 0.1}).setdefaults({"lr": 1.0, "epochs": 3})
        {'lr': 0.1, 'epochs': 3}
        """
        self.update({name: value for name, value in dict(values).items() if name not in self})
        return self.as_dict()

    def as_dict(self) -> dict[str, Any]:
        """Returns the hyper-parameters as a dictionary of its own.

        >>> Config({"lr": 0.1}).as_dict()
        {'lr': 0.1}
        """
        return dict(self.__dict__["_values"])
