"""What types are called in messages."""


def kind_of(kind: type) -> str:
    """The name by which a program knows a type: `pucker.drape.Params`, of the module that shows it, and `dict`."""
    module = kind.__module__.replace("._core._", ".").removesuffix("._core")
    return kind.__qualname__ if module == "builtins" else f"{module}.{kind.__qualname__}"
