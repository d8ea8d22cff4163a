// A spring of which one end is `more` farther from the other than on the guide.
const float LEAST_LENGTH = 1e-18;

struct Stretched {
  vec3 along;
  float size;
  float over;  // by which it is longer than at rest
};

Stretched stretched(Spring spring, vec3 more) {
  vec3 along = spring.along + more;
  float size = length(along);
  // |g + d| − |g| = d·(2 g + d) / (|g + d| + |g|), without cancelling.
  float longer = dot(more, spring.along + along) / max(size + length(spring.along), LEAST_LENGTH);
  return Stretched(along, size, spring.over + longer);
}
