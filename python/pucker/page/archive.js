// The arrays of a page, as pucker.page.numbers writes them.

// The bytes of base64 text, inflated.
async function inflated(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// The array that an entry of the table tells of: `values`, `shape`, and `row`, the values of one of its rows.
function arrayOf(entry, bytes) {
  const count = entry.shape.reduce((product, size) => product * size, 1);
  const row = entry.shape[0] ? count / entry.shape[0] : 0;
  if (entry.coding === "f4") {
    const part = bytes.slice(entry.at, entry.at + 4 * count);
    return {values: new Float32Array(part.buffer), shape: entry.shape, row};
  }
  if (entry.coding === "f8") {
    const part = bytes.slice(entry.at, entry.at + 8 * count);
    return {values: new Float64Array(part.buffer), shape: entry.shape, row};
  }
  const values = new Int32Array(count);
  let least = 0, most = 0;
  for (let i = 0; i < count; ++i) {
    let positive = 0;
    for (let plane = entry.width - 1; plane >= 0; --plane) positive = 256 * positive + bytes[entry.at + plane * count + i];
    const difference = positive % 2 ? -(positive + 1) / 2 : positive / 2;
    const value = difference + (i < row ? 0 : values[i - row]);
    values[i] = value;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  const small = least >= -32768 && most <= 32767;
  return {values: small ? new Int16Array(values) : values, shape: entry.shape, row};
}

function rowOf(array, index) {
  return array.values.subarray(index * array.row, (index + 1) * array.row);
}

// The unit vector of a point of the unfolded octahedron.
function unitVector(x, y, out, at) {
  const z = 1 - Math.abs(x) - Math.abs(y);
  const over = Math.max(-z, 0);
  const a = x - (x < 0 ? -over : over), b = y - (y < 0 ? -over : over);
  const size = Math.sqrt(a * a + b * b + z * z);
  out[at] = a / size;
  out[at + 1] = b / size;
  out[at + 2] = z / size;
}
