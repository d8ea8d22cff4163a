// A clip that a reader brought as a page holds one: the head and the arrays that pucker.page writes for the clip packed in.

// So much larger than the character the view is.
const MARGIN = 1.06;

// Besides, how many pictures are missing. `made`: of clipOf; `head` and `arrays`: of the page, whose method, parameters, light and view are kept.
async function contentOf(made, head, arrays) {
  const {gltf, clip, garment, body, frames, nodes} = made, hasBody = body.faces.length > 0;
  const boxes = frames.map((frame) => boxOf(frame, [...garment.stored, ...body.stored]));
  const origin = [0, 1, 2].map((c) => 0.5 * (Math.min(...boxes.map(({low}) => low[c])) + Math.max(...boxes.map(({high}) => high[c]))));
  const own = Object.fromEntries(Object.entries(arrays).filter(([name]) => name.startsWith("set_")));
  const put = (name, values, ...shape) => (own[name] = {values, shape, row: values.length / shape[0]});
  const [many, vertices, bodyVertices] = [frames.length, garment.stored.length, body.stored.length];
  const all = (row, Kind = Float64Array) => joinedRows(frames.map(row), Kind);
  put("faces", garment.faces, garment.faces.length / 3, 3);
  put("positions", all((frame) => garment.at(frame)), many, vertices, 3);
  const normals = frames.map((frame) => normalsOf(made, frame));
  put("normals", joinedRows(normals.map((found) => found.garment), Float32Array), many, vertices, 2);
  put("shared", Int32Array.from(made.shared), made.shared.length);
  if (hasBody) {
    put("body_faces", body.faces, body.faces.length / 3, 3);
    // Where the method looks at the body, the run takes positions as they are.
    const exact = head.live.exact.includes("body_positions");
    put("body_positions", all((frame) => (exact ? body.at(frame) : relative(body.at(frame), origin))), many, bodyVertices, 3);
    put("body_normals", joinedRows(normals.map((found) => found.body), Float32Array), many, bodyVertices, 2);
  }
  if (made.bind) put("rest", garment.at(made.bind), vertices, 3);
  const cut = cutOf(made, head.live.cut);
  if (cut) put("standing", garment.at(cut), vertices, 3);
  if (cut && hasBody) put("body_standing", body.at(cut), bodyVertices, 3);
  const skin = made.followsSkin ? skinOf(made, nodes, origin, hasBody, put) : null;
  const {missing, ...painted} = await paintsOf(made, hasBody, put);
  const [pieces, most] = head.live.finest, triangles = garment.faces.length / 3;
  return {
    arrays: own,
    missing,
    head: {
      ...head, ...painted, origin, quantum: 1, coarseSteps: 1, times: made.times, frame: 0, told: [],
      title: `${gltf.name.replace(/\.[^.]*$/, "")} ${clip ? clip.name : "bind pose"}`,
      camera: cameraOf(head.camera, made, origin), vertices: [vertices, 0], triangles: [triangles, 0],
      live: {...head.live, skin, height: made.height, begin: 0, pieces: most ? Math.max(1, Math.min(pieces, Math.floor(Math.sqrt(most / triangles)))) : pieces},
    },
  };
}

function joinedRows(rows, Kind) {
  const out = new Kind(rows.length * rows[0].length);
  rows.forEach((row, k) => out.set(row, k * row.length));
  return out;
}

function relative(positions, origin) {
  return positions.map((value, i) => value - origin[i % 3]);
}

// The pose that the garment was cut for, of the whole character, as `pucker.drape.cut_of` finds it; null where the method does
// not ask for one.
function cutOf({standing, bind, frames}, cut) {
  if (cut === null) return null;
  if (cut === "" && standing) return standing;
  return cut === "first" ? frames[0] : (bind ?? frames[0]);
}

// Normals of garment and body, which are the same where they are sewn to each other, as points of the unfolded octahedron.
function normalsOf({garment, body, withBody}, frame) {
  const count = garment.stored.length, whole = [...garment.stored, ...body.stored];
  const number = (v) => (v >= count && withBody[v - count] >= 0 ? withBody[v - count] : v);
  const sums = new Float64Array(3 * whole.length);
  const add = (faces, first) => {
    for (let t = 0; t < faces.length; t += 3) {
      const i = 3 * whole[faces[t] + first], j = 3 * whole[faces[t + 1] + first], k = 3 * whole[faces[t + 2] + first];
      const ux = frame[j] - frame[i], uy = frame[j + 1] - frame[i + 1], uz = frame[j + 2] - frame[i + 2];
      const vx = frame[k] - frame[i], vy = frame[k + 1] - frame[i + 1], vz = frame[k + 2] - frame[i + 2];
      for (let c = 0; c < 3; ++c) {
        const at = 3 * number(faces[t + c] + first);
        sums[at] += uy * vz - uz * vy;
        sums[at + 1] += uz * vx - ux * vz;
        sums[at + 2] += ux * vy - uy * vx;
      }
    }
  };
  add(garment.faces, 0);
  add(body.faces, count);
  const out = new Float32Array(2 * whole.length);
  whole.forEach((_, v) => unfolded(sums, 3 * number(v), out, 2 * v));
  return {garment: out.subarray(0, 2 * count), body: out.subarray(2 * count)};
}

// The inverse of unitVector; what has no length points up.
function unfolded(values, at, out, to) {
  const sum = Math.abs(values[at]) + Math.abs(values[at + 1]) + Math.abs(values[at + 2]);
  const [x, y, z] = sum > 0 ? [0, 1, 2].map((c) => values[at + c] / sum) : [0, 1, 0];
  const sign = (value) => (value < 0 ? -1 : 1);
  out[to] = z < 0 ? (1 - Math.abs(y)) * sign(x) : x;
  out[to + 1] = z < 0 ? (1 - Math.abs(x)) * sign(y) : y;
}

// Adds skeleton and skin, as pucker.page.skin does: what Pose takes.
function skinOf({gltf, garment, body, bound, bind}, nodes, origin, hasBody, put) {
  const placementOf = new Int32Array(gltf.vertices), count = gltf.nodes.length;
  gltf.placements.forEach(({first, count: size}, k) => placementOf.fill(k, first, first + size));
  const joints = new Map(), first = [0], influences = [], weights = [], owners = [], binds = [];
  // A joint: a node with the matrix that takes the bind pose to it.
  const joint = (key, node, bindOf) => {
    if (!joints.has(key)) {
      joints.set(key, joints.size);
      owners.push(node);
      const {elements} = bindOf();
      for (let r = 0; r < 3; ++r) for (let c = 0; c < 4; ++c) binds.push(elements[4 * c + r]);
    }
    return joints.get(key);
  };
  for (const vertex of [...garment.stored, ...(hasBody ? body.stored : [])]) {
    const k = placementOf[vertex], placement = gltf.placements[k], list = placement.influences?.lists[vertex - placement.first] ?? [];
    for (const {binding, weight} of list) {
      const {node, offset} = gltf.bindings[binding];
      influences.push(joint(`skin ${binding}`, node, () => new THREE.Matrix4().multiplyMatrices(offset, bound.skins[k].clone().invert())));
      weights.push(weight);
    }
    if (list.length === 0) {
      influences.push(joint(`node ${placement.node}`, placement.node, () => bound.nodes[placement.node].clone().invert()));
      weights.push(1);
    }
    first.push(influences.length);
  }
  put("skin_parents", Int32Array.from(gltf.nodes, ({parent}) => parent), count);
  put("skin_nodes", Int32Array.from(owners), owners.length);
  put("skin_binds", Float64Array.from(binds), owners.length, 3, 4);
  put("skin_first", Int32Array.from(first), first.length);
  put("skin_influences", Int32Array.from(influences), influences.length);
  put("skin_weights", Float64Array.from(weights), weights.length);
  if (hasBody) put("skin_body_rest", relative(body.at(bind), origin), body.stored.length, 3);
  const axes = new Float64Array(9 * count * nodes.length), places = new Float64Array(3 * count * nodes.length);
  nodes.flat().forEach(({elements}, k) => {
    for (let r = 0; r < 3; ++r) {
      for (let c = 0; c < 3; ++c) axes[9 * k + 3 * r + c] = elements[4 * c + r];
      places[3 * k + r] = elements[12 + r] - origin[r];
    }
  });
  put("skin_axes", axes, nodes.length, count, 3, 3);
  put("skin_places", places, nodes.length, count, 3);
  return {names: gltf.nodes.map(({name}) => name), joints: [...new Set(owners)].sort((a, b) => a - b), axisStep: 1, placeStep: 1};
}

// Adds colours, textures and texture coordinates of all triangles; the pictures, which alphas there are, and how many pictures the
// file does not hold.
async function paintsOf({gltf, character, garment, body}, hasBody, put) {
  const used = new Set(gltf.placements.map(({material}) => material)), paints = new Map(), textures = [], alphas = [], sources = [], missing = new Set();
  for (const number of used) {
    const material = gltf.list("materials")[number] ?? {}, {baseColorFactor: colour = [1, 1, 1, 1], baseColorTexture} = material.pbrMetallicRoughness ?? {};
    const source = baseColorTexture?.index;
    if (source !== undefined && !sources.includes(source) && !missing.has(source)) {
      const url = await gltf.picture(source);
      if (url) textures[sources.push(source) - 1] = url;
      else missing.add(source);
    }
    const mode = {MASK: 1, BLEND: 2}[material.alphaMode] ?? 0;
    alphas.push([mode, material.alphaCutoff ?? 0.5, mode === 0 ? 1 : colour[3]]);
    paints.set(number, {colour: colour.slice(0, 3).map(encoded), texture: sources.indexOf(source), alpha: alphas.length - 1});
  }
  const isSolid = alphas.every(([mode]) => mode === 0);
  for (const [prefix, {triangles}] of [["", garment], ...(hasBody ? [["body_", body]] : [])]) {
    const count = triangles.length, paintOf = triangles.map((t) => paints.get(gltf.placements[character.placementOf[t]].material));
    put(`${prefix}colours`, Uint8Array.from(paintOf.flatMap(({colour}) => colour)), count, 3);
    if (textures.length > 0) put(`${prefix}textures`, Int32Array.from(paintOf, ({texture}) => texture), count);
    if (!isSolid) put(`${prefix}alphas`, Int32Array.from(paintOf, ({alpha}) => alpha), count);
    const texcoords = new Float32Array(6 * count);
    triangles.forEach((t, k) => {
      const {first, texcoords: given} = gltf.placements[character.placementOf[t]];
      for (let c = 0; given && c < 3; ++c) {
        const vertex = character.faces[3 * t + c] - first;
        texcoords.set([given[2 * vertex], 1 - given[2 * vertex + 1]], 6 * k + 2 * c);
      }
    });
    if (textures.length > 0) put(`${prefix}texcoords`, texcoords, count, 3, 2);
  }
  return {textures, alphas: isSolid ? [] : alphas, missing: missing.size};
}

// A linear share of light as pictures have it, 0 to 255.
function encoded(linear) {
  const share = Math.min(Math.max(linear, 0), 1);
  return Math.round(255 * (share <= 0.0031308 ? 12.92 * share : 1.055 * share ** (1 / 2.4) - 0.055));
}

// The page's view of all frames, as pucker.page.appearance has it of its clip.
function cameraOf({eye, target, fieldOfView}, {frames, garment, body}, origin) {
  const back = new THREE.Vector3(...eye).sub(new THREE.Vector3(...target)).normalize();
  const right = new THREE.Vector3(0, 1, 0).cross(back).normalize(), up = back.clone().cross(right);
  const axes = [right, up, back].map((axis) => axis.toArray()), vertices = [...garment.stored, ...body.stored];
  // Every point from a middle, along the axes of the view.
  const each = (axes, middle, use) => {
    for (const frame of frames)
      for (const v of vertices) {
        const x = frame[3 * v] - origin[0] - middle[0], y = frame[3 * v + 1] - origin[1] - middle[1], z = frame[3 * v + 2] - origin[2] - middle[2];
        use(...axes.map((axis) => axis[0] * x + axis[1] * y + axis[2] * z));
      }
  };
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  each(axes, [0, 0, 0], (...at) => at.forEach((value, c) => {
    low[c] = Math.min(low[c], value);
    high[c] = Math.max(high[c], value);
  }));
  const middle = [0, 1, 2].map((c) => axes.reduce((sum, axis, k) => sum + 0.5 * (low[k] + high[k]) * axis[c], 0));
  const half = Math.tan((0.5 * fieldOfView * Math.PI) / 180), slope = half / MARGIN;
  let distance = 1e-6 * Math.hypot(...low.map((value, c) => high[c] - value)) || 1, radius = 0, reach = 0;
  each(axes, middle, (x, y, z) => (distance = Math.max(distance, Math.max(Math.abs(x), Math.abs(y)) / slope + z)));
  each([[1, 0, 0], [0, 1, 0], [0, 0, 1]], middle, (x, y, z) => {
    radius = Math.max(radius, Math.hypot(x, z));
    reach = Math.max(reach, Math.abs(y));
  });
  // Of what stands nearest.
  const nearest = half * Math.max(distance - radius, 1e-6 * distance);
  const shares = [radius / nearest, (reach + Math.abs(back.y) * radius) / nearest].map((share) => Math.min(share, 1));
  return {eye: middle.map((value, c) => value + distance * axes[2][c]), target: middle, fieldOfView, shares};
}
