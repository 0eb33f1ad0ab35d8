"""A model whose parts are called directly.

The framework finds every part and every weight of a module through a function of its own, and calls a part through two
more, for the sake of hooks and of its compiler. For a single token that takes nearly half as long as the computing; in
an update it is not seen. In a direct model, parts and weights are plain attributes, and calling a part is calling its
`forward`.
"""

from functools import cache
from typing import Any, TypeVar, cast

from torch import nn

Model = TypeVar("Model", bound=nn.Module)

HOOKS = ("_forward_pre_hooks", "_forward_hooks", "_backward_pre_hooks", "_backward_hooks")


def direct(model: Model) -> Model:
    """The same model, with the same weights, as it is when it is measured and not trained.

    Parts that have hooks, or a `forward` of their own, are called as usual. It does not see what parts and hooks the
    model is given later.
    """
    return cast(Model, _direct(model, {}))


def _direct(part: Any, made: dict[int, Any]) -> Any:
    if id(part) not in made:  # A part may be in several places.
        usual = "forward" in vars(part) or any(vars(part)[hooks] for hooks in HOOKS)
        twin = made[id(part)] = object.__new__(_kind(part.__class__, usual))
        parts = {name: inner and _direct(inner, made) for name, inner in part._modules.items()}
        vars(twin).update(vars(part), **part._parameters, **part._buffers, **parts)
        vars(twin).update(_modules=parts, _twin_of=part, training=False)
    return made[id(part)]


@cache
def _kind(kind: Any, usual: bool) -> Any:
    """The class of a part, but for how it is called, and that what it keeps in itself is kept in the original too.

    With `usual` it is called as the framework calls it.
    """

    def keep(self: Any, name: str, value: Any) -> None:
        setattr(vars(self)["_twin_of"], name, value)
        vars(self)[name] = value

    methods: dict[str, Any] = {"__setattr__": keep}
    if kind.__getattr__ is nn.Module.__getattr__:  # Whoever asks for a hook that a part does not have is soon answered.
        methods["__getattr__"] = _missing
    if kind.__call__ is nn.Module.__call__ and not usual:
        methods["__call__"] = kind.forward
    return type(kind.__name__, (kind,), methods)


def _missing(self: Any, name: str) -> Any:
    raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
