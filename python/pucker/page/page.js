// What can be done with the page.

const element = (id) => document.getElementById(id);

// How many frames cloth is given to come to rest after a joint was turned.
const SETTLING = 20;

// What a page has to begin with may stand behind # in its address: frame=20&split=0.3&show=labels,paths&play, and on live
// pages pose, with which the joints are shown, and turn=UpperArm.L:0,0,60;Head:20,0,0.
function wished() {
  const given = new URLSearchParams(location.hash.slice(1));
  const number = (name, otherwise) => (given.has(name) && isFinite(given.get(name)) ? Number(given.get(name)) : otherwise);
  return {number, turn: given.get("turn"), pose: given.has("pose"), show: (given.get("show") ?? "").split(",").filter(Boolean), play: given.has("play")};
}

class Page {
  // `live`: a run that computes the frames; none if they are recorded.
  constructor(head, scene, live) {
    this.head = head;
    this.scene = scene;
    this.live = live;
    this.wanted = null;
    this.changed = null;
    this.playing = false;
    this.settling = 0;
    this.waiting = false;
    this.canvas = element("picture");
    const {number, show, play, pose, turn} = wished();
    scene.onchange = () => this.ask();
    this.on = new Set(show);
    scene.on = this.on;
    this.controls = new THREE.OrbitControls(scene.camera, this.canvas);
    this.look();
    this.controls.addEventListener("change", () => this.ask());
    // Whoever scrolls by a page that stands in another means that one.
    this.controls.enableZoom = self === top;
    this.canvas.addEventListener("pointerdown", () => (this.controls.enableZoom = true));
    element("frame").addEventListener("input", (event) => {
      this.play(false);
      this.setFrame(event.target.valueAsNumber);
    });
    element("play").addEventListener("click", () => this.play(!this.playing));
    document.addEventListener("keydown", (event) => this.key(event));
    this.offerOverlays();
    if (live) this.offerParameters();
    if (live?.pose) this.offerJoints(pose, turn);
    if (live) this.dropping = new Dropping(this);
    this.tell();
    this.takeWiper();
    this.setFrame(Math.min(Math.max(Math.round(number("frame", head.frame)), 0), head.times.length - 1));
    this.setSplit(number("split", 0.5));
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    this.resize();
    element("wiper").hidden = document.querySelector("footer").hidden = false;
    if (play) this.play(true);
  }

  // Takes the camera to where it has the whole clip in sight.
  look() {
    const {eye, target} = this.head.camera;
    this.scene.camera.position.set(...eye);
    this.controls.target.set(...target);
  }

  // Shows another clip, computed by `live`, in the place of the one that is shown.
  show(head, scene, live) {
    this.play(false);
    this.live.end();
    this.live.kept.clear();
    Object.assign(this, {head, scene, live, frame: 0, wanted: null, changed: null, settling: 0, posing: null});
    delete document.documentElement.dataset.frame;
    element("refused").textContent = "";
    if (live.pose) this.offerJoints(element("pose").open, null);
    element("pose").hidden = element("joints").hidden = !live.pose;
    this.tell();
    this.look();
    this.setFrame(0);
    this.resize();
  }

  resize() {
    this.scene.resize(this.canvas.clientWidth, this.canvas.clientHeight, Math.min(devicePixelRatio, 2));
    this.controls.update();
    this.ask();
  }

  // Draws once before the next picture of the screen, however much has changed.
  ask() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame((now) => {
      this.waiting = false;
      if (this.live) this.compute();
      if (this.playing && this.wanted === null) this.advance(now);
      this.scene.draw();
      this.posing?.place();
      if (this.playing || this.wanted !== null || this.settling > 0) this.ask();
    });
  }

  setFrame(frame) {
    const {head, live} = this;
    if (live && !live.kept.has(frame)) {
      this.wanted = frame;
      if (this.scene.frame === undefined) this.scene.setFrame(frame, live.pose);
      this.ask();
      return;
    }
    this.wanted = null;
    this.frame = frame;
    if (live && this.scene.layout !== live.layout) this.scene.setFine(live, live.layout);
    this.scene.setFrame(frame, live?.pose);
    element("frame").value = frame;
    document.documentElement.dataset.frame = frame;
    const counts = Object.entries(head.told[frame] ?? {}).map(([name, count]) => `${count} ${name}`);
    if (live) counts.push(`${live.triangles} triangles, ${(live.milliseconds / live.steps).toFixed(1)} ms a frame`);
    if (head.live && !live) counts.push("without wrinkles, as this browser has no WebAssembly to compute them with");
    element("status").textContent = [`frame ${frame}`, `${head.times[frame].toFixed(3)} s`, ...counts].join(", ");
    this.ask();
  }

  // Takes up changed parameters, and goes on towards the frame that is wanted.
  compute() {
    const {live} = this;
    if (this.changed) {
      const values = this.changed;
      this.changed = null;
      this.attempt(() => {
        live.begin(values);
        element("refused").textContent = "";
        this.wanted ??= this.frame;
      });
    }
    if (this.wanted === null && this.settling > 0 && !this.playing) this.settle();
    if (this.wanted === null) return;
    const {wanted} = this;
    const arrived = this.attempt(() => live.approach(wanted, 30));
    if (arrived) {
      this.began = null;
      this.setFrame(wanted);
    } else {
      element("status").textContent = `computing frame ${live.reached + 1} of ${wanted}`;
    }
  }

  // What `use` gives; what it throws is shown.
  attempt(use) {
    try {
      return use();
    } catch (error) {
      element("refused").textContent = error.message;
      element("parameters").open = true;
      this.wanted = null;
      this.settling = 0;
      this.playing = false;
      return undefined;
    }
  }

  // Computes the frame again after joints were turned, as long as the cloth may still move.
  settle() {
    --this.settling;
    this.attempt(() => {
      this.live.hold();
      this.setFrame(this.frame);
    });
  }

  offerJoints(open, turn) {
    const {live} = this;
    element("pose").open = open;
    this.posing = new Posing(this, live.pose, () => {
      live.turned(this.frame);
      this.settling = SETTLING;
      this.ask();
    });
    if (turn)
      this.attempt(() => {
        this.posing.take(turn);
        live.begin(live.values);
      });
  }

  offerParameters() {
    const panel = element("parameters");
    panel.hidden = false;
    panel.open = innerWidth > 900;
    new Controls(element("controls"), this.head.live.controls, (name, value) => {
      this.changed = {...(this.changed ?? this.live.values), [name]: value};
      this.ask();
    });
  }

  setSplit(split) {
    this.scene.split = Math.min(Math.max(split, 0), 1);
    const wiper = element("wiper");
    wiper.style.left = `${100 * this.scene.split}%`;
    wiper.setAttribute("aria-valuenow", Math.round(100 * this.scene.split));
    document.documentElement.dataset.split = this.scene.split;
    this.ask();
  }

  play(playing) {
    this.playing = playing && this.head.times.length > 1;
    this.began = null;
    element("play").setAttribute("aria-pressed", this.playing);
    this.ask();
  }

  // The frame that is due; the clip begins again after its last one.
  advance(now) {
    const {times} = this.head, last = times.length - 1;
    const length = times[last] * (last + 1) / last;
    this.began ??= now / 1000 - times[this.frame];
    const due = (now / 1000 - this.began) % length;
    let frame = 0;
    while (frame < last && times[frame + 1] <= due) ++frame;
    if (frame !== this.frame) this.setFrame(frame);
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (event.target === element("wiper") && step) {
      this.setSplit(this.scene.split + 0.05 * step);
    } else if (event.key === " " && (event.target.type === "range" || !["BUTTON", "INPUT", "SUMMARY", "SELECT"].includes(event.target.tagName))) {
      this.play(!this.playing);
    } else if (step && !["INPUT", "SELECT"].includes(event.target.tagName)) {
      const count = this.head.times.length;
      this.play(false);
      this.setFrame((this.frame + step + count) % count);
    } else {
      return;
    }
    event.preventDefault();
  }

  takeWiper() {
    const wiper = element("wiper");
    wiper.addEventListener("pointerdown", (event) => {
      wiper.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    wiper.addEventListener("pointermove", (event) => {
      if (wiper.hasPointerCapture(event.pointerId)) this.setSplit(event.clientX / this.canvas.clientWidth);
    });
  }

  offerOverlays() {
    const names = this.head.overlays.map((overlay) => overlay.name);
    for (const name of [...names, "wireframe"]) {
      const label = document.createElement("label"), box = document.createElement("input");
      box.type = "checkbox";
      box.checked = this.on.has(name);
      box.addEventListener("change", () => {
        this.on[box.checked ? "add" : "delete"](name);
        this.scene.setOverlays();
        this.ask();
      });
      label.append(box, ` ${name}`);
      for (const [word, colour] of this.head.overlays.find((overlay) => overlay.name === name)?.legend ?? []) {
        const key = document.createElement("b");
        key.textContent = word;
        key.style.setProperty("--colour", `rgb(${colour.map((c) => Math.round(255 * c))})`);
        label.append(key);
      }
      element("overlays").append(label);
    }
  }

  tell() {
    const {head} = this, told = element("told"), list = document.createElement("dl");
    element("title").textContent = head.title;
    element("frame").max = head.times.length - 1;
    const rows = {
      method: head.method,
      frames: head.times.length,
      coarse: `${head.triangles[0]} triangles, ${head.vertices[0]} vertices`,
      ...(head.triangles[1] && {wrinkled: `${head.triangles[1]} triangles, ${head.vertices[1]} vertices`}),
      "made by": `pucker ${head.version}, GPL-3.0-or-later; three.js ${head.three}, MIT licence`,
    };
    for (const [name, text] of Object.entries(rows)) {
      const dt = document.createElement("dt"), dd = document.createElement("dd");
      dt.textContent = name;
      dd.textContent = text;
      list.append(dt, dd);
    }
    const params = document.createElement("pre");
    params.textContent = head.params;
    told.replaceChildren(list, "parameters", params);
  }
}

// The run of a live page; null where the browser cannot run it.
async function liveOf(head, arrays) {
  if (typeof WebAssembly === "undefined") return null;
  const core = await Core.begin(await inflated(element("core").textContent));
  element("core").remove();
  return new Live(core, head, arrays);
}

async function begin() {
  const head = JSON.parse(element("head").textContent);
  const [r, g, b] = head.style.background.map((c) => Math.round(255 * c));
  document.documentElement.style.setProperty("--paper", `rgb(${r}, ${g}, ${b})`);
  if (typeof DecompressionStream === "undefined") throw new Error("this browser cannot unpack the page: it is older than 2023");
  if (!document.createElement("canvas").getContext("webgl2")) throw new Error("this browser has no WebGL 2, with which the page draws");
  const three = document.createElement("script");
  three.textContent = new TextDecoder().decode(await inflated(element("three").textContent));
  document.head.append(three);
  const bytes = await inflated(element("content").textContent);
  element("three").remove();
  element("content").remove();
  const arrays = Object.fromEntries(Object.entries(head.table).map(([name, entry]) => [name, arrayOf(entry, bytes)]));
  const live = head.live ? await liveOf(head, arrays) : null;
  window.pucker = new Page(head, new Scene(element("picture"), head, arrays), live);
  document.documentElement.dataset.state = "ready";
}

begin().catch((error) => {
  document.documentElement.dataset.state = "failed";
  element("status").textContent = error.message;
});
