// A character's joints on a live page, which the reader turns; what follows them is computed by the core.

// Pixels after which a press on a joint is a drag.
const DRAG = 3;

// The skeleton and the skin, as pucker.page.skin writes them.
class Pose {
  constructor(core, head, arrays, rest) {
    this.core = core;
    this.head = head;
    this.arrays = arrays;
    this.names = head.live.skin.names;
    this.joints = head.live.skin.joints;
    this.parents = arrays.skin_parents.values;
    this.angles = new Float64Array(3 * this.names.length);
    this.garmentVertices = head.vertices[0];
    const body = arrays.skin_body_rest?.values ?? [];
    this.rest = new Float64Array(rest.length + body.length);
    this.rest.set(rest);
    for (let i = 0; i < body.length; ++i) this.rest[rest.length + i] = head.live.skin.placeStep * body[i] + head.origin[i % 3];
  }

  // Whether any joint is turned.
  get turned() {
    return this.angles.some((angle) => angle !== 0);
  }

  anglesOf(node) {
    return this.angles.subarray(3 * node, 3 * node + 3);
  }

  // Where the clip has the nodes, (K × 3 × 4).
  stored(frame) {
    const axes = rowOf(this.arrays.skin_axes, frame), places = rowOf(this.arrays.skin_places, frame);
    const {axisStep, placeStep} = this.head.live.skin, out = new Float64Array(12 * this.names.length);
    for (let row = 0; row < 3 * this.names.length; ++row) {
      for (let c = 0; c < 3; ++c) out[4 * row + c] = axisStep * axes[3 * row + c];
      out[4 * row + 3] = placeStep * places[row] + this.head.origin[row % 3];
    }
    return out;
  }

  // Where they are with all turns.
  nodes(frame) {
    const stored = this.stored(frame);
    return this.core.with((put) => {
      const out = put.room(8 * stored.length);
      this.core.call(
        "nodes_turned", BigInt(this.names.length), put.values(Int32Array, this.parents), put.values(Float64Array, stored),
        put.values(Float64Array, this.angles), out);
      return this.core.view(Float64Array, out, stored.length).slice();
    });
  }

  // Vertices of garment and body that follow nodes from where they are `rest` with the joints' inverse bind matrices.
  skinned(nodes, rest, binds) {
    const {core, arrays} = this;
    return core.with((put) => {
      const out = put.room(8 * rest.length), joints = arrays.skin_nodes.values;
      const skin = put.struct(
        ["i64", rest.length / 3], ["i64", joints.length], ["at", put.values(Float64Array, rest)],
        ["at", put.values(Int32Array, arrays.skin_first.values)], ["at", put.values(Int32Array, arrays.skin_influences.values)],
        ["at", put.values(Float64Array, arrays.skin_weights.values)], ["at", put.values(Int32Array, joints)],
        ["at", put.values(Float64Array, binds)]);
      core.call("skin_positions", skin, BigInt(nodes.length / 12), put.values(Float64Array, nodes), out);
      return core.view(Float64Array, out, rest.length).slice();
    });
  }

  parted(values) {
    return {garment: values.subarray(0, 3 * this.garmentVertices), body: values.subarray(3 * this.garmentVertices)};
  }

  positions(frame) {
    return this.following(this.nodes(frame));
  }

  // Garment and body where the nodes are.
  following(nodes) {
    return this.parted(this.skinned(nodes, this.rest, this.arrays.skin_binds.values));
  }

  // Takes points of the clip's frame to where the turned joints have them.
  apply(frame, garment, body) {
    if (!this.turned) return;
    const {origin} = this.head, nodes = this.nodes(frame);
    const places = this.following(nodes);
    const normals = new Float64Array(this.rest.length);
    normals.set(garment.normals);
    if (body) normals.set(body.normals, garment.normals.length);
    const turns = this.parted(this.skinned(this.turns(frame, nodes), normals, this.unmoved()));
    for (const [name, points] of [["garment", garment], ["body", body]]) {
      if (!points) continue;
      for (let i = 0; i < points.positions.length; ++i) points.positions[i] = places[name][i] - origin[i % 3];
      for (let i = 0; i < points.normals.length; i += 3) {
        const [x, y, z] = turns[name].subarray(i, i + 3), size = Math.hypot(x, y, z);
        points.normals.set(size > 0 ? [x / size, y / size, z / size] : [0, 1, 0], i);
      }
    }
  }

  // How each node has turned from where the clip has it, as matrices without a place.
  turns(frame, nodes) {
    const stored = this.stored(frame), out = new Float64Array(nodes.length);
    for (let k = 0; 12 * k < nodes.length; ++k) {
      const turn = matrixOf(nodes, k).multiply(matrixOf(stored, k).invert()).elements;
      for (let r = 0; r < 3; ++r) for (let c = 0; c < 3; ++c) out[12 * k + 4 * r + c] = turn[4 * c + r];
    }
    return out;
  }

  unmoved() {
    const out = new Float64Array(12 * this.arrays.skin_nodes.values.length);
    for (let i = 0; i < out.length; i += 12) out[i] = out[i + 5] = out[i + 10] = 1;
    return out;
  }

  // The angles of a joint after a rotation in the world, from where `before` nodes and `angles` had it.
  rotated(joint, rotation, before, angles) {
    const axes = new THREE.Matrix4().extractRotation(matrixOf(before, joint));
    if (axes.determinant() < 0) for (let i = 0; i < 11; ++i) axes.elements[i] *= -1;
    const place = new THREE.Quaternion().setFromRotationMatrix(axes);
    const own = new THREE.Quaternion().setFromEuler(new THREE.Euler(...[...angles].map((angle) => (angle * Math.PI) / 180)));
    const turned = own.multiply(place.clone().invert()).multiply(rotation).multiply(place);
    const {x, y, z} = new THREE.Euler().setFromQuaternion(turned);
    return [x, y, z].map((angle) => (angle * 180) / Math.PI);
  }
}

// The matrix of a node.
function matrixOf(nodes, k) {
  return new THREE.Matrix4().set(...nodes.subarray(12 * k, 12 * k + 12), 0, 0, 0, 1);
}

// The panel with the list of joints and three angles, and the joints in the picture; `change` is called after a turn.
class Posing {
  constructor(page, pose, change) {
    this.page = page;
    this.pose = pose;
    this.change = change;
    this.panel = element("pose");
    this.panel.hidden = false;
    this.panel.ontoggle = () => page.ask();
    this.list = element("joint");
    for (const id of ["joint", "angles", "joints"]) element(id).replaceChildren();
    for (const joint of pose.joints) this.list.append(new Option(pose.names[joint], joint));
    this.list.onchange = () => this.show();
    this.sliders = ["x", "y", "z"].map((name, axis) => this.slider(name, axis));
    element("reset_joint").onclick = () => this.set(this.joint, [0, 0, 0]);
    element("reset_pose").onclick = () => {
      pose.angles.fill(0);
      this.changed();
    };
    this.dots = new Map(pose.joints.map((joint) => [joint, this.dot(joint)]));
    this.show();
  }

  get joint() {
    return Number(this.list.value);
  }

  slider(name, axis) {
    const label = document.createElement("label"), said = document.createElement("span"), number = document.createElement("output");
    said.textContent = name;
    const slider = Object.assign(document.createElement("input"), {type: "range", min: -180, max: 180, step: 1, ariaLabel: `turn about ${name}`});
    label.append(said, number, slider);
    slider.addEventListener("input", () => {
      const angles = [...this.pose.anglesOf(this.joint)];
      angles[axis] = slider.valueAsNumber;
      this.set(this.joint, angles);
    });
    element("angles").append(label);
    return {slider, number};
  }

  set(joint, angles) {
    const own = this.pose.anglesOf(joint), before = own.slice();
    own.set(angles);
    if (!this.page.attempt(() => this.pose.nodes(this.page.frame))) own.set(before);
    this.changed();
  }

  changed() {
    this.show();
    this.change();
  }

  choose(joint) {
    this.list.value = joint;
    this.show();
  }

  // The angles of the chosen joint, and which joints are turned.
  show() {
    const {pose, joint} = this, angles = pose.anglesOf(joint);
    this.sliders.forEach(({slider, number}, axis) => {
      slider.value = angles[axis];
      number.textContent = `${angles[axis].toFixed(0)}°`;
    });
    for (const option of this.list.options) {
      const turned = pose.anglesOf(Number(option.value)).some((angle) => angle !== 0);
      option.textContent = `${pose.names[option.value]}${turned ? " •" : ""}`;
    }
    for (const [each, dot] of this.dots) dot.setAttribute("aria-current", each === joint);
  }

  // A joint in the picture. Pressed it is chosen; dragged it takes along what it hangs on, which turns about the line of sight.
  dot(joint) {
    const {pose, page} = this, dot = document.createElement("i");
    dot.title = pose.names[joint];
    element("joints").append(dot);
    let held = null;
    dot.addEventListener("pointerdown", (event) => {
      dot.setPointerCapture(event.pointerId);
      held = {x: event.clientX, y: event.clientY, turning: this.above(joint)};
      this.choose(joint);
      event.preventDefault();
    });
    dot.addEventListener("pointermove", (event) => {
      if (!held || held.turning === null) return;
      if (!held.before) {
        if (Math.hypot(event.clientX - held.x, event.clientY - held.y) < DRAG) return;
        held.before = pose.nodes(page.frame);
        held.angles = pose.anglesOf(held.turning).slice();
        this.choose(held.turning);
      }
      this.drag(held, event);
    });
    for (const name of ["pointerup", "pointercancel"]) dot.addEventListener(name, () => (held = null));
    return dot;
  }

  // The joint that a joint hangs on, in another place; null if there is none.
  above(joint) {
    const {pose} = this, nodes = pose.nodes(this.page.frame), least = 1e-3 * this.page.scene.radius;
    const place = (k) => new THREE.Vector3(nodes[12 * k + 3], nodes[12 * k + 7], nodes[12 * k + 11]);
    let at = pose.parents[joint];
    while (at >= 0 && !(pose.joints.includes(at) && place(at).distanceTo(place(joint)) > least)) at = pose.parents[at];
    return at >= 0 ? at : null;
  }

  drag({x, y, turning, before, angles}, event) {
    const {camera} = this.page.scene, centre = this.seen(before, turning), frame = this.page.canvas.getBoundingClientRect();
    const angle = (px, py) => Math.atan2(centre.y - (py - frame.top), px - frame.left - centre.x);
    const sight = camera.position.clone().sub(centre.place).normalize();
    const turn = new THREE.Quaternion().setFromAxisAngle(sight, angle(event.clientX, event.clientY) - angle(x, y));
    this.set(turning, this.pose.rotated(turning, turn, before, angles));
  }

  // Where a node is in the picture, in pixels.
  seen(nodes, k) {
    const {canvas, head, scene} = this.page, [ox, oy, oz] = head.origin;
    const place = new THREE.Vector3(nodes[12 * k + 3] - ox, nodes[12 * k + 7] - oy, nodes[12 * k + 11] - oz);
    const at = place.clone().project(scene.camera);
    return {place, x: (0.5 + 0.5 * at.x) * canvas.clientWidth, y: (0.5 - 0.5 * at.y) * canvas.clientHeight, seen: at.z < 1};
  }

  // Puts the joints where the picture has them.
  place() {
    element("joints").hidden = !this.panel.open;
    if (!this.panel.open || this.page.frame === undefined) return;
    const nodes = this.pose.nodes(this.page.frame);
    for (const [joint, dot] of this.dots) {
      const {x, y, seen} = this.seen(nodes, joint);
      dot.hidden = !seen;
      dot.style.translate = `${x}px ${y}px`;
    }
  }

  // Turns joints as an address says: "UpperArm.L:0,0,60;Head:20,0,0".
  take(text) {
    const taken = text.split(";").filter(Boolean).map((part) => {
      const colon = part.lastIndexOf(":"), name = part.slice(0, colon), angles = part.slice(colon + 1).split(",").map(Number);
      const joint = this.pose.joints.find((each) => this.pose.names[each] === name);
      if (joint === undefined) throw new Error(`there is no joint ${name}`);
      if (angles.length !== 3 || !angles.every(isFinite)) throw new Error(`joint ${name} needs three angles in degrees, not ${part.slice(colon + 1)}`);
      return [joint, angles];
    });
    for (const [joint, angles] of taken) {
      this.pose.anglesOf(joint).set(angles);
      this.choose(joint);
    }
  }
}
