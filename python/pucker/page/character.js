// What pucker.load makes of a character: garment and body with their vertices welded, frame by frame, and the poses that a
// run starts from.

// Of all frames together: a browser holds so many vertices.
const MOST_STORED = 1.2e7;
// Vertices that are as near, as a share of the box's diagonal, are one.
const SAME = 1e-6;
// Times closer than this are one, or as a share, as files store them in 32 bits.
const SAME_TIME = 1e-9, SAME_SHARE = 2 ** -22;
// A character stands who is about as high as in the bind pose, with arms clearly lower; where no name says that it stands,
// its knees must be straight as well.
const UPRIGHT = 0.9, STRAIGHT = 0.97, ARMS_LOW = 0.9, STRETCHED = 0.8, MOST_CLIPS = 64;

// Moments of a clip that lasts so long [s], frame by frame: when each is shown, and what of the clip.
function momentsOf(duration, fps, loops) {
  const frames = duration * fps, whole = Math.round(frames), end = loops * duration;
  const isWhole = whole >= 1 && Math.abs(frames - whole) <= Math.max(SAME_TIME, frames * SAME_SHARE);
  const last = isWhole ? loops * whole : Math.floor(end * fps + SAME_TIME);
  return Array.from({length: last + 1}, (_, k) => {
    const time = k / fps;
    // A loop's end is the start of the next one; only the last frame shows the clip's end.
    if (isWhole) return {time, shown: k === last ? duration : Math.min((k % whole) / fps, duration)};
    let shown = duration > 0 ? time % duration : 0;
    if (duration - shown < SAME_TIME) shown = 0;
    return {time, shown: Math.abs(time - end) < SAME_TIME ? duration : shown};
  });
}

// The box round some vertices of a pose: its low and high corner.
function boxOf(pose, vertices) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (const v of vertices)
    for (let c = 0; c < 3; ++c) {
      low[c] = Math.min(low[c], pose[3 * v + c]);
      high[c] = Math.max(high[c], pose[3 * v + c]);
    }
  return {low, high, sides: low.map((value, c) => Math.max(high[c] - value, 0))};
}

function gap(a, v, b, w) {
  return Math.hypot(a[3 * v] - b[3 * w], a[3 * v + 1] - b[3 * w + 1], a[3 * v + 2] - b[3 * w + 2]);
}

// Joins vertices that are one point in all poses: which of them (by their places in `vertices`) each is joined to, the first
// of its kind, as `welded`, numbers of those kept, and `kept`, places of these.
function weldOf(poses, vertices) {
  const scales = poses.map((pose) => Math.hypot(...boxOf(pose, vertices).sides));
  const parent = Int32Array.from({length: vertices.length}, (_, k) => k);
  const first = (k) => {
    while (parent[k] !== k) k = parent[k] = parent[parent[k]];
    return k;
  };
  const together = (v, w) => poses.every((pose, f) => !(scales[f] > 0) || gap(pose, v, pose, w) / scales[f] <= SAME);
  // Cells larger than what is one point: whatever is near lies in the same or a touching one.
  const {low} = boxOf(poses[0], vertices), size = scales[0] * 2 ** -16 || 1, grid = new Map();
  const key = (x, y, z) => ((x + 1) * 131072 + y + 1) * 131072 + z + 1;
  for (let k = 0; k < vertices.length; ++k) {
    const v = vertices[k], cell = [0, 1, 2].map((c) => Math.floor((poses[0][3 * v + c] - low[c]) / size));
    for (let n = 0; n < 27; ++n)
      for (const other of grid.get(key(cell[0] + Math.floor(n / 9) - 1, cell[1] + (Math.floor(n / 3) % 3) - 1, cell[2] + (n % 3) - 1)) ?? []) {
        const a = first(k), b = first(other);
        if (a !== b && together(v, vertices[other])) parent[Math.max(a, b)] = Math.min(a, b);
      }
    const home = key(...cell);
    if (grid.has(home)) grid.get(home).push(k);
    else grid.set(home, [k]);
  }
  const welded = new Int32Array(vertices.length), kept = [];
  for (let k = 0; k < vertices.length; ++k) {
    if (first(k) === k) welded[k] = kept.push(k) - 1;
    else welded[k] = welded[first(k)];
  }
  return {welded, kept};
}

// Garment or body: some triangles of a character with their vertices welded.
//
// stored: (n,) the character's vertex that each is; faces: (m × 3) of these; triangles: (m,) the character's triangles,
// without those that an earlier one names the other way round.
class Layer {
  constructor(character, poses, wanted) {
    const corners = wanted.flatMap((t) => [...character.faces.subarray(3 * t, 3 * t + 3)]);
    const vertices = [...new Set(corners)].sort((a, b) => a - b);
    const place = new Map(vertices.map((vertex, k) => [vertex, k]));
    const {welded, kept} = vertices.length > 0 ? weldOf(poses, vertices) : {welded: [], kept: []};
    this.stored = Int32Array.from(kept, (k) => vertices[k]);
    this.triangles = [];
    const faces = [], seen = new Set();
    wanted.forEach((triangle, k) => {
      let [a, b, c] = [0, 1, 2].map((corner) => welded[place.get(corners[3 * k + corner])]);
      const face = [a, b, c], least = face.indexOf(Math.min(a, b, c));
      [a, b, c] = [face[least], face[(least + 1) % 3], face[(least + 2) % 3]];
      if (seen.has(`${a} ${c} ${b}`)) return;
      seen.add(`${a} ${b} ${c}`);
      faces.push(...face);
      this.triangles.push(triangle);
    });
    this.faces = Int32Array.from(faces);
  }

  // Positions (n × 3) in a pose of the character.
  at(pose) {
    const out = new Float64Array(3 * this.stored.length);
    this.stored.forEach((vertex, k) => out.set(pose.subarray(3 * vertex, 3 * vertex + 3), 3 * k));
    return out;
  }

  // Vertices on a border, ascending.
  border() {
    const uses = new Map();
    for (let t = 0; t < this.faces.length; t += 3)
      for (let c = 0; c < 3; ++c) {
        const a = this.faces[t + c], b = this.faces[t + ((c + 1) % 3)], key = Math.min(a, b) * this.stored.length + Math.max(a, b);
        if (a !== b) uses.set(key, (uses.get(key) ?? 0) + 1);
      }
    const found = new Set();
    for (const [key, count] of uses) if (count === 1) found.add(Math.floor(key / this.stored.length)).add(key % this.stored.length);
    return [...found].sort((a, b) => a - b);
  }
}

// Vertices of the garment's border that are the body's too, in all frames; `withBody`: of each vertex of the body the one of the
// garment that it is, else -1.
function sharedOf(garment, body, frames) {
  const withBody = new Int32Array(body.stored.length).fill(-1), border = garment.border();
  if (border.length === 0 || body.stored.length === 0) return {shared: [], withBody};
  const vertices = [...border.map((v) => garment.stored[v]), ...body.stored];
  const {welded} = weldOf([frames[0]], vertices), bodyAt = new Map();
  body.stored.forEach((_, v) => {
    const point = welded[border.length + v];
    bodyAt.set(point, [...(bodyAt.get(point) ?? []), v]);
  });
  const whole = [...garment.stored, ...body.stored];
  const far = frames.map((frame) => SAME * Math.hypot(...boxOf(frame, whole).sides));
  const stay = (v, w) => frames.every((frame, f) => gap(frame, garment.stored[v], frame, body.stored[w]) <= far[f]);
  const shared = border.filter((v, k) => {
    const others = (bodyAt.get(welded[k]) ?? []).filter((w) => stay(v, w));
    for (const w of others) if (withBody[w] < 0) withBody[w] = v;
    return others.length > 0;
  });
  return {shared, withBody};
}

// Where nodes and skins are in the pose the skin was bound in: `nodes`, matrices in the world, and `skins`, of each placement
// what takes its mesh there. Bind transforms say where joints are to one another; the topmost joint is where the file stores it.
function boundOf(gltf) {
  const stored = gltf.globals(null, 0), joints = stored.map(() => null), boundTo = stored.map(() => []);
  const skins = gltf.placements.map(() => new THREE.Matrix4()), placed = gltf.placements.map(() => false);
  const bindingsOf = ({influences}) => (influences ? gltf.bindings.slice(influences.begin, influences.end) : []);
  gltf.placements.forEach((placement, k) => bindingsOf(placement).forEach(({node}) => boundTo[node].push(k)));
  for (const topmost of joinedFromTop(gltf)) {
    if (joints[topmost]) continue;
    joints[topmost] = stored[topmost];
    for (const found = [topmost]; found.length > 0; ) {
      const joint = found.pop();
      for (const k of boundTo[joint]) {
        if (placed[k]) continue;
        placed[k] = true;
        const bindings = bindingsOf(gltf.placements[k]);
        skins[k].multiplyMatrices(joints[joint], bindings.find(({node}) => node === joint).offset);
        for (const {node, offset} of bindings) {
          if (joints[node]) continue;
          joints[node] = new THREE.Matrix4().multiplyMatrices(skins[k], offset.clone().invert());
          found.push(node);
        }
      }
    }
  }
  const nodes = [];
  gltf.nodes.forEach(({parent, local}, k) => {
    nodes.push(joints[k] ?? (parent < 0 ? local : new THREE.Matrix4().multiplyMatrices(nodes[parent], local)));
  });
  return {nodes, skins};
}

// How many nodes are above each.
function depthsOf({nodes}) {
  const depths = [];
  for (const {parent} of nodes) depths.push(parent < 0 ? 0 : depths[parent] + 1);
  return depths;
}

// Joints that move a vertex, those with the fewest nodes above them first.
function joinedFromTop(gltf) {
  const moving = new Set(), depth = depthsOf(gltf);
  for (const {influences} of gltf.placements)
    for (const list of influences?.lists ?? []) for (const {binding} of list) moving.add(gltf.bindings[binding].node);
  return [...moving].sort((a, b) => depth[a] - depth[b] || a - b);
}

// By how much frames may differ in size, and differ from the bind pose, and still be as large.
const SAME_SIZE = 0.01;

// What moves vertices, as load of the core counts it: nodes with the matrix that takes the bind pose to each, those with the
// fewest nodes above them first.
function moversOf(gltf, {nodes, skins}) {
  const movers = new Map(), own = [], depth = depthsOf(gltf);
  gltf.placements.forEach(({influences, count, node}, k) => {
    for (const {binding} of influences?.lists.flat() ?? []) {
      const joint = gltf.bindings[binding];
      if (!movers.has(binding)) movers.set(binding, {node: joint.node, bind: new THREE.Matrix4().multiplyMatrices(joint.offset, skins[k].clone().invert())});
    }
    const isFree = influences ? influences.lists.some((list) => list.length === 0) : count > 0;
    if (isFree) own.push({node, bind: nodes[node].clone().invert()});
  });
  const ordered = [...[...movers].sort(([a], [b]) => a - b).map(([, mover]) => mover), ...own];
  return ordered.sort((a, b) => depth[a.node] - depth[b.node]);
}

// The scale of a matrix; 0 if it is not uniform.
function enlargement(matrix) {
  const {elements} = matrix, geometric = Math.cbrt(Math.abs(matrix.determinant()));
  let squares = 0;
  for (let c = 0; c < 3; ++c) for (let r = 0; r < 3; ++r) squares += elements[4 * c + r] ** 2;
  return Math.sqrt(squares / 3) - geometric <= SAME_SIZE * geometric ? geometric : 0;
}

// The pose the skin was bound in, as large as all frames are, whose nodes are `frames`, where these are as large as each other.
function resized(gltf, bound, frames) {
  const movers = moversOf(gltf, bound);
  const sizes = frames.map((nodes) => {
    const found = movers.map(({node, bind}) => enlargement(new THREE.Matrix4().multiplyMatrices(nodes[node], bind))).filter((size) => size > 0);
    return found.sort((a, b) => a - b)[found.length >> 1] ?? 0;
  });
  const least = Math.min(...sizes), largest = Math.max(...sizes), size = 0.5 * (least + largest);
  if (!(least > 0) || largest - least > SAME_SIZE * size || Math.abs(size - 1) <= SAME_SIZE) return bound;
  const middle = new THREE.Vector3().setFromMatrixPosition(movers[0].bind.clone().invert());
  const larger = new THREE.Matrix4().makeScale(size, size, size).setPosition(middle.multiplyScalar(1 - size));
  const taken = (matrix) => new THREE.Matrix4().multiplyMatrices(larger, matrix);
  return {nodes: bound.nodes.map(taken), skins: bound.skins.map(taken)};
}

// Positions of all vertices in the bind pose.
function bindPoseOf(gltf, {nodes, skins}) {
  const out = new Float64Array(3 * gltf.vertices), point = new THREE.Vector3();
  gltf.placements.forEach((placement, k) => {
    const shape = gltf.shape(placement, null, 0);
    for (let v = 0; v < placement.count; ++v) {
      const skinned = placement.influences?.lists[v].length > 0;
      point.fromArray(shape, 3 * v).applyMatrix4(skinned ? skins[k] : nodes[placement.node]).toArray(out, 3 * (placement.first + v));
    }
  });
  return out;
}

// The pose of a file in which its character stands with arms low: the first frame of a clip that says so by its name, else of
// the one that shows it best, or a frame of the clip that is played. Null if there is none.
function standingOf(gltf, bind, frames) {
  const all = [...Array(gltf.vertices).keys()];
  const bindBox = boxOf(bind, all), height = bindBox.sides[1], spreadOfBind = spread(bind);
  const stretched = Math.max(bindBox.sides[0], bindBox.sides[2]) >= STRETCHED * height;
  let best = null, least = spreadOfBind;
  const better = (pose, upright) => {
    const wide = spread(pose);
    if (!(boxOf(pose, all).sides[1] >= upright * height && wide < (best ? 1 : ARMS_LOW) * least)) return;
    [best, least] = [pose, wide];
  };
  const candidates = gltf.clips.map((clip) => ({clip, words: wordsOf(clip.name)})).map((each) => ({...each, rank: rankOf(each.words)}));
  candidates.sort((a, b) => a.rank - b.rank || a.words.length - b.words.length);
  for (const {clip, rank} of candidates.slice(0, MOST_CLIPS)) {
    if (rank === 2 && !stretched) break;
    better(gltf.positions(gltf.globals(clip, 0), clip, 0), rank < 2 ? UPRIGHT : STRAIGHT);
    if (best && rank < 2) return best;
  }
  if (stretched) for (const pose of frames) better(pose, STRAIGHT);
  return best;
}

// Root mean square distance of the vertices from the vertical through their middle.
function spread(pose) {
  const count = pose.length / 3, sum = [0, 0, 0], squares = [0, 0, 0];
  for (let v = 0; v < count; ++v) for (const c of [0, 2]) sum[c] += pose[3 * v + c] / count;
  for (let v = 0; v < count; ++v) for (const c of [0, 2]) squares[c] += (pose[3 * v + c] - sum[c]) ** 2 / count;
  return Math.sqrt(squares[0] + squares[2]);
}

// The words of a clip's name in lower case, after the last "|": Armature|Idle_SwordLeft has idle, sword and left.
function wordsOf(name) {
  const own = name.slice(name.lastIndexOf("|") + 1).replace(/([a-z])([A-Z])/g, "$1 $2");
  return (own.match(/[A-Za-z]+/g) ?? []).map((word) => word.toLowerCase());
}

// 0 of a clip in which one stands, 1 in which one walks, 2 of any other, by the words of its name.
function rankOf(words) {
  const has = (list) => words.some((word) => list.includes(word));
  const aPose = words.some((word, k) => word === "a" && words[k + 1] === "pose");
  if (has(["idle", "stand", "standing", "apose", "relaxed"]) || aPose) return 0;
  return has(["walk", "walking"]) ? 1 : 2;
}

// The character's height: its extent along y in the first frame, or of what lies flat there the longest side in any frame.
function heightOf(frames, vertices) {
  const [, up] = boxOf(frames[0], vertices).sides;
  if (up > 0.1 * Math.max(...boxOf(frames[0], vertices).sides)) return up;
  return Math.max(...frames.map((frame) => Math.max(...boxOf(frame, vertices).sides)));
}

// Everything of a clip of a file that is played: null plays its bind pose. `isCloth` says of each triangle of the character
// whether it is of the garment.
function clipOf(gltf, clip, isCloth, {fps = 30, loops = 1} = {}) {
  if (clip && !(clip.duration >= 0)) gltf.fail(`is damaged: its clip ${clip.name} lasts ${clip.duration} s`);
  const count = Math.floor((clip?.duration ?? 0) * fps * loops) + 1;
  if (count * gltf.vertices > MOST_STORED)
    gltf.fail(`is too large: clip ${clip?.name} has ${count} frames of ${gltf.vertices} vertices, where a page has room for ${MOST_STORED / 1e6} million in all frames`);
  const moments = clip ? momentsOf(clip.duration, fps, loops) : [{time: 0, shown: 0}];
  const skinned = !gltf.skinless, stored = boundOf(gltf);
  const nodes = moments.map(({shown}) => (clip ? gltf.globals(clip, shown) : stored.nodes));
  const bound = skinned && clip ? resized(gltf, stored, nodes) : stored;
  const bind = bindPoseOf(gltf, bound), rest = gltf.positions(gltf.globals(null, 0));
  const frames = moments.map(({shown}, k) => (clip ? gltf.positions(nodes[k], clip, shown) : bind));
  const poses = [rest, ...(skinned ? [bind] : []), ...frames];
  const character = charactersTriangles(gltf), sides = [[], []];
  character.placementOf.forEach((_, t) => sides[isCloth[t] ? 0 : 1].push(t));
  if (sides[0].length === 0) gltf.fail("would have no cloth: choose at least one part that has triangles");
  const [garment, body] = sides.map((wanted) => new Layer(character, poses, wanted));
  const standing = skinned || gltf.clips.length > 1 ? standingOf(gltf, skinned ? bind : rest, clip ? frames : []) : null;
  const vertices = [...garment.stored, ...body.stored];
  return {
    gltf, clip, character, garment, body, bound, nodes, frames, standing,
    bind: skinned ? bind : null, times: moments.map(({time}) => time), height: heightOf(frames, vertices),
    followsSkin: skinned && !(clip?.weights.size > 0), ...sharedOf(garment, body, frames),
  };
}

// The triangles of a character: `faces` (m × 3), vertices of it, and `placementOf` (m,).
function charactersTriangles(gltf) {
  const faces = [], placementOf = [];
  gltf.placements.forEach((placement, k) => {
    for (let i = 0; i < placement.faces.length; ++i) faces.push(placement.first + placement.faces[i]);
    for (let i = 0; i < placement.faces.length; i += 3) placementOf.push(k);
  });
  return {faces: Int32Array.from(faces), placementOf};
}
