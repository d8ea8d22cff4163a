// The picture of a page: garment, body and lines, lit as in all other pictures.

function linearOf(colour) {
  return colour.map((c) => (c > 0.04045 ? ((c + 0.055) / 1.055) ** 2.4 : c / 12.92));
}

// A mesh on the GPU, whose corners lie each in one triangle of the coarse mesh.
class Surface {
  // corners: points (k,) that are drawn, their triangles (k,) and barycentric coordinates (k, 3) there.
  constructor(scene, prefix, corners, triangles, weights, faces, firstFaces) {
    this.scene = scene;
    this.corners = corners;
    this.triangles = triangles;
    this.geometry = new THREE.BufferGeometry();
    this.buffers = {};
    const count = corners.length, {arrays} = scene;
    this.add("position", new Float32Array(3 * count), 3);
    this.add("normal", new Float32Array(3 * count), 3);
    this.add("tint", new Uint8Array(4 * count), 4, true);
    const colour = this.add("colour", new Uint8Array(3 * count), 3, true).array;
    const place = this.add("place", new Float32Array(2 * count), 2).array;
    const texcoord = this.add("texcoord", new Float32Array(2 * count), 2).array;
    const colours = arrays[`${prefix}colours`].values, texcoords = arrays[`${prefix}texcoords`]?.values;
    for (let k = 0; k < count; ++k) {
      for (let c = 0; c < 3; ++c) colour[3 * k + c] = colours[3 * triangles[k] + c];
      place[2 * k] = weights[3 * k + 1];
      place[2 * k + 1] = weights[3 * k + 2];
      for (let c = 0; texcoords && c < 2; ++c)
        for (let j = 0; j < 3; ++j) texcoord[2 * k + c] += weights[3 * k + j] * texcoords[6 * triangles[k] + 2 * j + c];
    }
    this.mesh = this.parted(arrays[`${prefix}textures`]?.values, arrays[`${prefix}alphas`]?.values, faces, firstFaces);
    this.mesh.frustumCulled = false;
    scene.scene.add(this.mesh);
  }

  add(name, array, size, normalised = false) {
    const buffer = new THREE.BufferAttribute(array, size, normalised);
    this.geometry.setAttribute(name, buffer);
    this.buffers[name] = buffer;
    return buffer;
  }

  // The mesh with its faces in groups of the same texture and alpha.
  parted(textures, alphas, faces, firstFaces) {
    const byPaint = new Map();
    for (let t = 0; t + 1 < firstFaces.length; ++t) {
      const texture = textures ? textures[t] : -1, alpha = alphas ? alphas[t] : -1;
      const paint = `${texture} ${alpha}`;
      if (!byPaint.has(paint)) byPaint.set(paint, {texture, alpha, triangles: []});
      byPaint.get(paint).triangles.push(t);
    }
    const index = new Uint32Array(faces.length), materials = [];
    let at = 0;
    for (const {texture, alpha, triangles} of byPaint.values()) {
      const begin = at;
      for (const t of triangles)
        for (let f = 3 * firstFaces[t]; f < 3 * firstFaces[t + 1]; ++f) index[at++] = faces[f];
      for (const material of this.scene.materials(texture, alpha)) {
        this.geometry.addGroup(begin, at - begin, materials.length);
        materials.push(material);
      }
    }
    this.geometry.setIndex(new THREE.BufferAttribute(index, 1));
    return new THREE.Mesh(this.geometry, materials);
  }

  setPoints(points) {
    const position = this.buffers.position.array, normal = this.buffers.normal.array;
    for (let k = 0; k < this.corners.length; ++k) {
      const v = 3 * this.corners[k];
      for (let c = 0; c < 3; ++c) {
        position[3 * k + c] = points.positions[v + c];
        normal[3 * k + c] = points.normals[v + c];
      }
    }
    this.buffers.position.needsUpdate = this.buffers.normal.needsUpdate = true;
  }

  // Colours of the coarse triangles, which `of` gives by their numbers; null takes them off.
  setTints(of) {
    const tint = this.buffers.tint.array;
    tint.fill(0);
    for (let k = 0; of && k < this.triangles.length; ++k) tint.set(of(this.triangles[k]), 4 * k);
    this.buffers.tint.needsUpdate = true;
  }
}

class Scene {
  // `before`: what the canvas showed, whose place this takes.
  constructor(canvas, head, arrays, before) {
    this.head = head;
    this.arrays = arrays;
    this.canvas = canvas;
    this.scene = new THREE.Scene();
    this.renderer = before?.renderer ?? new THREE.WebGLRenderer({canvas, antialias: true});
    this.renderer.setClearColor(new THREE.Color(...head.style.background));
    this.renderer.autoClear = false;
    this.camera = before?.camera ?? new THREE.PerspectiveCamera(head.camera.fieldOfView, 1, 0.01, 100);
    this.uniforms = {};
    for (const name of ["eye", "key_direction", "key_colour", "fill_direction", "fill_colour", "sky_colour", "ground_colour"])
      this.uniforms[name] = {value: new THREE.Vector4()};
    this.uniforms.wire_colour = {value: new THREE.Vector4(...linearOf(head.style.wire_colour), 0)};
    this.textures = head.textures.map((url) => this.texture(url));
    this.light();
    const count = head.vertices[0];
    this.coarsePoints = new Points(count);
    this.coarse = this.coarseSurface("", arrays.faces.values);
    if (!head.live) {
      const layout = new Layout(arrays, head);
      this.setFine(new FineSurface(arrays, head, layout), layout);
    }
    if (arrays.body_faces) {
      this.bodyPoints = new Points(arrays.body_positions.shape[1]);
      this.body = this.coarseSurface("body_", arrays.body_faces.values);
    }
    this.lines = new Map();
    for (const overlay of head.overlays) if (overlay.kind === "lines") this.addLines(overlay);
    this.split = 0.5;
    this.radius = 0;
    if (before) this.follows(before);
  }

  // Shows what the one before showed, which gives back what it had on the GPU.
  follows(before) {
    for (const name of ["split", "on", "onchange"]) this[name] = before[name];
    for (const {mesh} of [before.coarse, before.fine, before.body, ...before.lines.values()].filter(Boolean)) {
      mesh.geometry.dispose();
      for (const material of [mesh.material].flat()) material.dispose();
    }
    for (const texture of before.textures) texture.dispose();
  }

  // What is right of the wiper, in the place of what was there; the coarse surface as long as there is nothing.
  setFine(detail, layout) {
    if (this.fine) {
      this.scene.remove(this.fine.mesh);
      this.fine.geometry.dispose();
    }
    this.detail = detail;
    this.layout = layout;
    this.fine = new Surface(this, "", layout.vertices, layout.triangles, layout.weights, layout.faces, layout.firstFaces);
  }

  coarseSurface(prefix, faces) {
    const count = faces.length, triangles = new Uint32Array(count), weights = new Float32Array(3 * count);
    const order = new Uint32Array(count), firstFaces = new Uint32Array(count / 3 + 1);
    for (let k = 0; k < count; ++k) {
      triangles[k] = Math.floor(k / 3);
      weights[3 * k + (k % 3)] = 1;
      order[k] = k;
    }
    for (let t = 0; t < firstFaces.length; ++t) firstFaces[t] = t;
    return new Surface(this, prefix, faces, triangles, weights, order, firstFaces);
  }

  texture(url) {
    const texture = new THREE.Texture();
    const image = new Image();
    image.onload = () => {
      texture.image = image;
      texture.needsUpdate = true;
      this.onchange?.();
    };
    image.src = url;
    texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
    return texture;
  }

  // What is blended is drawn twice: the solid part as all else is, the rest over it.
  materials(texture, number) {
    const [mode, cutoff, opacity] = this.head.alphas[number] ?? [0, 0.5, 1];
    if (mode < 2) return [this.material(texture, mode, cutoff, opacity)];
    const solid = 1 - 0.5 / 255;
    return [1, 2].map((part) => this.material(texture, part, solid, opacity));
  }

  material(texture, mode, cutoff, opacity) {
    const textured = this.textures[texture] !== undefined;
    return new THREE.RawShaderMaterial({
      transparent: mode === 2,
      depthWrite: mode !== 2,
      glslVersion: THREE.GLSL3,
      vertexShader: SURFACE_VERTEX,
      fragmentShader: SURFACE_FRAGMENT,
      side: THREE.DoubleSide,
      uniforms: {
        ...this.uniforms,
        alpha_mode: {value: mode},
        alpha_cutoff: {value: cutoff},
        opacity: {value: opacity},
        textured: {value: textured},
        base_texture: {value: textured ? this.textures[texture] : null},
      },
    });
  }

  light() {
    const {light, exposure} = this.head;
    for (const name of ["key_colour", "fill_colour", "sky_colour", "ground_colour"])
      this.uniforms[name].value.set(...light[name].map((c) => exposure * c), 0);
    this.uniforms.key_colour.value.w = light.exponent;
  }

  // Key and fill light turn with the camera.
  follow() {
    this.camera.updateMatrixWorld();
    // As the core has it, highlights do not grow with the exposure.
    const specular = this.head.light.specular / Math.max(this.head.exposure, 1);
    this.uniforms.eye.value.set(...this.camera.position.toArray(), 0);
    for (const name of ["key_direction", "fill_direction"]) {
      const direction = new THREE.Vector3(...this.head.light[name]).transformDirection(this.camera.matrixWorld);
      this.uniforms[name].value.set(direction.x, direction.y, direction.z, name === "key_direction" ? specular : 0);
    }
    const distance = this.camera.position.distanceTo(this.middle);
    this.camera.far = distance + 2 * this.radius;
    this.camera.near = Math.max(distance - 2 * this.radius, 1e-3 * this.camera.far);
    this.camera.updateProjectionMatrix();
  }

  addLines(overlay) {
    const geometry = new THREE.InstancedBufferGeometry();
    geometry.setAttribute("corner", new THREE.Float32BufferAttribute([-1, -1, 1, -1, -1, 1, 1, 1], 2));
    geometry.setIndex([0, 1, 2, 2, 1, 3]);
    const material = new THREE.RawShaderMaterial({
      glslVersion: THREE.GLSL3,
      vertexShader: LINE_VERTEX,
      fragmentShader: LINE_FRAGMENT,
      side: THREE.DoubleSide,
      uniforms: {
        eye: this.uniforms.eye,
        viewport: {value: new THREE.Vector3()},
      },
    });
    const mesh = new THREE.Mesh(geometry, material);
    mesh.frustumCulled = false;
    mesh.visible = false;
    this.scene.add(mesh);
    this.lines.set(overlay.name, {overlay, mesh, geometry, material, ...(this.head.live ? {} : this.recordedLines(overlay))});
  }

  // First curve and first point of each frame.
  recordedLines(overlay) {
    const lengths = this.arrays[`overlay_${overlay.name}_lengths`].values;
    const counts = this.arrays[`overlay_${overlay.name}_counts`].values;
    const starts = [[0, 0]];
    for (const count of counts) {
      const [curve, point] = starts[starts.length - 1];
      let next = point;
      for (let c = curve; c < curve + count; ++c) next += lengths[c];
      starts.push([curve + count, next]);
    }
    return {lengths, starts};
  }

  // Ends of the lines of a frame, 8 numbers each, and their colours.
  linesOf({overlay, lengths, starts}, frame) {
    const computed = this.head.live && (this.detail?.overlays[overlay.name] ?? []);
    if (computed) return {ends: computed, colours: Array(computed.length / 8).fill(overlay.colours[0]).flat()};
    const points = this.arrays[`overlay_${overlay.name}`].values, [curve, first] = starts[frame], [end] = starts[frame + 1];
    const shades = this.arrays[`overlay_${overlay.name}_colours`].values;
    const ends = [], colours = [];
    let point = first;
    for (let c = curve; c < end; ++c) {
      for (let k = point; k + 1 < point + lengths[c]; ++k) {
        for (let i = 4 * k; i < 4 * k + 8; ++i) ends.push(this.head.quantum * points[i]);
        colours.push(...overlay.colours[shades[c]]);
      }
      point += lengths[c];
    }
    return {ends, colours};
  }

  setLines(lines, frame) {
    const {geometry} = lines, {ends, colours} = this.linesOf(lines, frame);
    geometry.setAttribute("colour", new THREE.InstancedBufferAttribute(new Float32Array(colours), 3));
    const buffer = new THREE.InstancedInterleavedBuffer(new Float32Array(ends), 8);
    geometry.setAttribute("start", new THREE.InterleavedBufferAttribute(buffer, 4, 0));
    geometry.setAttribute("end", new THREE.InterleavedBufferAttribute(buffer, 4, 4));
    geometry.instanceCount = ends.length / 8;
  }

  // `pose`: the joints that the reader has turned, if any can be.
  setFrame(frame, pose) {
    const {arrays, head} = this;
    this.frame = frame;
    this.coarsePoints.set(rowOf(arrays.positions, frame), rowOf(arrays.normals, frame), head.quantum, head.coarseSteps);
    if (this.body)
      this.bodyPoints.set(rowOf(arrays.body_positions, frame), rowOf(arrays.body_normals, frame), head.quantum, head.coarseSteps);
    pose?.apply(frame, this.coarsePoints, this.bodyPoints);
    this.coarse.setPoints(this.coarsePoints);
    this.body?.setPoints(this.bodyPoints);
    this.detail?.set(frame, this.coarsePoints);
    this.fine?.setPoints(this.detail.points);
    const box = new THREE.Box3();
    for (const points of [this.coarsePoints, this.bodyPoints]) if (points) box.union(new THREE.Box3().setFromArray(points.positions));
    this.middle = box.getCenter(new THREE.Vector3());
    // Wrinkles stand out by much less than another half.
    this.radius = 0.75 * box.getSize(new THREE.Vector3()).length();
    this.setOverlays();
  }

  setOverlays(on = this.on) {
    this.on = on;
    let tints = null;
    for (const overlay of this.head.overlays) {
      if (overlay.kind === "tint" && on.has(overlay.name)) tints = overlay;
      const lines = this.lines.get(overlay.name);
      if (lines) {
        lines.mesh.visible = on.has(overlay.name);
        if (lines.mesh.visible) this.setLines(lines, this.frame);
      }
    }
    for (const surface of [this.coarse, this.fine]) surface?.setTints(tints && this.tintOf(tints));
  }

  // The colour of each coarse triangle, by its number.
  tintOf({name, colours}) {
    const computed = this.detail?.overlays?.[name];
    if (this.head.live) return computed && ((triangle) => computed.subarray(4 * triangle, 4 * triangle + 4));
    const numbers = rowOf(this.arrays[`overlay_${name}`], this.frame);
    return (triangle) => colours[numbers[triangle]];
  }

  resize(width, height, ratio) {
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    // What a square shows is in sight in any window: a higher one shows it as large as its width and height allow.
    const {fieldOfView, shares: [across, up]} = this.head.camera, aspect = this.camera.aspect;
    const wider = aspect < 1 ? Math.max(across / aspect, up) : 1;
    this.camera.fov = (2 * Math.atan(wider * Math.tan((0.5 * fieldOfView * Math.PI) / 180)) * 180) / Math.PI;
    this.camera.updateProjectionMatrix();
  }

  draw() {
    const {renderer, canvas} = this, ratio = renderer.getPixelRatio();
    const {x: width, y: height} = renderer.getSize(new THREE.Vector2());
    this.follow();
    this.uniforms.wire_colour.value.w = this.on.has("wireframe") ? ratio : 0;
    const least = Math.min(width, height);
    for (const {overlay, material} of this.lines.values()) {
      const across = Math.max(ratio * (overlay.width ?? overlay.share * least), 1);
      material.uniforms.viewport.value.set(canvas.width, canvas.height, across);
    }
    renderer.setScissorTest(false);
    renderer.clear();
    renderer.setScissorTest(true);
    const left = Math.round(this.split * width);
    const fine = this.fine ?? this.coarse;
    for (const [surface, other, x, wide] of [[this.coarse, fine, 0, left], [fine, this.coarse, left, width - left]]) {
      if (wide <= 0) continue;
      other.mesh.visible = false;
      surface.mesh.visible = true;
      renderer.setScissor(x, 0, wide, height);
      renderer.render(this.scene, this.camera);
    }
  }
}
