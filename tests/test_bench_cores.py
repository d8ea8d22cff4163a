"""The page of speed on many cores: whose loop is whose, what one thread computes between loops, and what is judged."""

import pytest
from bench import cores

SYMBOL = (
    "pucker::parallel_for<pucker::parallel_blocks<pucker::waves::(anonymous namespace)::Relax::step(int, std::span<double const, "
    "18446744073709551615ul>) const::{lambda(unsigned long, unsigned long)#1}>(unsigned long, unsigned long, pucker::waves::Relax::"
    "step(int)::{lambda(unsigned long, unsigned long)#1} const&)::{lambda(unsigned long)#1}>(unsigned long, unsigned long)"
)
MANGLED = "_ZZN6pucker12parallel_forIZNS_15parallel_blocksIZNKS_6Seeder10visit_keptIZNS_6Tracer4growEvEUlvE_EEvlEUlmmE_EE_4_FUNES_"


def _stage(serial: float, loops: float, blocks: float) -> dict[str, float]:
    return {"serial": serial, "loops": loops, "blocks": blocks}


def _loop(stage: int, serial: float, function: str) -> dict[str, object]:
    return {"stage": stage, "serial": serial, "function": function, "blocks": 9 if function else 0}


def _run(waited: float = 1.0) -> dict[str, object]:
    """A second, of which 0.2 are on one thread; measured 1.25 times as fast on two."""
    simulated = {"1": [_stage(0.2, 0.0, 0.0), _stage(0.8, 0.0, 0.0)]}
    for threads in (2, 4, 8, 16, 64):
        simulated[str(threads)] = [_stage(0.1, 0.0, 0.0), _stage(0.1, 0.8 / threads + 0.001, 0.8)]
    return {
        "name": "waves",
        "triangles": 1_000_000,
        "stages": ["crush", "relax"],
        "simulated": simulated,
        "timed": {"1": [[waited, 1.0], [3.0, 1.0]], "2": [[0.62, 1.1], [0.8, 1.0]]},
        "loops": [
            _loop(0, 0.03, "Crush::step"),
            _loop(0, 0.05, "Relax::step"),
            _loop(0, 0.02, ""),
            _loop(1, 0.01, "Relax::step"),
            _loop(1, 0.07, "Relax::step"),
            _loop(1, 0.02, ""),
        ],
    }


def _page(run: dict[str, object]) -> str:
    costs = dict.fromkeys(("dispatch", "notify", "wake", "close", "line"), 1e-6)
    return cores.page({"runs": [run], "costs": costs})


def test_a_symbol_is_of_the_function_that_has_the_loop():
    assert cores.function_name(SYMBOL) == "Relax::step"
    assert cores.function_name(MANGLED) == "Seeder::visit_kept"
    assert cores.function_name("pucker::waves::Relax::step(int)") == ""


def test_what_one_thread_computes_is_added_up_by_the_loops_it_lies_between():
    parts = cores.serial_parts(_run())
    assert parts[0] == ("relax", "Relax::step → Relax::step", pytest.approx(0.08))
    assert ("crush", "Crush::step → Relax::step", pytest.approx(0.05)) in parts
    assert ("relax", "Relax::step → end", pytest.approx(0.02)) in parts
    assert sum(seconds for _, _, seconds in parts) == pytest.approx(0.2)


def test_the_page_says_what_is_met_and_what_more_threads_cannot_share():
    page = _page(_run())
    row = next(line for line in page.splitlines() if line.startswith("| waves | 1000000 | 1000.0"))
    assert [float(cell) for cell in row.strip("| ").split(" | ")[3:8]] == [1.7, 2.5, 3.3, 4.0, 4.7]
    assert row.endswith("| 2 |")
    assert "waves, 1000000 triangles, 64 cores, by core: **0.0732 of one core's speed**" in page
    assert "On one thread: 200.00 ms of 1000.0, so at most **5 ×**" in page
    # Stages on 64: serial, ideal and waiting.
    assert "| relax | 800.00 | 113.50 | 100.00 | 12.50 | 1.00 |" in page


def test_two_threads_are_compared_with_what_was_measured_on_a_machine_that_is_idle():
    assert "waves, 1000000 triangles: **3.16 % from what is measured**, aim ≤ 10" in _page(_run(1.0))
    page = _page(_run(1.2))
    assert "not judged, the machine was busy: on one thread 1200.0 ms passed while its core computed 1000.0" in page
    assert "from what is measured**" not in page
