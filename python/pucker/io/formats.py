"""Endings of the files that hold a character, in lower case."""

from typing import Final

GLB: Final = (".glb", ".vrm", ".vrma")
GLTF: Final = (".gltf", *GLB)
USD: Final = (".usd", ".usda", ".usdc", ".usdz")
# Whose joints and nodes the clips of another file can move.
SCENES: Final = (*GLTF, ".fbx", ".dae")
# A point cache and its OBJ file are two, and frames of OBJ files many.
CHARACTERS: Final = (*SCENES, *USD, ".md3", ".abc")
