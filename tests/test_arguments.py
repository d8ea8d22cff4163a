"""A call whose arguments do not fit says which one, and what was given, for every function of the compiled module."""

import inspect
import re
from collections.abc import Callable, Iterator
from types import ModuleType

import numpy as np
import pytest

import pucker
from pucker import _core, drape, waves
from pucker.arguments import explained
from pucker.examples import squeezed_sheet

CLIP = squeezed_sheet(4, 4, frames=3)
PARAMS = pucker.Params(min_width=0.1)


class Nothing:
    """What no argument may be."""

    def __repr__(self) -> str:
        return "Nothing"


def functions(scope: type | ModuleType = _core, title: str = "") -> Iterator[tuple[str, Callable[..., object]]]:
    """All functions and methods that take arguments, by the names their errors begin with."""
    for name, value in vars(scope).items():
        if isinstance(value, type | ModuleType):
            if (value.__name__ if isinstance(value, ModuleType) else value.__module__).startswith("pucker._core"):
                yield from functions(value, value.__name__ if isinstance(value, type) else "")
        elif name == "__init__" and inspect.isroutine(value) and "Initialize self" not in (value.__doc__ or ""):
            yield title, scope
        elif not name.startswith("_") and callable(value) and not isinstance(value, Nothing):
            yield ".".join(filter(None, [title, name])), getattr(scope, name)


def required(function: Callable[..., object]) -> list[tuple[str, str]]:
    """Names and kinds of the arguments that a call must have."""
    doc = (function.__init__ if isinstance(function, type) else function).__doc__ or ""
    found = re.match(r"\w+\((.*)\) -> ", doc)
    parts = re.findall(r"(?:^|, )(\w+): ((?:[^,\[]|\[.*?\])+)", found[1]) if found else []
    return [
        (name, kind)
        for name, kind in parts
        if " = " not in kind and not (isinstance(function, type) and name == "self")
    ]


def refusal(function: Callable[..., object], arguments: list[object]) -> str:
    """What a call says of its arguments, if anything."""
    try:
        function(*arguments)
    except (TypeError, ValueError, AttributeError, RuntimeError) as error:
        return str(error)
    return ""


EVERY = sorted(functions(), key=lambda pair: pair[0])


@pytest.mark.parametrize(("title", "function"), EVERY, ids=[title for title, _ in EVERY])
def test_no_call_answers_with_a_list_of_signatures(title, function):
    for arguments in ([Nothing()] * len(required(function)), [Nothing()] * 20, []):
        told = refusal(function, arguments)
        assert "incompatible" not in told
        assert "Invoked with" not in told
        if "Nothing" in told and told.startswith(f"{title}: "):
            assert re.fullmatch(r"\w+ must be .+, got Nothing \(Nothing\)", told.removeprefix(f"{title}: "))


def test_most_functions_were_tried():
    assert len(EVERY) > 60
    assert {"Wrinkler", "Wrinkler.advance", "local_frames", "Wrinkler.restore", "HeightTable.height"} <= {
        t for t, _ in EVERY
    }


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: pucker.Tracer(3, PARAMS), "Tracer: mesh must be a Mesh, got 3 (int)"),
        (lambda: pucker.Tracer(CLIP.mesh), "Tracer: needs params"),
        (lambda: pucker.Tracer(CLIP.mesh, parms=PARAMS), "Tracer: has no argument 'parms'; there are mesh, params"),
        (lambda: pucker.Tracer(CLIP.mesh, PARAMS, 1), "Tracer: takes at most 2 positional arguments, got 3"),
        (lambda: pucker.Tracer(CLIP.mesh, PARAMS, mesh=CLIP.mesh), "Tracer: mesh is given twice"),
        (lambda: pucker.local_frames(None, CLIP.positions[0]), "local_frames: mesh must be a Mesh, got None"),
        (
            lambda: pucker.WrinkledSurface(CLIP.mesh, "arcs"),
            "WrinkledSurface: profile must be a Profile, got 'arcs' (str)",
        ),
        (lambda: CLIP.mesh.ring("a"), "Mesh.ring: vertex must be a whole number, got 'a' (str)"),
        (
            lambda: pucker.Mesh(CLIP.faces, CLIP.faces),
            "Mesh: vertex_count must be a whole number, got an array of shape (32, 3)",
        ),
        (
            lambda: pucker.Seed(0, [0.5, 0.5]),
            "Seed: barycentrics must be a list, each a number, 3 in all, got [0.5, 0.5] (list)",
        ),
        (
            lambda: pucker.Crowd().advance([3], [CLIP.positions[0]], 0.0),
            "Crowd.advance: runs must be a list, each a Method, got [3] (list)",
        ),
        (lambda: pucker.Crowd(-1), "Crowd: cannot take -1 (int)"),
    ],
)
def test_the_argument_that_does_not_fit_is_named_with_what_was_given(call, told):
    with pytest.raises(TypeError) as caught:
        call()
    assert str(caught.value) == told


def test_a_type_is_named_in_full_beside_its_namesake():
    wrong = r"^Drape: params must be a pucker\.drape\.Params, got Params\(.*… \(pucker\.waves\.Params\)$"
    with pytest.raises(TypeError, match=wrong):
        drape.Drape(CLIP.mesh, CLIP.positions[0], waves.Params())


def test_long_values_are_cut():
    with pytest.raises(TypeError) as caught:
        pucker.local_frames("x" * 1000, CLIP.positions[0])
    assert len(str(caught.value)) < 120
    with pytest.raises(TypeError, match=r"mesh must be a Mesh, got an array of shape \(5, 7\)$"):
        pucker.local_frames(np.zeros((5, 7)), CLIP.positions[0])


def test_overloads_and_defaults_are_told_apart():
    message = """area(): incompatible function arguments. The following argument types are supported:
    1. (clip: pucker._core.Clip, params: pucker._core.Params = Params(label={'norm': 'one, two'}, seed=0)) -> float
    2. (mesh: pucker._core.Mesh, *, share: typing.SupportsFloat | None = None) -> float

Invoked with: 3"""
    assert explained(message, [3], {}) == "area: clip must be a Clip, got 3 (int), or mesh must be a Mesh, got 3 (int)"
    assert explained(message, [CLIP.mesh], {"share": "a"}) == (
        "area: has no argument 'share'; there are clip, params, or share must be a number or None, got 'a' (str)"
    )
    assert explained("something else", [3], {}) is None


def test_an_enum_of_no_such_number_and_operators_are_left_alone():
    assert pucker.Profile.arcs != 3
    assert PARAMS != "params"
    with pytest.raises(TypeError, match=r"^Profile: value must be a whole number, got 'arcs' \(str\)$"):
        pucker.Profile("arcs")
