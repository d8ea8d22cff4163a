"""What programs compiled with the C interface count on is what the repository keeps."""

import ctypes
import shutil
import sys
from pathlib import Path

import pytest
import test_c

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))
import abi

pytestmark = [
    pytest.mark.skipif(shutil.which("cc") is None, reason="no compiler of C: apt-get install gcc"),
    pytest.mark.skipif(ctypes.sizeof(ctypes.c_void_p) != 8, reason="sizes are kept for pointers of 64 bits"),
]


@pytest.fixture
def copied(tmp_path):
    """Header, build and what is kept, to be changed."""
    return [Path(shutil.copy(path, tmp_path)) for path in (abi.HEADER, abi.BUILD, abi.KEPT)]


def changed(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_it_is_what_is_kept():
    assert abi.described() == abi.KEPT.read_text().splitlines()


def test_the_tests_call_with_structures_of_that_layout():
    lines = abi.KEPT.read_text().splitlines()
    shown = {
        "error": test_c.Text,
        "garment": test_c.Garment,
        "wearer": test_c.Wearer,
        "skin": test_c.Skin,
        "array": test_c.NamedArray,
        "path": test_c.PathFacts,
    }
    assert {line.split()[1] for line in lines if line.startswith("struct")} == {f"pucker_{name}" for name in shown}
    for name, kind in shown.items():
        assert f"struct pucker_{name} {ctypes.sizeof(kind)} aligned {ctypes.alignment(kind)}" in lines
        places = [(field, getattr(kind, field).offset) for field, *_ in kind._fields_]
        of_members = [line.split() for line in lines if line.startswith(f"struct pucker_{name} ") and " at " in line]
        assert [(words[2], int(words[-1])) for words in of_members] == places


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("  int64_t vertices;\n", "  int32_t vertices;\n", "struct pucker_garment vertices int64_t at 0"),
        ("  int64_t vertices;\n", "  int64_t kind;\n  int64_t vertices;\n", "struct pucker_garment 56 aligned 8"),
        ("char text[512]", "char text[256]", "struct pucker_error 512 aligned 1"),
        ("PUCKER_FAILED = 2", "PUCKER_FAILED = 5", "enum pucker_status PUCKER_FAILED = 2"),
        ("PUCKER_API void pucker_run_free(pucker_run* run);", "", "function void pucker_run_free(pucker_run*)"),
        (
            "pucker_run_path_count(const pucker_run* run, int64_t* out,",
            "pucker_run_path_count(const pucker_run* run, int32_t* out,",
            "function pucker_status pucker_run_path_count(const pucker_run*, int64_t*, pucker_error*)",
        ),
    ],
)
def test_what_would_break_programs_is_told_and_kept_only_under_another_number(copied, capsys, old, new, told):
    header, build, kept = copied
    before = kept.read_text()
    changed(header, old, new)
    assert abi.main([], *copied) == 1
    assert f"abi: no longer true: {told}\n" in capsys.readouterr().out
    assert abi.main(["--write"], *copied) == 1
    assert "raise SOVERSION" in capsys.readouterr().out
    assert kept.read_text() == before
    changed(build, "SOVERSION 0", "SOVERSION 1")
    assert abi.main(["--write"], *copied) == 0
    assert abi.main([], *copied) == 0


def test_what_is_added_is_kept_at_once(copied, capsys):
    header, _, _ = copied
    changed(header, "/* NULL is let be. */", "PUCKER_API int32_t pucker_run_frame(const pucker_run* run);\n")
    assert abi.main([], *copied) == 1
    assert "abi: new: function int32_t pucker_run_frame(const pucker_run*)\n" in capsys.readouterr().out
    assert abi.main(["--write"], *copied) == 0
    assert abi.main([], *copied) == 0


def test_a_declaration_that_it_cannot_read_is_refused(copied):
    header, build, _ = copied
    changed(header, "/* NULL is let be. */", "extern int pucker_count;\n")
    with pytest.raises(SystemExit, match="'extern int pucker_count;' is no declaration"):
        abi.described(header, build)
