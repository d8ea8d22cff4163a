"""Garments and bodies that draped cloth is tried on."""

import itertools

import numpy as np
import render_scenes as scenes

import pucker
from pucker import drape
from pucker.examples import bending_sleeve, grid_faces

# What of the files in data/ is cloth.
CLOTHES = {
    "kimono_male.gltf": ("Clothes", "Band"),
    "female_dress.fbx": ("Dress",),
    "mage.glb": ("Mage_Body", "Mage_ArmLeft", "Mage_ArmRight"),
}


def ball():
    """A closed ball of radius 1: faces and positions."""
    return scenes.icosphere(3)


def sheet(size=3.0, height=1.05, count=12):
    """A flat sheet above a ball."""
    row, column = (index.ravel() / count for index in np.mgrid[: count + 1, : count + 1])
    x, z = size * (column - 0.5), size * (0.5 - row)
    return grid_faces(count, count), np.stack([x, np.full(x.size, height), z], axis=1)


FACES, FLAT = sheet()
MESH = pucker.Mesh(FACES, len(FLAT))
PARAMS = drape.Params(levels=1, clearance=0.01, thickness=0.0)


def body(frames=4):
    """A ball that rises through the sheet."""
    faces, points = ball()
    steps = np.arange(frames)[:, None] * [0.0, 0.1, 0.0]
    return drape.Body(faces, np.array([points + up for up in steps]), points)


def box(low, high):
    """Its sides are seen from outside: faces and positions."""
    faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6]]
    faces += [[0, 6, 4], [1, 5, 7], [1, 7, 3]]
    return np.array(faces), np.array(list(itertools.product(*zip(low, high, strict=True))), float)


def tube(radius, low, high, across=32, along=6):
    """An open tube about the y axis, seen from outside: faces and positions."""
    row, column = (index.ravel() for index in np.mgrid[: along + 1, :across])
    angle = 2 * np.pi * column / across
    y = low + (high - low) * row / along
    return grid_faces(across, along, closed=True), np.stack([radius * np.sin(angle), y, radius * np.cos(angle)], axis=1)


def two_sleeves(frames=31, gap=0.008):
    """A sleeve in a sleeve, both bending, `gap` of the length apart; the first half of the vertices is the outer one's."""
    sleeve = bending_sleeve(frames=frames)
    faces, count = sleeve.mesh.faces, sleeve.mesh.vertex_count
    extent = np.ptp(sleeve.positions[0], axis=0).max()
    within = [points - gap * extent * pucker.vertex_normals(sleeve.mesh, points) for points in sleeve.positions]
    both = np.concatenate([sleeve.positions, within], axis=1)
    return pucker.Clip.from_arrays(np.vstack([faces, faces + count]), both, sleeve.times)
