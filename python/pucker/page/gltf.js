// A reader's own character: what a GLB file says of meshes, nodes, skins and clips, as glTF 2.0 defines it. A VRM file is a
// GLB with extensions. Every failure is an Error with one sentence.

const WIDTHS = {SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16};
const COMPONENTS = {5120: Int8Array, 5121: Uint8Array, 5122: Int16Array, 5123: Uint16Array, 5125: Uint32Array, 5126: Float32Array};
// Of normalised whole numbers: what stands for 1.
const ONES = {5120: 127, 5121: 255, 5122: 32767, 5123: 65535};
const TRIANGLES = 4, STRIP = 5, FAN = 6;
// What a browser can hold beside the page: bytes of a file, vertices of a character, and numbers of one accessor.
const MOST_BYTES = 256e6, MOST_VERTICES = 500000, MOST_NUMBERS = 64e6;
// Packed in ways that are not unpacked here.
const PACKINGS = ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"];

// A character of one file.
//
// nodes: parents before children, {name, parent, index, local: matrix, parts: {translation, rotation, scale}}.
// placements: a primitive of a mesh at a node each, {node, piece, material, first, count, faces, ...}, of vertices first to
// first + count of the character.
class Gltf {
  constructor(name, bytes) {
    this.name = name;
    if (bytes.length > MOST_BYTES) this.fail(`has ${megabytes(bytes.length)}, more than the ${megabytes(MOST_BYTES)} that a page takes`);
    // Whatever else is wrong with a file shows as what names nothing, or is of another kind.
    this.guarded(() => {
      this.unpack(bytes);
      this.checkPacking();
      this.readNodes();
      this.placeMeshes();
      this.readClips();
    });
    if (this.placements.length === 0) this.fail("has no mesh of triangles");
    if (this.skinless && !this.clips.some((clip) => clip.weights.size > 0)) this.fail("has no skin, without which cloth keeps its shape and has no wrinkles");
  }

  fail(what) {
    throw new Error(`${this.name} ${what}`);
  }

  // What `use` gives; a damaged file is told of as one.
  guarded(use) {
    try {
      return use();
    } catch (error) {
      if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
      return this.fail(`is truncated or damaged: ${error.message}`);
    }
  }

  // --- The container ---

  unpack(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.binary = null;
    if (bytes.length < 20 || view.getUint32(0) !== 0x676c5446) {
      this.json = this.parsed(bytes, "is no GLB file: it does not begin with glTF");
      if (!this.json.asset) this.fail("is no GLB file: it does not begin with glTF");
    } else {
      if (view.getUint32(4, true) !== 2) this.fail(`is of glTF ${view.getUint32(4, true)}; only glTF 2 is read`);
      for (let at = 12; at + 8 <= bytes.length; ) {
        const length = view.getUint32(at, true), kind = view.getUint32(at + 4, true), begin = at + 8;
        if (begin + length > bytes.length) this.fail(`is truncated: a chunk of ${length} bytes begins at byte ${at} of ${bytes.length}`);
        const chunk = bytes.subarray(begin, begin + length);
        if (kind === 0x4e4f534a) this.json ??= this.parsed(chunk, "is damaged: its first chunk is no JSON");
        else if (kind === 0x004e4942) this.binary ??= chunk;
        at = begin + length;
      }
      if (!this.json) this.fail("is truncated or damaged: it has no JSON chunk");
    }
    this.buffers = this.list("buffers").map((buffer, number) => this.bufferOf(buffer, number));
  }

  parsed(bytes, otherwise) {
    try {
      const json = JSON.parse(new TextDecoder().decode(bytes));
      if (json && typeof json === "object") return json;
    } catch {
      // As what follows says.
    }
    return this.fail(otherwise);
  }

  list(name) {
    return Array.isArray(this.json[name]) ? this.json[name] : [];
  }

  bufferOf({uri}, number) {
    if (uri === undefined) {
      if (number !== 0 || !this.binary) this.fail(`is truncated or damaged: buffer ${number} is missing`);
      return this.binary;
    }
    return this.embedded(uri) ?? this.fail(`keeps its buffer in another file, ${uri}; as .glb it has all inside`);
  }

  // The bytes of a data: address; null of any other.
  embedded(uri) {
    const found = /^data:[^,]*;base64,/.exec(uri);
    if (!found) return null;
    let text;
    try {
      text = atob(uri.slice(found[0].length));
    } catch {
      this.fail("is damaged: an embedded buffer is no base64");
    }
    return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  }

  checkPacking() {
    const required = [...this.list("extensionsRequired")];
    for (const mesh of this.list("meshes"))
      for (const primitive of mesh.primitives ?? []) required.push(...Object.keys(primitive.extensions ?? {}));
    const found = PACKINGS.find((name) => required.includes(name));
    if (found) this.fail(`is packed by ${found}, which is not read; write it without compression`);
  }

  // --- Accessors ---

  bytesOf(number) {
    const view = this.list("bufferViews")[number], buffer = this.buffers[view.buffer], begin = view.byteOffset ?? 0;
    if (begin + view.byteLength > buffer.length) throw new RangeError(`buffer view ${number} ends after its buffer`);
    return buffer.subarray(begin, begin + view.byteLength);
  }

  // Rows of `width` components in a view, which may lie apart.
  rows(number, begin, count, width, Kind) {
    const bytes = this.bytesOf(number), size = width * Kind.BYTES_PER_ELEMENT;
    const stride = this.list("bufferViews")[number].byteStride || size;
    if (count > 0 && begin + (count - 1) * stride + size > bytes.length) throw new RangeError(`buffer view ${number} ends too early`);
    const out = new Uint8Array(size * count);
    if (stride === size) out.set(bytes.subarray(begin, begin + size * count));
    else for (let k = 0; k < count; ++k) out.set(bytes.subarray(begin + k * stride, begin + k * stride + size), k * size);
    return new Kind(out.buffer);
  }

  // The numbers of an accessor, row after row; `width` is what they must have, if that is known.
  accessor(number, width) {
    const accessor = this.list("accessors")[number], own = WIDTHS[accessor.type], Kind = COMPONENTS[accessor.componentType];
    if (!own || !Kind || (width && own !== width)) throw new RangeError(`accessor ${number} is of an unexpected type, ${accessor.type} of ${accessor.componentType}`);
    if (!(accessor.count * own <= MOST_NUMBERS)) this.fail(`is too large: accessor ${number} has ${accessor.count} rows`);
    const {count, bufferView, sparse} = accessor;
    let values = bufferView === undefined ? new Kind(own * count) : this.rows(bufferView, accessor.byteOffset ?? 0, count, own, Kind);
    if (sparse) {
      const {indices, values: kept} = sparse;
      const places = this.rows(indices.bufferView, indices.byteOffset ?? 0, sparse.count, 1, COMPONENTS[indices.componentType]);
      const rows = this.rows(kept.bufferView, kept.byteOffset ?? 0, sparse.count, own, Kind);
      places.forEach((place, k) => values.set(rows.subarray(own * k, own * k + own), own * place));
    }
    if (accessor.normalized && ONES[accessor.componentType]) values = Float64Array.from(values, (value) => Math.max(value / ONES[accessor.componentType], -1));
    return values;
  }

  // --- Nodes and meshes ---

  readNodes() {
    const stored = this.list("nodes"), scenes = this.list("scenes");
    const children = new Set(stored.flatMap((node) => node.children ?? []));
    const roots = (scenes[this.json.scene ?? 0]?.nodes ?? [...stored.keys()].filter((k) => !children.has(k)));
    this.nodes = [];
    this.numbers = new Map();
    // Characters of VRM 0 face -z, all others +z.
    const turned = this.json.extensions?.VRM !== undefined;
    if (turned) this.nodes.push({name: "turned", parent: -1, index: -1, ...localOf({scale: [-1, 1, -1]})});
    const open = roots.map((index) => [index, turned ? 0 : -1]).reverse();
    while (open.length > 0) {
      const [index, parent] = open.pop(), node = stored[index];
      if (this.numbers.has(index)) this.fail(`is damaged: node ${index} hangs on more than one other`);
      this.numbers.set(index, this.nodes.length);
      open.push(...[...(node.children ?? [])].reverse().map((child) => [child, this.nodes.length]));
      this.nodes.push({name: String(node.name || `node ${index}`), parent, index, ...localOf(node)});
    }
  }

  placeMeshes() {
    this.placements = [];
    this.vertices = 0;
    this.bindings = [];
    const stored = this.list("nodes"), meshes = this.list("meshes");
    this.nodes.forEach((node, number) => {
      const {mesh, skin, weights} = stored[node.index] ?? {};
      if (mesh === undefined) return;
      for (const primitive of meshes[mesh].primitives) {
        if (![TRIANGLES, STRIP, FAN].includes(primitive.mode ?? TRIANGLES)) continue;
        this.placements.push(this.placed(number, meshes[mesh], mesh, primitive, skin, weights ?? meshes[mesh].weights ?? []));
        if (this.vertices > MOST_VERTICES) this.fail(`is too large: it has more than ${MOST_VERTICES} vertices`);
      }
    });
    this.skinless = this.placements.every(({influences}) => !influences);
  }

  placed(node, mesh, meshNumber, {attributes, indices, mode, material, targets}, skin, weights) {
    const points = this.accessor(attributes.POSITION, 3), count = points.length / 3, first = this.vertices;
    const order = indices === undefined ? Uint32Array.from({length: count}, (_, k) => k) : this.accessor(indices, 1);
    const wrong = order.find((vertex) => vertex >= count);
    if (wrong !== undefined) throw new RangeError(`mesh ${meshNumber} names vertex ${wrong} of ${count}`);
    this.vertices += count;
    const texture = this.list("materials")[material]?.pbrMetallicRoughness?.baseColorTexture;
    const texcoords = attributes[`TEXCOORD_${texture?.texCoord ?? 0}`];
    return {
      node, first, count, points, material, weights,
      nodeName: this.nodes[node].name, meshName: String(mesh.name || `mesh ${meshNumber}`),
      faces: trianglesOf(order, mode ?? TRIANGLES),
      texcoords: texcoords === undefined ? null : this.accessor(texcoords, 2),
      targets: (targets ?? []).map((target) => (target.POSITION === undefined ? null : this.accessor(target.POSITION, 3))),
      influences: skin === undefined ? null : this.influencesOf(attributes, this.list("skins")[skin], count, first),
    };
  }

  // What of the skin's joints moves each vertex: lists of {binding, weight}, weights of a vertex summing to 1. Adds the
  // bindings of the skin: a node with the matrix that takes the mesh to it, each, from `this.bindings.length` on.
  influencesOf(attributes, skin, count, first) {
    const begin = this.bindings.length, width = skin.joints.length;
    const binds = skin.inverseBindMatrices === undefined ? null : this.accessor(skin.inverseBindMatrices, 16);
    skin.joints.forEach((joint, k) => {
      const node = this.numbers.get(joint);
      if (node === undefined) this.fail(`is damaged: a skin names the node ${joint}, which its scene does not have`);
      const offset = new THREE.Matrix4();
      if (binds) offset.fromArray(binds, 16 * k);
      this.bindings.push({node, offset});
    });
    const lists = Array.from({length: count}, () => []);
    for (let set = 0; attributes[`JOINTS_${set}`] !== undefined && attributes[`WEIGHTS_${set}`] !== undefined; ++set) {
      const joints = this.accessor(attributes[`JOINTS_${set}`], 4), weights = this.accessor(attributes[`WEIGHTS_${set}`], 4);
      if (joints.length !== 4 * count || weights.length !== 4 * count) throw new RangeError("a skin has another number of vertices than its mesh");
      for (let k = 0; k < 4 * count; ++k) {
        if (weights[k] === 0) continue;
        if (joints[k] >= width) throw new RangeError(`a vertex follows joint ${joints[k]} of ${width}`);
        lists[k >> 2].push({binding: begin + joints[k], weight: weights[k]});
      }
    }
    lists.forEach((list, vertex) => {
      const sum = list.reduce((total, {weight}) => total + weight, 0);
      if (list.length > 0 && !(sum > 0 && isFinite(sum))) this.fail(`is damaged: the skin weights of vertex ${first + vertex} sum to ${sum}`);
      for (const influence of list) influence.weight /= sum;
    });
    return {lists, begin, end: this.bindings.length};
  }

  // --- Clips ---

  readClips() {
    const uses = new Map();
    this.clips = this.list("animations").map((animation, number) => this.clipOf(animation, String(animation.name || `clip ${number + 1}`)));
    for (const {name} of this.clips) uses.set(name, (uses.get(name) ?? 0) + 1);
    const numbers = new Map();
    for (const clip of this.clips) {
      if (uses.get(clip.name) === 1) continue;
      numbers.set(clip.name, (numbers.get(clip.name) ?? 0) + 1);
      clip.name = `${clip.name} (${numbers.get(clip.name)})`;
    }
  }

  // Channels by node, {translation, rotation, scale}, and those of morph targets' weights. Times are in milliseconds, rounded
  // to 32 bits, and count from the first key of any channel that has several: what pucker.load does.
  clipOf(animation, name) {
    const moved = new Map(), weights = new Map(), keys = [];
    for (const {sampler: number, target} of animation.channels) {
      const node = this.numbers.get(target.node), sampler = animation.samplers[number];
      if (node === undefined || !["translation", "rotation", "scale", "weights"].includes(target.path)) continue;
      const times = Float32Array.from(this.accessor(sampler.input, 1), (time) => 1000 * time);
      const track = {times, values: this.accessor(sampler.output), how: sampler.interpolation ?? "LINEAR"};
      const rows = times.length * (track.how === "CUBICSPLINE" ? 3 : 1);
      track.width = track.values.length / rows;
      const expected = {translation: 3, rotation: 4, scale: 3}[target.path] ?? track.width;
      if (times.length === 0 || track.width !== expected || !Number.isInteger(track.width) || !times.every(isFinite))
        throw new RangeError(`clip ${name} has ${track.values.length} numbers for ${times.length} keys of ${target.path}`);
      keys.push(times);
      if (target.path === "weights") weights.set(node, track);
      else moved.set(node, {...moved.get(node), [target.path]: track});
    }
    const several = keys.filter((times) => times.length > 1);
    const last = keys.reduce((most, times) => Math.max(most, times[times.length - 1]), 0);
    const begin = several.reduce((least, times) => Math.min(least, times[0]), several.length > 0 ? Infinity : last);
    return {name, moved, weights, begin, duration: (last - begin) * 0.001};
  }

  // --- Poses ---

  // Matrices of all nodes in the world at a time in a clip [s], or as the file stores them without one.
  globals(clip, time) {
    const out = [];
    for (const [number, node] of this.nodes.entries()) {
      const tracks = clip?.moved.get(number), local = tracks ? movedLocal(node, tracks, clip.begin + 1000 * time) : node.local;
      out.push(node.parent < 0 ? local.clone() : new THREE.Matrix4().multiplyMatrices(out[node.parent], local));
    }
    return out;
  }

  // Vertices (n × 3) of a placement in the space of its mesh, with its morph targets where a clip has them at a time.
  shape({points, targets, weights, node}, clip, time) {
    const track = clip?.weights.get(node), out = Float64Array.from(points);
    const own = track ? valueAt(track, clip.begin + 1000 * time) : weights;
    targets.forEach((target, k) => {
      if (target && own[k]) for (let i = 0; i < out.length; ++i) out[i] += own[k] * target[i];
    });
    return out;
  }

  // Positions (vertices × 3) where the nodes are.
  positions(globals, clip = null, time = 0) {
    const out = new Float64Array(3 * this.vertices);
    const bound = this.bindings.map(({node, offset}) => new THREE.Matrix4().multiplyMatrices(globals[node], offset).elements);
    for (const placement of this.placements) {
      const shape = this.shape(placement, clip, time), {first, count, influences} = placement, own = globals[placement.node].elements;
      for (let v = 0; v < count; ++v) {
        const list = influences?.lists[v] ?? [], to = 3 * (first + v), x = shape[3 * v], y = shape[3 * v + 1], z = shape[3 * v + 2];
        for (let k = 0; k < Math.max(list.length, 1); ++k) {
          const m = list.length > 0 ? bound[list[k].binding] : own, weight = list.length > 0 ? list[k].weight : 1;
          for (let c = 0; c < 3; ++c) out[to + c] += weight * (m[c] * x + m[4 + c] * y + m[8 + c] * z + m[12 + c]);
        }
      }
    }
    if (!out.every(isFinite)) this.fail(`has positions that are not finite${clip ? ` at ${time} s of clip ${clip.name}` : ""}`);
    return out;
  }

  // --- Pictures ---

  // The picture of a texture as an address that holds it; null where the file does not, or not as browsers know it.
  async picture(number) {
    const {source, extensions} = this.list("textures")[number] ?? {};
    const image = this.list("images")[source ?? extensions?.EXT_texture_webp?.source];
    if (!image) return null;
    const bytes = image.bufferView === undefined ? this.embedded(image.uri ?? "") : this.bytesOf(image.bufferView);
    if (!bytes) return null;
    const kind = bytes[0] === 0x89 ? "image/png" : bytes[0] === 0xff ? "image/jpeg" : "image/webp";
    return new Promise((resolve, reject) => {
      const reader = new FileReader();
      reader.onload = () => resolve(reader.result);
      reader.onerror = () => reject(reader.error);
      reader.readAsDataURL(new Blob([bytes], {type: kind}));
    });
  }
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

// The transform of a node, and what it is made of.
function localOf({matrix, translation = [0, 0, 0], rotation = [0, 0, 0, 1], scale = [1, 1, 1]}) {
  const parts = {translation: new THREE.Vector3(...translation), rotation: new THREE.Quaternion(...rotation).normalize(), scale: new THREE.Vector3(...scale)};
  const local = new THREE.Matrix4();
  if (!matrix) return {local: local.compose(parts.translation, parts.rotation, parts.scale), parts};
  local.fromArray(matrix).decompose(parts.translation, parts.rotation, parts.scale);
  return {local, parts};
}

function movedLocal({parts}, {translation, rotation, scale}, time) {
  return new THREE.Matrix4().compose(
    translation ? new THREE.Vector3(...valueAt(translation, time)) : parts.translation,
    rotation ? new THREE.Quaternion(...valueAt(rotation, time, true)) : parts.rotation,
    scale ? new THREE.Vector3(...valueAt(scale, time)) : parts.scale);
}

// The value of a track at a time [ms]; before its first key and after its last one, theirs.
function valueAt({times, values, how, width}, time, turns = false) {
  let low = 0, high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle + 1;
    else high = middle;
  }
  const before = Math.max(low - 1, 0), after = Math.min(low, times.length - 1), step = times[after] - times[before];
  const share = before < after && low > 0 ? (time - times[before]) / step : 0;
  const cubic = how === "CUBICSPLINE";
  // Of a spline each key has the tangent that leads to it, its value and the tangent that leads on.
  const row = (key, part = 1) => [...values.subarray(width * (cubic ? 3 * key + part : key), width * ((cubic ? 3 * key + part : key) + 1))];
  if (share === 0 || how === "STEP") return turns ? unitQuaternion(row(before)) : row(before);
  if (!cubic && turns) return new THREE.Quaternion(...row(before)).normalize().slerp(new THREE.Quaternion(...row(after)).normalize(), share).toArray();
  const a = row(before), b = row(after);
  if (!cubic) return a.map((value, c) => value + share * (b[c] - value));
  const out = row(before, 2), into = row(after, 0), s = share, s2 = s * s, s3 = s2 * s, seconds = step / 1000;
  const found = a.map((value, c) => (2 * s3 - 3 * s2 + 1) * value + (s3 - 2 * s2 + s) * seconds * out[c] + (3 * s2 - 2 * s3) * b[c] + (s3 - s2) * seconds * into[c]);
  return turns ? unitQuaternion(found) : found;
}

function unitQuaternion(values) {
  return new THREE.Quaternion(...values).normalize().toArray();
}

// Three vertices a triangle, of a list, a strip or a fan.
function trianglesOf(order, mode) {
  if (mode === TRIANGLES) return Uint32Array.from(order.subarray(0, order.length - (order.length % 3)));
  const out = [];
  for (let k = 2; k < order.length; ++k) {
    if (mode === FAN) out.push(order[0], order[k - 1], order[k]);
    else out.push(order[k - 2 + (k % 2)], order[k - 1 - (k % 2)], order[k]);
  }
  return Uint32Array.from(out);
}
