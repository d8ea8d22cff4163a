"""What pages say of two threads against one: judged where both had a core, and written only of the same bits."""

import pytest
from bench import scale, shared

SECONDS = {"1": [1.0, 1.0], "2": [0.5, 0.5]}


def _scene(stages: tuple[str, ...], *, same: bool = True, others: float = 0.0) -> dict[str, object]:
    threads = {
        count: {"whole": [9.0, *SECONDS[count]], "seconds": {stage: [9.0, *SECONDS[count]] for stage in stages}}
        for count in ("1", "2")
    }
    return {"triangles": 1_000_000, "same": same, "others": others, "threads": threads}


def test_two_threads_are_judged_where_other_processes_leave_them_two_cores():
    assert shared.verdict("cloth", SECONDS) == "- cloth, two threads against one: **2 ×**, aim ≥ 1.8 ×: met.\n"
    told = shared.verdict("cloth", SECONDS, 1.25)
    assert told == "- cloth: not judged, two threads had no two cores: other processes computed 1.2 s in a second.\n"


def test_what_others_compute_leaves_out_what_this_process_does(monkeypatch):
    found = iter([(100.0, 10.0), (107.0, 14.0)])
    clock = iter([50.0, 52.0])
    monkeypatch.setattr(shared, "_computed", lambda: next(found))
    monkeypatch.setattr(shared.time, "perf_counter", lambda: next(clock))
    with shared.Others() as others:
        pass
    assert others.rate == pytest.approx(1.5)


def test_all_processes_have_computed_as_much_as_this_one():
    every, own = shared._computed()
    assert every >= own > 0.0


def test_the_page_of_sizes_has_rows_of_other_methods_with_their_own_stages():
    scenes = {"defaults": _scene(scale.STAGES), "draped": _scene(scale.ORDER["draped"], others=0.5)}
    page = scale._of_threads(scenes)
    assert "| defaults | 1000.0 | 500.0 | 2.00 × |" + " 2.00 |" * len(scale.STAGES) in page
    assert "| run | one thread | two threads | faster | guide | balance | normals |" in page
    assert "1000000 triangles, defaults, two threads against one: **2 ×**" in page
    assert "1000000 triangles, draped: not judged" in page


def test_no_page_is_written_of_threads_that_have_other_bits():
    with pytest.raises(ValueError, match="one thread and two do not have the same bits: draped, 1000000 triangles"):
        scale._of_threads({"draped": _scene(scale.ORDER["draped"], same=False)})
