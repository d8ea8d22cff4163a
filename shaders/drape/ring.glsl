// The triangles round a vertex, whose ways to its neighbours WAY gives.

// The normal times twice the area, and the area.
vec4 ring_area(uint vertex) {
  vec3 sum = vec3(0.0);
  float area = 0.0;
  for (uint link = sheet[vertex].ring; link < sheet[vertex].ring_end; link += 2u) {
    vec3 twice = cross(WAY(vertex, links[link]), WAY(vertex, links[link + 1u]));
    sum += twice;
    area += 0.5 * length(twice);
  }
  return vec4(sum, area);
}
