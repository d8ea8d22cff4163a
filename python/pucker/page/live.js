// A run of a method in the reader's browser: pucker's core as WebAssembly, through its C interface (pucker/pucker.h).

// Of all frames together: a phone has room for so many vertices.
const MOST_KEPT = 4e6;
// Seconds between pictures of a clip that has one frame.
const STILL = 1 / 30;

// The core's memory and calls.
class Core {
  static async begin(bytes) {
    // What the library of C would ask of a system, of which a page has none.
    const nothing = new Proxy({}, {get: () => () => 0});
    const {instance} = await WebAssembly.instantiate(bytes, {env: nothing, wasi_snapshot_preview1: nothing});
    instance.exports._initialize();
    return new Core(instance.exports);
  }

  constructor(exports) {
    this.exports = exports;
    this.error = exports.malloc(512);
  }

  view(Kind, at, count) {
    return new Kind(this.exports.memory.buffer, at, count);
  }

  // Text up to its zero.
  text(at) {
    const bytes = new Uint8Array(this.exports.memory.buffer, at);
    return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
  }

  // A call of the interface, whose last argument is where a sentence goes; throws that sentence.
  call(name, ...args) {
    if (this.exports[`pucker_${name}`](...args, this.error) !== 0) throw new Error(this.text(this.error));
  }

  room(bytes) {
    const at = this.exports.malloc(Math.max(bytes, 8));
    if (at === 0) throw new Error("there is not enough memory");
    return at;
  }

  // Calls `use` with what puts values into the core's memory, which is given back after it.
  with(use) {
    const taken = [];
    const keep = (bytes) => {
      taken.push(this.room(bytes));
      return taken[taken.length - 1];
    };
    const put = {
      room: keep,
      values: (Kind, values) => {
        const at = keep(Kind.BYTES_PER_ELEMENT * values.length);
        this.view(Kind, at, values.length).set(values);
        return at;
      },
      text: (text) => put.values(Uint8Array, [...new TextEncoder().encode(text), 0]),
      // A struct of C: ["i64" | "f64" | "at", value] each, aligned as C does.
      struct: (...fields) => {
        const at = keep(16 * fields.length);
        const view = new DataView(this.exports.memory.buffer);
        let end = at;
        for (const [kind, value] of fields) {
          const size = kind === "at" ? 4 : 8;
          end = Math.ceil(end / size) * size;
          if (kind === "i64") view.setBigInt64(end, BigInt(value), true);
          else if (kind === "f64") view.setFloat64(end, value, true);
          else view.setUint32(end, value, true);
          end += size;
        }
        return at;
      },
    };
    try {
      return use(put);
    } finally {
      for (const at of taken) this.exports.free(at);
    }
  }
}

// How the vertices of the core's fine mesh lie on the coarse triangles, as Layout does of a recorded one.
function layoutOf(faces, sources, weights, triangleCount) {
  const starts = new Uint32Array(triangleCount + 1);
  for (const source of sources) ++starts[source + 1];
  for (let t = 0; t < triangleCount; ++t) starts[t + 1] += starts[t];
  const next = starts.slice(), order = new Uint32Array(sources.length);
  for (let f = 0; f < sources.length; ++f) order[next[sources[f]]++] = f;
  const layout = {vertices: [], triangles: [], weights: [], faces: new Uint32Array(faces.length), firstFaces: starts};
  let at = 0;
  for (let t = 0; t < triangleCount; ++t) {
    const corners = new Map();
    for (let k = starts[t]; k < starts[t + 1]; ++k)
      for (let c = 3 * order[k]; c < 3 * order[k] + 3; ++c) {
        if (!corners.has(faces[c])) {
          corners.set(faces[c], layout.vertices.length);
          layout.vertices.push(faces[c]);
          layout.triangles.push(t);
          layout.weights.push(weights[3 * c], weights[3 * c + 1], weights[3 * c + 2]);
        }
        layout.faces[at++] = corners.get(faces[c]);
      }
  }
  return layout;
}

// A run over the clip of a page: frames are computed in order, each once for the same parameters, as long as there is room.
class Live {
  constructor(core, head, arrays) {
    this.core = core;
    this.head = head;
    this.arrays = arrays;
    this.values = {...head.live.values};
    this.params = this.run = 0;
    this.count = head.times.length;
    // What is computed may turn on the last bits of positions, which a live page has; what is drawn is in steps.
    const {quantum, origin} = head;
    this.exact = {};
    for (const name of head.live.exact.filter((name) => arrays[name])) {
      const exact = (this.exact[name] = arrays[name]);
      arrays[name] = {...exact, values: exact.values.map((value, i) => (value - origin[i % 3]) / quantum)};
    }
    this.pose = head.live.skin ? new Pose(core, head, arrays, arrays.rest.values) : null;
    this.begin(this.values);
  }

  // Garment and body of a frame, exact and with all turns.
  frame(index) {
    if (this.pose?.turned) return this.pose.positions(index);
    const {positions, body_positions: body} = this.exact;
    return {garment: rowOf(positions, index), body: body && rowOf(body, index)};
  }

  // Begins anew with parameters as text; throws the core's sentence, and then nothing has changed.
  begin(values) {
    const {core, head, arrays} = this;
    const [params, run] = core.with((put) => {
      const out = put.room(8);
      const made = () => core.view(Uint32Array, out, 1)[0];
      core.call("params_new", put.text(head.live.method), out);
      const params = made();
      try {
        for (const [name, value] of Object.entries(values))
          core.call("params_set", params, put.text(name), put.text(value));
        this.giveSet(put, params);
        const poses = ["rest", "standing"].map((name) => ["at", arrays[name] ? put.values(Float64Array, arrays[name].values) : 0]);
        const garment = put.struct(
          ["i64", head.vertices[0]], ["i64", head.triangles[0]], ["at", put.values(Int32Array, arrays.faces.values)],
          ["at", put.values(Float64Array, this.frame(0).garment)], ...poses,
          ["f64", head.live.height]);
        const wearer = this.wearer(put);
        if (wearer) core.call("run_new_worn", params, garment, wearer, head.live.pieces, out);
        else core.call("run_new", params, garment, head.live.pieces, out);
      } catch (error) {
        core.exports.pucker_params_free(params);
        throw error;
      }
      return [params, made()];
    });
    this.end();
    [this.params, this.run, this.values] = [params, run, values];
    this.reached = -1;
    this.later = 0;
    this.steps = this.milliseconds = 0;
    this.kept = new Map();
    this.layout = null;
  }

  // Gives back what the core holds of the run.
  end() {
    this.core.exports.pucker_run_free(this.run);
    this.core.exports.pucker_params_free(this.params);
  }

  giveSet(put, params) {
    const {core, arrays, head} = this;
    if (!head.live.set) return;
    const file = put.text("set");
    core.call("params_set", params, put.text("trained"), file);
    const give = (name, ...fields) => core.call("params_array", params, file, put.struct(["at", put.text(name)], ...fields));
    for (const [name, text] of Object.entries(head.live.set.texts)) give(name, ["at", put.text(text)], ["i64", 0], ["at", 0], ["at", 0]);
    for (const name of head.live.set.arrays) {
      const {values, shape} = arrays[`set_${name}`];
      const sizes = put.values(BigInt64Array, shape.map((size) => BigInt(size)));
      give(name, ["at", 0], ["i64", shape.length], ["at", sizes], ["at", put.values(Float64Array, values)]);
    }
  }

  // Who wears the garment, as in the first frame: those after it are given as they come. 0 if nobody does.
  wearer(put) {
    const {arrays} = this;
    if (!arrays.body_faces) return 0;
    const values = this.frame(0).body ?? rowOf(arrays.body_positions, 0), vertices = values.length / 3;
    const shared = arrays.shared.values;
    const poses = ["body_rest", "body_standing"].map((name) => ["at", arrays[name] ? put.values(Float64Array, arrays[name].values) : 0]);
    return put.struct(
      ["i64", vertices], ["i64", arrays.body_faces.shape[0]], ["i64", 1],
      ["at", put.values(Int32Array, arrays.body_faces.values)],
      ["at", put.values(Float64Array, values)], ...poses,
      ["i64", shared.length], ["at", put.values(Int32Array, shared)]);
  }

  // Computes the next frame.
  step() {
    this.advance(this.reached + 1);
  }

  // Joints were turned while `frame` was shown: nothing is computed anew, but the run goes on from there as it is.
  turned(frame) {
    this.kept.clear();
    if (this.reached <= frame) return;
    this.later += this.head.times[this.reached] - this.head.times[frame];
    this.reached = frame;
  }

  // Computes the last frame again as one that follows it, as time goes on while the clip stands still.
  hold() {
    const {times} = this.head, last = times.length - 1;
    this.later += last > 0 ? times[last] / last : STILL;
    this.advance(this.reached);
  }

  advance(frame) {
    const {core, head} = this, {garment, body} = this.frame(frame);
    const before = performance.now();
    core.with((put) => {
      const positions = put.values(Float64Array, garment), time = head.live.begin + head.times[frame] + this.later;
      if (body?.length && head.live.exact.includes("body_positions"))
        core.call("run_advance_worn", this.run, positions, put.values(Float64Array, body), time);
      else core.call("run_advance", this.run, positions, time);
      const sizes = put.room(16);
      core.call("run_size", this.run, sizes, sizes + 8);
      const [vertices, triangles] = [...core.view(BigInt64Array, sizes, 2)].map(Number);
      if (!this.layout) this.take(put, vertices, triangles);
      const count = 3 * vertices, places = put.room(8 * count), normals = put.room(8 * count);
      core.call("run_surface", this.run, places, normals, count);
      const points = {positions: new Float32Array(count), normals: Float32Array.from(core.view(Float64Array, normals, count))};
      const found = core.view(Float64Array, places, count);
      for (let i = 0; i < count; ++i) points.positions[i] = found[i] - head.origin[i % 3];
      points.overlays = Object.fromEntries(head.overlays.map((overlay) => [overlay.name, this.overlay(put, overlay)]));
      if (this.count * vertices > MOST_KEPT) this.kept.clear();
      this.kept.set(frame, points);
    });
    this.reached = frame;
    ++this.steps;
    this.milliseconds += performance.now() - before;
  }

  // An overlay of the last frame: colours of the triangles, or ends of lines, 8 numbers each, relative to the origin.
  overlay(put, {name, kind}) {
    const {core, head, run} = this;
    if (kind === "tint") {
      const room = 4 * head.triangles[0], tints = put.room(room);
      core.call("run_tints", run, put.text(name), tints, room);
      return core.view(Uint8Array, tints, room).slice();
    }
    const size = put.room(8), ends = [];
    const counted = (call, ...args) => {
      core.call(call, run, ...args);
      return Number(core.view(BigInt64Array, size, 1)[0]);
    };
    const paths = BigInt(counted("run_path_count", size));
    for (let index = 0n; index < paths; ++index) {
      const count = counted("run_curve", index, size, 0, 0), points = put.room(32 * count);
      core.call("run_curve", run, index, 0, points, 4 * count);
      const found = core.view(Float64Array, points, 4 * count).map((value, i) => value - (i % 4 < 3 ? head.origin[i % 4] : 0));
      // As recorded: four straight pieces a segment, of which there are eight.
      for (let k = 0; k + 2 < count; k += 2) ends.push(...found.subarray(4 * k, 4 * k + 4), ...found.subarray(4 * k + 8, 4 * k + 12));
    }
    return Float32Array.from(ends);
  }

  // The fine mesh.
  take(put, vertices, triangles) {
    const {core} = this;
    const faces = put.room(12 * triangles), sources = put.room(4 * triangles), corners = put.room(72 * triangles);
    core.call("run_faces", this.run, faces, 3 * triangles);
    core.call("run_corners", this.run, sources, corners, 9 * triangles);
    this.layout = layoutOf(
      core.view(Int32Array, faces, 3 * triangles), core.view(Int32Array, sources, triangles),
      core.view(Float64Array, corners, 9 * triangles), this.head.triangles[0]);
    this.triangles = triangles;
  }

  // Goes towards a frame for at least one step and until so many milliseconds are spent; whether it is there.
  approach(frame, budget) {
    const end = performance.now() + budget;
    if (!this.kept.has(frame) && frame <= this.reached) this.begin(this.values);
    while (!this.kept.has(frame)) {
      this.step();
      if (performance.now() > end) break;
    }
    return this.kept.has(frame);
  }

  // As FineSurface: `points` are those of the frame that was set.
  set(frame) {
    this.points = this.kept.get(frame);
    this.overlays = this.points.overlays;
  }
}

// Sliders for the parameters; `change` is called with a name and its value as text.
class Controls {
  constructor(into, list, change) {
    this.change = change;
    const groups = new Map();
    for (const control of list) {
      if (!groups.has(control.group)) groups.set(control.group, this.group(into, control.group, groups.size === 0));
      groups.get(control.group).append(this.row(control));
    }
  }

  group(into, name, open) {
    const details = document.createElement("details"), summary = document.createElement("summary");
    details.open = open;
    summary.textContent = name;
    details.append(summary);
    into.append(details);
    return details;
  }

  row({name, doc, kind, value, low, high, step, choices}) {
    const label = document.createElement("label"), said = document.createElement("span");
    label.title = doc;
    said.textContent = name;
    label.append(said);
    const make = (tag, type, attributes) => {
      const made = Object.assign(document.createElement(tag), type ? {type} : {}, attributes);
      label.append(made);
      return made;
    };
    const told = (text) => this.change(name, text);
    if (kind === "choice") {
      const list = make("select", null, {name});
      for (const choice of choices) list.append(new Option(choice, choice, false, choice === value));
      list.addEventListener("change", () => told(list.value));
    } else if (kind === "switch") {
      const box = make("input", "checkbox", {name, checked: value === "true"});
      box.addEventListener("change", () => told(String(box.checked)));
    } else {
      const logarithm = kind === "logarithm";
      const slider = ["whole", "real", "logarithm"].includes(kind) ? make("input", "range", {min: low, max: high, step, ariaLabel: name}) : null;
      const text = make("input", "text", {name, value, inputMode: "decimal", size: 6});
      if (slider) {
        slider.value = logarithm ? Math.log10(Number(value)) : Number(value);
        slider.addEventListener("input", () => {
          text.value = String(logarithm ? Number((10 ** slider.valueAsNumber).toPrecision(4)) : slider.valueAsNumber);
          told(text.value);
        });
      }
      text.addEventListener("change", () => {
        if (slider) slider.value = logarithm ? Math.log10(Number(text.value)) : Number(text.value);
        told(text.value.trim());
      });
    }
    return label;
  }
}
