"""What a program compiled with pucker/pucker.h counts on: sizes, offsets, values and signatures, kept in cpp/c/abi.txt.

Without arguments it says what differs from what is kept; with --write it keeps what is. A line that is kept and no longer
true breaks programs, and is given up only where SOVERSION in cpp/c/CMakeLists.txt is another one.
"""

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HEADER, BUILD, KEPT = (
    ROOT / "cpp/include/pucker/pucker.h",
    ROOT / "cpp/c/CMakeLists.txt",
    ROOT / "cpp/c/abi.txt",
)
_ENUM = re.compile(r"typedef enum (\w+) \{(.*?)\} \1;", re.DOTALL)
_STRUCT = re.compile(r"typedef struct (\w+) \{(.*?)\} \1;", re.DOTALL)
_HANDLE = re.compile(r"typedef struct (\w+) \1;")
_FUNCTION = re.compile(r"PUCKER_API ([\w* ]+?[ *])(\w+)\((.*?)\);", re.DOTALL)
_MEMBER = re.compile(r"([\w* ]+?[ *])(\w+)(\[\d+\])?")


def _declared(text: str) -> str:
    """A header without comments, and without what is the preprocessor's or C++'s."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"^#.*(\\\n.*)*$", "", text, flags=re.MULTILINE)
    return re.sub(r'extern "C" \{(.*)\}', r"\1", text, flags=re.DOTALL)


def _parted(declaration: str) -> tuple[str, str]:
    """The type and the name of a member or an argument."""
    found = _MEMBER.fullmatch(" ".join(declaration.split()))
    if found is None:
        raise SystemExit(f"abi: {declaration.strip()!r} is no member or argument as this program reads them")
    kind, name, count = found.groups()
    return kind.strip() + (count or ""), name


def _measured(header: Path, expressions: list[str]) -> Iterator[int]:
    """Integers that a compiler of C says expressions are."""
    prints = "".join(f'  printf("%lld\\n", (long long)({each}));\n' for each in expressions)
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder) / "abi.c", Path(folder) / "abi"
        source.write_text(
            f'#include "{header}"\n#include <stdalign.h>\n#include <stdio.h>\nint main(void) {{\n{prints}  return 0;\n}}\n'
        )
        subprocess.run(["cc", "-std=c11", "-DPUCKER_STATIC", source, "-o", program], check=True)
        told = subprocess.run([program], check=True, capture_output=True, text=True)
    return map(int, told.stdout.split())


def described(header: Path = HEADER, build: Path = BUILD) -> list[str]:
    """The lines of what a header declares; raises SystemExit for a declaration that it cannot read."""
    text = _declared(header.read_text(encoding="utf-8"))
    left = text
    for pattern in (_ENUM, _STRUCT, _HANDLE, _FUNCTION):
        left = pattern.sub("", left)
    if left.strip():
        raise SystemExit(f"abi: {left.strip()!r} is no declaration as this program reads them")
    lines: list[tuple[str, list[str]]] = []
    (version,) = re.findall(r"SOVERSION (\d+)", build.read_text(encoding="utf-8"))
    lines += [(f"soversion {version}", []), ("pointer {}", ["sizeof(void*)"])]
    for name, values in _ENUM.findall(text):
        lines.append((f"enum {name} {{}}", [f"sizeof({name})"]))
        lines += [(f"enum {name} {each} = {{}}", [each]) for each in re.findall(r"([A-Z_0-9]+) =", values)]
    for name, members in _STRUCT.findall(text):
        lines.append((f"struct {name} {{}} aligned {{}}", [f"sizeof({name})", f"alignof({name})"]))
        for member in members.split(";")[:-1]:
            kind, called = _parted(member)
            lines.append((f"struct {name} {called} {kind} at {{}}", [f"offsetof({name}, {called})"]))
    lines += [(f"handle {name}", []) for name in _HANDLE.findall(text)]
    for kind, name, arguments in _FUNCTION.findall(text):
        kinds = ["void"] if arguments == "void" else [_parted(each)[0] for each in arguments.split(",")]
        lines.append((f"function {kind.strip()} {name}({', '.join(kinds)})", []))
    numbers = _measured(header, [each for _, asked in lines for each in asked])
    return [line.format(*(next(numbers) for _ in asked)) for line, asked in lines]


def broken(kept: list[str], now: list[str]) -> list[str]:
    """Lines that are no longer true; none where the library is called otherwise."""
    return [] if kept[:1] != now[:1] else [line for line in kept if line not in now]


def main(words: list[str], header: Path = HEADER, build: Path = BUILD, kept_in: Path = KEPT) -> int:
    """Compares, or with --write keeps; 1 where something differs, or would break."""
    now = described(header, build)
    kept = kept_in.read_text(encoding="utf-8").splitlines() if kept_in.exists() else []
    lost = broken(kept, now)
    for line in lost:
        print(f"abi: no longer true: {line}")
    if words == ["--write"]:
        if lost:
            print("abi: programs compiled before would break: raise SOVERSION in cpp/c/CMakeLists.txt, then write anew")
            return 1
        kept_in.write_text("\n".join(now) + "\n", encoding="utf-8")
        return 0
    for line in now:
        if line not in kept:
            print(f"abi: new: {line}")
    if kept != now:
        print("abi: cpp/c/abi.txt is out of date: ./run abi writes it anew")
    return int(kept != now)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
