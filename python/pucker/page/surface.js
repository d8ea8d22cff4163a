// Coarse and fine surface of a page, as pucker.page.surface writes them.

// Points (n, 3) in units of length, and unit normals there, of one frame of a mesh.
class Points {
  constructor(count) {
    this.positions = new Float64Array(3 * count);
    this.normals = new Float64Array(3 * count);
  }

  set(positions, normals, quantum, steps) {
    for (let i = 0; i < positions.length; ++i) this.positions[i] = quantum * positions[i];
    for (let v = 0; 3 * v < positions.length; ++v)
      unitVector(normals[2 * v] / steps, normals[2 * v + 1] / steps, this.normals, 3 * v);
  }
}

// How fine vertices lie on the coarse triangles; see Layout in pucker.page.surface.
class Layout {
  constructor(arrays, head) {
    const sizes = arrays.pattern_sizes.values, patterns = arrays.patterns.values;
    const starts = [[0, 0]];
    for (let p = 0; 2 * p < sizes.length; ++p)
      starts.push([starts[p][0] + sizes[2 * p], starts[p][1] + sizes[2 * p + 1]]);
    this.vertices = arrays.corner_vertices.values;
    const corners = this.vertices.length;
    let faces = 0;
    for (const pattern of patterns) faces += sizes[2 * pattern + 1];
    this.weights = new Float32Array(3 * corners);
    this.triangles = new Uint32Array(corners);
    this.faces = new Uint32Array(3 * faces);
    this.firstFaces = new Uint32Array(patterns.length + 1);
    let corner = 0, face = 0;
    for (let t = 0; t < patterns.length; ++t) {
      const [firstWeight, firstFace] = starts[patterns[t]], [endWeight, endFace] = starts[patterns[t] + 1];
      for (let f = 3 * firstFace; f < 3 * endFace; ++f) this.faces[face++] = corner + arrays.pattern_faces.values[f];
      this.firstFaces[t + 1] = face / 3;
      for (let w = firstWeight; w < endWeight; ++w, ++corner) {
        const b = arrays.pattern_weights.values[2 * w], c = arrays.pattern_weights.values[2 * w + 1];
        this.weights.set([(head.weightSteps - b - c), b, c].map((steps) => steps / head.weightSteps), 3 * corner);
        this.triangles[corner] = t;
      }
    }
    // A vertex is seen from its first corner.
    this.own = new Int32Array(head.vertices[1]).fill(-1);
    for (let k = corners - 1; k >= 0; --k) this.own[this.vertices[k]] = k;
  }
}

// The fine surface over the coarse points of a frame.
class FineSurface {
  constructor(arrays, head, layout) {
    this.arrays = arrays;
    this.head = head;
    this.layout = layout;
    this.count = head.vertices[1];
    this.points = new Points(this.count);
  }

  set(frame, coarse) {
    const {arrays, head, layout, count} = this;
    const faces = arrays.faces.values;
    const offsets = rowOf(arrays.offsets, frame), details = rowOf(arrays.detail_normals, frame);
    const P = coarse.positions, N = coarse.normals, out = this.points;
    const local = [0, 0, 0];
    for (let v = 0; v < count; ++v) {
      const corner = layout.own[v], t = layout.triangles[corner];
      const a = 3 * faces[3 * t], b = 3 * faces[3 * t + 1], c = 3 * faces[3 * t + 2];
      const u = layout.weights[3 * corner], w = layout.weights[3 * corner + 1], s = layout.weights[3 * corner + 2];
      let nx = u * N[a] + w * N[b] + s * N[c];
      let ny = u * N[a + 1] + w * N[b + 1] + s * N[c + 1];
      let nz = u * N[a + 2] + w * N[b + 2] + s * N[c + 2];
      let size = Math.sqrt(nx * nx + ny * ny + nz * nz);
      if (size > 1e-12) { nx /= size; ny /= size; nz /= size; } else { nx = 0; ny = 1; nz = 0; }
      // The tangent: the triangle's first edge across the normal, or any.
      let ex = P[b] - P[a], ey = P[b + 1] - P[a + 1], ez = P[b + 2] - P[a + 2];
      const along = ex * nx + ey * ny + ez * nz;
      ex -= along * nx; ey -= along * ny; ez -= along * nz;
      size = Math.sqrt(ex * ex + ey * ey + ez * ez);
      if (!(size > 1e-12)) {
        if (Math.abs(nx) < 0.5) { ex = 0; ey = -nz; ez = ny; } else { ex = nz; ey = 0; ez = -nx; }
        size = Math.sqrt(ex * ex + ey * ey + ez * ez);
      }
      ex /= size; ey /= size; ez /= size;
      const bx = ny * ez - nz * ey, by = nz * ex - nx * ez, bz = nx * ey - ny * ex;
      const h = head.quantum * offsets[v], g = head.quantum * offsets[count + v], k = head.quantum * offsets[2 * count + v];
      const at = 3 * v;
      out.positions[at] = u * P[a] + w * P[b] + s * P[c] + h * nx + g * ex + k * bx;
      out.positions[at + 1] = u * P[a + 1] + w * P[b + 1] + s * P[c + 1] + h * ny + g * ey + k * by;
      out.positions[at + 2] = u * P[a + 2] + w * P[b + 2] + s * P[c + 2] + h * nz + g * ez + k * bz;
      unitVector(details[v] / head.fineSteps, details[count + v] / head.fineSteps, local, 0);
      out.normals[at] = local[2] * nx + local[0] * ex + local[1] * bx;
      out.normals[at + 1] = local[2] * ny + local[0] * ey + local[1] * by;
      out.normals[at + 2] = local[2] * nz + local[0] * ez + local[1] * bz;
    }
  }
}
