import copy
import math
import pickle
import re
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pucker

NODES = ["label", "reference", "fabric", "guide", "tracing", "persistence", "shape"]
WHOLE = {"seed", "rounds", "seeds_per_triangle", "max_points", "max_wrinkles"}


def leaves() -> list[tuple[str, object]]:
    """The path and default of every field that is not a node."""
    out: list[tuple[str, object]] = []
    for name, value in pucker.Params().to_dict().items():
        out += [(f"{name}.{inner}", v) for inner, v in value.items()] if name in NODES else [(name, value)]
    return out


def tree(path: str, value: object) -> dict[str, object]:
    node, _, name = path.rpartition(".")
    return {node: {name: value}} if node else {name: value}


def value_at(params: pucker.Params, path: str) -> object:
    for name in path.split("."):
        params = getattr(params, name)
    return params


# Range and default, or choices and default, of every field, as the documentation has them.
FIELDS = {
    "threshold": ("(1, inf)", 1.02),
    "min_width": ("[1e-30, 1e+30]", None),
    "relative_width": ("(0, inf)", 0.04),
    "thickness": ("[0, inf)", 1.25),
    "interval": ("(0, inf)", 1 / 30),
    "seed": ("[0, inf)", 0),
    "verbatim": ("True or False", False),
    "label.norm": ("one, two", "one"),
    "label.sigma": ("[1e-06, 1e+150]", 0.05),
    "label.alpha": ("(0, 500]", 9.0),
    "label.beta": ("(0, inf)", 90.0),
    "label.smoothness": ("[0, inf)", 0.2),
    "label.solver": ("exact, expansion, swap", "exact"),
    "reference.start": ("first_frame, rest, rest_if_known", "rest_if_known"),
    "reference.keep": ("(0, 1]", 0.95),
    "fabric.bending": ("[1e-30, 1e+30]", None),
    "fabric.tension": ("[1e-30, 1e+30]", 1.0),
    "fabric.length": ("[1e-30, 1e+30]", 1.0),
    "guide.rounds": ("[0, 100]", 1),
    "guide.narrowing": ("[0, 4]", 0.0),
    "tracing.seeding": ("scattered, trains", "trains"),
    "tracing.seed_distance": ("[0, inf)", 0.45),
    "tracing.hysteresis": ("[0, 1]", 0.0),
    "tracing.seeds_per_triangle": ("[1, 64]", 4),
    "tracing.isotropy": ("[0, inf)", 0.01),
    "tracing.bridge": ("[0, 100]", 1.0),
    "tracing.bend": ("[0, 180]", 45.0),
    "tracing.coherence": ("[0, 100]", 0.5),
    "tracing.min_length": ("[0, inf)", None),
    "tracing.max_points": ("[2, 1e+06]", 4096),
    "tracing.max_wrinkles": ("[0, 1e+07]", 4096),
    "persistence.method": ("edges, projection", "edges"),
    "persistence.alpha": ("[0, inf)", 0.4),
    "persistence.motion_sigma": ("[1e-06, 1e+150]", 0.005),
    "persistence.vertex_fraction": ("[0, 0.5]", 0.1),
    "persistence.length_change": ("[0, 0.99]", 0.15),
    "persistence.merge_distance": ("(0, inf)", 1.0),
    "shape.profile": ("quartic, sinusoidal, arcs, bspline, wave, crease", "crease"),
    "shape.height": ("circle, profile, measured", "circle"),
    "shape.clearance": ("[0, inf)", None),
    "shape.aspect": ("[0, 100]", 0.5),
    "shape.slenderness": ("[0, inf)", 1.0),
    "shape.taper": ("[0, inf)", 1.0),
    "shape.junctions": ("[0, 10]", 0.5),
    "shape.border_fade": ("[0, inf)", 1.0),
    "shape.height_rate": ("(0, inf)", 8.0),
    "shape.width_rate": ("(0, inf)", 16.0),
}


def changed() -> pucker.Params:
    """A tree of which every field differs from its default."""
    other = {
        "norm": "two",
        "solver": "swap",
        "start": "rest",
        "seeding": "scattered",
        "method": "projection",
        "profile": "arcs",
        "height": "profile",
    }
    params = pucker.Params()
    for path, value in leaves():
        name = path.rpartition(".")[2]
        new = other[name] if isinstance(value, str) else True if isinstance(value, bool) else value
        if value is None:
            new = 0.02
        elif name in WHOLE:
            new = int(str(value)) + 7
        elif isinstance(value, float):
            new = 0.5 if value == 0.0 else value * (1.5 if path == "threshold" else 0.9)
        params = params.replace(**tree(path, new))
    return params


def test_the_fields_and_their_defaults_are_those_of_the_documentation():
    assert leaves() == [(path, default) for path, (_, default) in FIELDS.items()]
    fields = pucker.Params.fields()
    assert [(field.name, getattr(field.default, "name", field.default)) for field in fields] == leaves()


def takes(path: str, value: object) -> bool:
    try:
        pucker.Params(**tree(path, value))
    except ValueError:
        return False
    return True


def test_every_field_takes_its_range_and_nothing_beyond():
    for field in pucker.Params.fields():
        told, default = FIELDS[field.name]
        if isinstance(default, str | bool):
            assert ", ".join(field.choices) == (told if isinstance(default, str) else "")
            assert all(takes(field.name, choice) for choice in field.choices)
            assert takes(field.name, default)
            continue
        low, high = (float(end) for end in told[1:-1].split(","))
        kind = float if default is None else type(default)
        step = 1 if kind is int else 1e-9
        assert (field.low, field.high, field.low_included) == (low, high, told[0] == "["), field.name
        assert takes(field.name, kind(low)) == (told[0] == "["), field.name
        assert takes(field.name, kind(low) + step), field.name
        assert not takes(field.name, kind(low) - step), field.name
        if math.isfinite(high):
            assert takes(field.name, kind(high)), field.name
            assert not takes(field.name, kind(high) + max(step, 1e-9 * high)), field.name


def test_every_field_says_its_range_and_default_in_help():
    for path, (told, default) in FIELDS.items():
        node, _, name = path.rpartition(".")
        owner = value_at(pucker.Params(), node) if node else pucker.Params()
        doc = getattr(type(owner), name).__doc__
        assert len(doc) > 10
        if isinstance(default, bool | str):
            assert re.search(rf"default (\w+\.)?{default}$", doc), doc
        elif default is None:
            assert doc.endswith(f"in {told}, default None"), doc
        else:
            assert doc.endswith(f"in {told}, default {default:g}"), doc


def test_flat_width_is_pi_times_the_smallest_width():
    assert pucker.Params(min_width=2.0).flat_width == pytest.approx(2 * math.pi)


# One field of each kind that values are converted to, outside and inside of a node.
KINDS = {
    "threshold": "a number",
    "label.sigma": "a number",
    "seed": "a whole number of 64 bits",
    "tracing.max_points": "a whole number of 32 bits",
    "verbatim": "True or False",
    "shape.profile": "one of quartic, sinusoidal, arcs, bspline",
}


@pytest.mark.parametrize("path", KINDS)
def test_a_value_of_another_kind_is_refused_by_path_kind_and_value(path):
    for value in ["7", None, 1j, [1.0], object()]:
        with pytest.raises(ValueError, match=rf"^params\.{path} must be {KINDS[path]}.*, got "):
            pucker.Params(**tree(path, value))


@pytest.mark.parametrize("path", ["threshold", "label.sigma"])
def test_no_number_may_be_infinite_or_none_at_all(path):
    for value in (math.nan, math.inf):
        with pytest.raises(ValueError, match=rf"params\.{path} .*must lie in .*, got {value}"):
            pucker.Params().replace(**tree(path, value))


@pytest.mark.parametrize("path", ["seed", "tracing.max_points"])
def test_whole_numbers_are_neither_rounded_nor_cut(path):
    for value in (1.5, 2**70, True):
        with pytest.raises(ValueError, match=rf"params\.{path} must be {KINDS[path]}.*, got "):
            pucker.Params(**tree(path, value))


def test_a_switch_is_no_number():
    with pytest.raises(ValueError, match=r"params\.verbatim must be True or False, got 1"):
        pucker.Params(verbatim=1)
    with pytest.raises(ValueError, match=r"params\.threshold must be a number, got True"):
        pucker.Params(threshold=True)


def test_an_unknown_choice_lists_those_there_are():
    with pytest.raises(
        ValueError, match=r"params\.shape\.height must be one of circle, profile, measured, got 'nothing'"
    ):
        pucker.Params(shape={"height": "nothing"})


@pytest.mark.parametrize("make", [pucker.Params, pucker.Params().replace])
def test_an_unknown_field_lists_those_there_are(make):
    with pytest.raises(
        ValueError,
        match=r"params has no 'treshold' \(did you mean 'threshold'\?\); there are threshold, min_width, .*shape",
    ):
        make(treshold=1.5)
    with pytest.raises(
        ValueError, match=r"params has no 'shape.hight' \(did you mean 'height'\?\); there are profile, height, "
    ):
        make(shape={"hight": "circle"})


def test_the_tree_is_refused_when_made_not_when_used():
    with pytest.raises(ValueError, match=r"params.min_width .* must lie in \[1e-30, 1e\+30\], got -1"):
        pucker.Params(min_width=-1)


@pytest.mark.parametrize("name", ["threshold", "shape", "treshold"])
def test_the_tree_is_frozen(name):
    params = pucker.Params()
    with pytest.raises(AttributeError):
        setattr(params, name, 1.5)
    with pytest.raises(AttributeError):
        params.shape.slenderness = 2.0
    assert params == pucker.Params()


def test_replace_leaves_the_original_and_the_other_fields_alone():
    params = pucker.Params(threshold=1.3, shape={"slenderness": 2.0})
    other = params.replace(seed=5, shape={"profile": "arcs"})
    assert (params.seed, params.shape.profile) == (0, pucker.Profile.crease)
    assert (other.seed, other.threshold) == (5, 1.3)
    assert (other.shape.profile, other.shape.slenderness) == (pucker.Profile.arcs, 2.0)


def test_a_node_may_be_given_whole_or_as_a_dict():
    shape = pucker.ShapeParams(slenderness=2.0)
    assert pucker.Params(shape=shape) == pucker.Params(shape={"slenderness": 2.0})
    assert pucker.Params(shape=shape).shape == shape
    assert pucker.Params().replace(shape=shape.replace(height="profile")).shape.height == pucker.HeightRule.profile


def test_equality_and_hash_are_those_of_the_values():
    assert pucker.Params(seed=3) == pucker.Params(seed=3)
    assert hash(pucker.Params(seed=3)) == hash(pucker.Params(seed=3))
    assert pucker.Params(seed=3) != pucker.Params(seed=4)
    assert pucker.Params() != pucker.Params().to_dict()
    assert len({pucker.Params(), pucker.Params(), changed()}) == 2


def test_changed_differs_everywhere():
    for path, default in leaves():
        value = value_at(changed(), path)
        assert (value.name if isinstance(default, str) else value) != default, path


@pytest.mark.parametrize("make", [pucker.Params, changed])
def test_toml_pickle_copy_and_dict_give_an_equal_tree_back(make):
    params = make()
    assert pucker.Params.from_toml(params.to_toml()) == params
    assert pickle.loads(pickle.dumps(params)) == params
    assert copy.deepcopy(params) == params
    assert pucker.Params(**params.to_dict()) == params
    for name in NODES:
        node = getattr(params, name)
        assert pickle.loads(pickle.dumps(node)) == node


@given(
    st.floats(min_value=1, max_value=1e300, exclude_min=True),
    st.floats(min_value=1e-30, max_value=1e30),
    st.integers(min_value=0, max_value=2**64 - 1),
)
def test_toml_keeps_every_bit(threshold, min_width, seed):
    params = pucker.Params(threshold=threshold, min_width=min_width, seed=seed)
    back = pucker.Params.from_toml(params.to_toml())
    assert (back.threshold, back.min_width, back.seed) == (threshold, min_width, seed)


def test_toml_is_a_document_of_one_table_a_node():
    document = tomllib.loads(changed().to_toml())
    assert document == changed().to_dict()


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_toml_keeps_every_text(name):
    params = pucker.waves.Params(painting=name)
    assert pucker.waves.Params.from_toml(params.to_toml()) == params


def test_toml_may_leave_fields_out():
    params = pucker.Params.from_toml("threshold = 1.4\n[shape]\nheight = 'profile'\n")
    assert params == pucker.Params(threshold=1.4, shape={"height": "profile"})


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("threshold = ", "no TOML document"),
        ("threshold = 0.5", r"params.threshold .* must lie in \(1, inf\), got 0.5"),
        ("[shape]\nhight = 1", "params has no 'shape.hight'"),
        ("shape = 3", "params.shape must be a dict or ShapeParams, got 3"),
        ("[threshold]\nx = 1", "params.threshold must be a number, got"),
    ],
)
def test_toml_that_is_none_is_refused(text, named):
    with pytest.raises(ValueError, match=named):
        pucker.Params.from_toml(text)


def test_repr_shows_every_field():
    text = repr(pucker.Params())
    assert text.startswith("Params(threshold=")
    for path, _ in leaves():
        assert path.rpartition(".")[2] in text


def test_ridges_are_narrow_and_single_and_the_printed_form_is_the_theses():
    def differing(one: pucker.Params, other: pucker.Params) -> dict[str, object]:
        return {path: value_at(other, path) for path, _ in leaves() if value_at(one, path) != value_at(other, path)}

    assert differing(pucker.Params(), pucker.Params.ridges()) == {
        "threshold": 1.1,
        "relative_width": 0.01,
        "thickness": 0.0,
        "tracing.seed_distance": 1.0,
        "tracing.min_length": 8.0,
        "shape.profile": pucker.Profile.bspline,
        "shape.aspect": 0.4,
        "shape.slenderness": 6.0,
        "shape.taper": 0.0,
    }
    assert differing(pucker.Params.ridges(), pucker.Params.printed()) == {"verbatim": True, "tracing.min_length": None}
