"""The lines that faults are planted in are there, and so are the tests that should notice."""

import planted
import pytest


@pytest.mark.parametrize("fault", planted.faults(), ids=str)
def test_a_planted_fault_has_one_place_and_its_tests(fault: planted.Fault) -> None:
    assert (planted.ROOT / fault.file).read_text(encoding="utf-8").count(fault.right) == 1
    assert fault.wrong != fault.right
    assert all((planted.ROOT / "tests" / f"test_{name}.py").exists() for name in fault.tests.split())
