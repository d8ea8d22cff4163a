// How high the cloth is drawn over the guide. It is the one of the core, in which a note of each line stands.
uniform float gain;

// What makes a vertex so much higher, along the normal of its guide.
vec3 higher(uint vertex) {
  vec3 normal = cloth[vertex].normal;
  return (gain - 1.0) * dot(cloth[vertex].away, normal) * normal;
}
