uniform uint coarser_first;  // of the next coarser level's vertices

// What comes to a vertex from there.
vec3 from_coarser(uint vertex) {
  vec3 sum = vec3(0.0);
  for (uint link = sheet[vertex].up; link < sheet[vertex].up_end; link += 2u)
    sum += uintBitsToFloat(links[link + 1u]) * sheet[coarser_first + links[link]].value;
  return sum;
}
