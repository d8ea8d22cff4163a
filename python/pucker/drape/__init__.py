"""Draped cloth: a fine mesh is held softly to the coarse motion and brought into balance in every frame.

M. Müller, N. Chentanez, *Wrinkle Meshes*, SCA 2010.
"""

from pucker._core._drape import *  # noqa: F403

from .method import Cut as Cut
from .method import body_of as body_of
from .method import cut_of as cut_of
from .method import cut_pose as cut_pose
from .method import maps_of as maps_of
