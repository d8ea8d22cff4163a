"""Joints of a clip turned by hand, and what follows them: linear blend skinning in NumPy, to compare others with."""

import numpy as np
from scipy.spatial.transform import Rotation


def whole(matrices):
    """(…, 4, 4) of (…, 3, 4)."""
    out = np.zeros((*np.shape(matrices)[:-2], 4, 4))
    out[..., :3, :], out[..., 3, 3] = matrices, 1.0
    return out


def turned_nodes(skeleton, frame, turns):
    """Nodes in the world (K, 4, 4); `turns`: by name degrees about x, then the turned y, then the turned z."""
    world = whole(skeleton.matrices[frame])
    found = np.empty_like(world)
    for node, parent in enumerate(skeleton.parents):
        local = world[node] if parent < 0 else np.linalg.inv(world[parent]) @ world[node]
        if (angles := turns.get(skeleton.nodes[node])) is not None:
            turn = np.eye(4)
            turn[:3, :3] = Rotation.from_euler("XYZ", angles, degrees=True).as_matrix()
            local = local @ turn
        found[node] = local if parent < 0 else found[parent] @ local
    return found


def points_of_body(clip, stored):
    """Rows of the body's stored vertices, one of each that are one point."""
    return stored[np.unique(clip.body_weld, return_index=True)[1]]


def skinned(skin, rest, joints):
    """Positions (n, 3) of vertices that follow joints (J, 4, 4) in the world."""
    bones = joints @ whole(skin.inverse_binds)
    places = np.hstack([rest, np.ones((len(rest), 1))])
    owners = np.repeat(np.arange(len(rest)), np.diff(skin.first))
    moved = np.einsum("kij,kj->ki", bones[skin.influence_joints], places[owners])[:, :3]
    out = np.zeros((len(rest), 3))
    np.add.at(out, owners, skin.influence_weights[:, None] * moved)
    return out


def posed(clip, frame, turns):
    """Positions of the garment and of the body's stored vertices in a frame of a clip."""
    nodes = turned_nodes(clip.skeleton, frame, turns)
    cloth, body = clip.skin, clip.body_skin
    return skinned(cloth, clip.rest, nodes[cloth.nodes]), skinned(body, clip.body_rest, nodes[body.nodes])
