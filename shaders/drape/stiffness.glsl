// A sum at a vertex of a level over its stiffness. The vertices of a level are the first ones of the finest.
vec3 over_stiffness(uint vertex, vec3 sum) {
  float stiffness = sheet[vertex].own + cloth[gl_GlobalInvocationID.x].weight * sheet[vertex].hold;
  float inverse = stiffness > 0.0 ? 1.0 / stiffness : 0.0;
  return inverse * sum;
}
