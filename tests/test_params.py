import copy
import math
import pickle
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pucker

NODES = ["label", "reference", "tracing", "persistence", "shape"]
WHOLE = {"seed", "seeds_per_triangle", "max_points", "max_wrinkles"}


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


NUMBERS = [path for path, value in leaves() if not isinstance(value, str | bool)]
CHOICES = [path for path, value in leaves() if isinstance(value, str)]


def changed() -> pucker.Params:
    """A tree of which every field differs from its default."""
    other = {"norm": "two", "solver": "swap", "method": "projection", "profile": "arcs", "height": "profile"}
    params = pucker.Params()
    for path, value in leaves():
        name = path.rpartition(".")[2]
        new = other[name] if isinstance(value, str) else True if isinstance(value, bool) else value
        if name in WHOLE:
            new = int(str(value)) + 7
        elif isinstance(value, float):
            new = value * (0.9 if value > 0.0 and path != "threshold" else 1.5)
        params = params.replace(**tree(path, new))
    return params


def test_the_tree_holds_every_field_once():
    paths = [path for path, _ in leaves()]
    assert len(paths) == len(set(paths)) > 25
    assert set(NODES) <= set(pucker.Params().to_dict())


def test_the_list_of_fields_has_every_leaf_with_its_default_in_order():
    fields = pucker.Params.fields()
    assert [(field.name, getattr(field.default, "name", field.default)) for field in fields] == leaves()


@pytest.mark.parametrize("field", pucker.Params.fields(), ids=repr)
def test_the_list_of_fields_tells_what_the_tree_takes(field):
    def takes(value: object) -> bool:
        try:
            pucker.Params(**tree(field.name, value))
        except ValueError:
            return False
        return True

    assert field.choices == list(getattr(type(field.default), "__members__", ()))
    assert all(takes(choice) for choice in field.choices)
    if field.low is None or field.high is None:
        assert field.low is field.high is None
        return
    kind = type(field.default)
    step = 1 if kind is int else 1e-9
    assert takes(kind(field.low)) == field.low_included
    assert takes(kind(field.low) + step)
    assert not takes(kind(field.low) - step)
    if math.isfinite(field.high):
        assert takes(kind(field.high))
        assert not takes(kind(field.high) + step)


def test_every_field_is_a_documented_property():
    for path, default in leaves():
        node, _, name = path.rpartition(".")
        owner = value_at(pucker.Params(), node) if node else pucker.Params()
        doc = getattr(type(owner), name).__doc__
        assert len(doc) > 10
        assert "default" in doc
        value = getattr(owner, name)
        assert (value.name if isinstance(default, str) else value) == default


def test_flat_width_is_pi_times_the_smallest_width():
    assert pucker.Params(min_width=2.0).flat_width == pytest.approx(2 * math.pi)


@pytest.mark.parametrize("path", NUMBERS)
def test_values_out_of_range_are_refused_by_path_rule_and_value(path):
    with pytest.raises(ValueError, match=rf"params\.{path} .*must (lie in [\[(]|be a whole number).*, got -1"):
        pucker.Params().replace(**tree(path, -1))


@pytest.mark.parametrize("path", [path for path in NUMBERS if path.rpartition(".")[2] not in WHOLE])
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_no_number_may_be_infinite_or_none_at_all(path, value):
    with pytest.raises(ValueError, match=rf"params\.{path} .*must lie in .*, got (nan|inf)"):
        pucker.Params().replace(**tree(path, value))


@pytest.mark.parametrize("path", [path for path, _ in leaves()])
@pytest.mark.parametrize("value", ["7", None, 1j, [1.0], object()], ids=["string", "none", "complex", "list", "object"])
def test_values_of_another_kind_are_refused_by_path_rule_and_value(path, value):
    with pytest.raises(ValueError, match=rf"params\.{path} must be (a |one of |True or False).*, got "):
        pucker.Params(**tree(path, value))


@pytest.mark.parametrize("path", [path for path in NUMBERS if path.rpartition(".")[2] in WHOLE])
@pytest.mark.parametrize("value", [1.5, 2**70, True])
def test_whole_numbers_are_neither_rounded_nor_cut(path, value):
    with pytest.raises(ValueError, match=rf"params\.{path} must be a whole number of \d+ bits.*, got "):
        pucker.Params(**tree(path, value))


def test_a_switch_is_no_number():
    with pytest.raises(ValueError, match=r"params\.verbatim must be True or False, got 1"):
        pucker.Params(verbatim=1)
    with pytest.raises(ValueError, match=r"params\.threshold must be a number, got True"):
        pucker.Params(threshold=True)


@pytest.mark.parametrize("path", CHOICES)
def test_an_unknown_choice_lists_those_there_are(path):
    default = value_at(pucker.Params(), path)
    with pytest.raises(ValueError, match=rf"params\.{path} must be one of .*{default.name}.*, got 'nothing'"):
        pucker.Params(**tree(path, "nothing"))


@pytest.mark.parametrize("make", [pucker.Params, pucker.Params().replace])
def test_an_unknown_field_lists_those_there_are(make):
    with pytest.raises(ValueError, match=r"params has no 'treshold'; there are threshold, min_width, .*shape"):
        make(treshold=1.5)
    with pytest.raises(ValueError, match=r"params has no 'shape.hight'; there are profile, height, "):
        make(shape={"hight": "circle"})


def test_the_tree_is_refused_when_made_not_when_used():
    with pytest.raises(ValueError, match=r"params.min_width .* must lie in \(0, inf\), got -1"):
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
    assert (params.seed, params.shape.profile) == (0, pucker.Profile.bspline)
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
    st.floats(min_value=0, max_value=1e300, exclude_min=True),
    st.integers(min_value=0, max_value=2**64 - 1),
)
def test_toml_keeps_every_bit(threshold, min_width, seed):
    params = pucker.Params(threshold=threshold, min_width=min_width, seed=seed)
    back = pucker.Params.from_toml(params.to_toml())
    assert (back.threshold, back.min_width, back.seed) == (threshold, min_width, seed)


def test_toml_is_a_document_of_one_table_a_node():
    document = tomllib.loads(changed().to_toml())
    assert document == changed().to_dict()


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
