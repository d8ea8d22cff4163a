// The ring of triangles round a fine vertex. OFFSET is which of its offsets its place is told by, and ANCHOR gives where the feature
// vertex is that it is told from.

// From one vertex to another, by way of their anchors: all three are as short as the places are near each other.
vec3 way(Place from, Place to) { return (ANCHOR(to.anchor) - ANCHOR(from.anchor)) + (to.OFFSET - from.OFFSET); }

// The normal times twice the area round a vertex: four corners of the polygon about it have half the cross product of their
// diagonals.
vec3 ring_area(FineVertex at, Place middle) {
  vec3 sum = vec3(0.0);
  for (uint link = at.ring; link < at.ring_end; link += 4u) {
    vec3 corners[4];
    for (uint k = 0u; k < 4u; ++k) corners[k] = way(middle, places[links[link + k]]);
    sum += cross(corners[2] - corners[0], corners[3] - corners[1]);
  }
  return sum;
}
