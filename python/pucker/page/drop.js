// A reader's own character on a live page: dropped onto it or chosen, read here, and sent nowhere.

// What the names of parts and clips say: the rules of pucker.names.
class Names {
  constructor(patterns) {
    this.patterns = Object.fromEntries(Object.entries(patterns).map(([name, pattern]) => [name, new RegExp(pattern)]));
  }

  says(what, name) {
    return this.patterns[what].test(name.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase());
  }

  isBody(name) {
    return this.says("body", name) && !this.patterns.japanese.test(name);
  }

  isCloth(name) {
    return !this.isBody(name) && this.says("cloth", name);
  }

  // Which parts are cloth: those named like it, else what is named neither like the body nor like what keeps its shape.
  cloth(names) {
    const soft = names.filter((name) => !this.isBody(name) && !this.says("hard", name));
    const choices = [names.filter((name) => this.isCloth(name)), soft, names.filter((name) => !this.isBody(name)), names];
    return choices.find((found) => found.length > 0);
  }

  // The first clip that lasts, if possible one in which cloth is seen.
  clip(clips) {
    const lasting = clips.filter(({duration}) => duration > 0);
    return lasting.find(({name}) => !this.says("unusual", name.slice(name.lastIndexOf("|") + 1))) ?? lasting[0] ?? clips[0];
  }
}

// The parts that a character can be cut into, as pucker info lists them: its materials, or if there is one only its nodes, or its
// meshes. Names, and of each placement the name of its part.
function partsOf(gltf) {
  const kinds = [
    ({material}) => String(gltf.list("materials")[material]?.name || (material === undefined ? "no material" : `material ${material}`)),
    ({nodeName}) => nodeName,
    ({meshName}) => meshName,
  ];
  const lists = kinds.map((nameOf) => gltf.placements.map((placement) => (placement.faces.length > 0 ? nameOf(placement) : null)));
  const named = lists.map((list) => ({names: [...new Set(list)].filter((name) => name !== null), list}));
  return named.find(({names}) => names.length > 1) ?? named[0];
}

class Dropping {
  constructor(page) {
    this.page = page;
    this.names = new Names(page.head.live.words);
    this.turn = 0;
    const panel = element("own");
    panel.hidden = false;
    element("file").addEventListener("change", ({target}) => target.files.length > 0 && this.take(target.files[0]));
    element("own_choice").addEventListener("submit", (event) => {
      event.preventDefault();
      this.show();
    });
    const over = element("drop_here"), hasFile = (event) => event.dataTransfer?.types.includes("Files");
    for (const name of ["dragenter", "dragover"])
      document.addEventListener(name, (event) => {
        if (!hasFile(event)) return;
        event.preventDefault();
        over.hidden = false;
      });
    document.addEventListener("dragleave", (event) => (over.hidden = event.relatedTarget === null || over.hidden));
    document.addEventListener("drop", (event) => {
      over.hidden = true;
      if (!hasFile(event)) return;
      event.preventDefault();
      const {files} = event.dataTransfer;
      if (files.length === 0) return;
      element("file").files = files;
      this.take(files[0]);
    });
  }

  // What `use` gives; what it throws is told, and the page goes on with what it had.
  async attempt(doing, use) {
    const told = element("own_told"), turn = ++this.turn;
    told.textContent = doing;
    element("own").open = true;
    // Two pictures of the screen later the reader has seen what is being done.
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    try {
      if (turn === this.turn) await use(() => turn === this.turn);
      if (told.textContent === doing) told.textContent = "";
    } catch (error) {
      told.textContent = error instanceof RangeError || error instanceof TypeError ? `${this.gltf?.name ?? "the file"} cannot be shown: ${error.message}` : error.message;
    }
    document.documentElement.dataset.own = String(turn);
  }

  // Reads a file, and offers its clips and parts.
  take(file) {
    return this.attempt(`reading ${file.name} …`, async (isLast) => {
      if (file.size > MOST_BYTES) throw new Error(`${file.name} has ${megabytes(file.size)}, more than the ${megabytes(MOST_BYTES)} that a page takes`);
      const gltf = new Gltf(file.name, new Uint8Array(await file.arrayBuffer()));
      if (!isLast()) return;
      this.gltf = gltf;
      this.parts = partsOf(gltf);
      const list = element("own_clip"), likely = this.names.clip(gltf.clips), cloth = this.names.cloth(this.parts.names);
      list.replaceChildren(...gltf.clips.map((clip, k) => new Option(clip.name, k, false, clip === likely)));
      list.parentElement.hidden = gltf.clips.length === 0;
      if (gltf.clips.length === 0) element("own_told").textContent = `${file.name} has no animation, so it stands in its bind pose; its joints can be turned`;
      element("own_parts").replaceChildren(...this.parts.names.map((name) => this.box(name, cloth.includes(name))));
      element("own_choice").hidden = false;
      element("own_show").focus();
    });
  }

  box(name, checked) {
    const label = document.createElement("label"), box = Object.assign(document.createElement("input"), {type: "checkbox", name, checked});
    label.append(box, ` ${name}`);
    return label;
  }

  // Plays the chosen clip with wrinkles on the chosen parts.
  show() {
    return this.attempt("computing …", async (isLast) => {
      const {page, gltf, parts} = this, chosen = new Set([...element("own_parts").querySelectorAll("input:checked")].map(({name}) => name));
      const clip = gltf.clips[Number(element("own_clip").value)] ?? null;
      const isCloth = charactersTriangles(gltf).placementOf.map((k) => chosen.has(parts.list[k]));
      const {head, arrays, missing} = await contentOf(clipOf(gltf, clip, isCloth), page.head, page.scene.arrays);
      if (!isLast()) return;
      // A trained set, or a parameter, may not suit this garment: then nothing has changed.
      const live = new Live(page.live.core, {...head, live: {...head.live, values: page.live.values}}, arrays);
      page.show(live.head, new Scene(page.canvas, live.head, arrays, page.scene), live);
      page.play(true);
      // Where the list would hide what it is about.
      if (innerWidth < 700) element("own").open = false;
      if (missing > 0) element("own_told").textContent = `${gltf.name} does not hold ${missing} of its pictures, without which it is plain`;
    });
  }
}
