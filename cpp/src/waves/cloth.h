/// What the compute programs of waves know of the cloth: the structs of cloth.glsl.
#pragma once

#include <cstdint>

namespace pucker::waves {

/// A vertex as cloth.glsl has it.
struct ClothVertex {
  float rest[3];
  float wavelength;
  float tangent[3];
  std::uint32_t first;
  float bitangent[3];
  std::uint32_t neighbours;
  float paint[2];
  float direction[2];
  float influence;
  float most;
  float height;
  std::uint32_t triangles;
  float position[3];
  float share;
  std::uint32_t joints[4];
  float weights[4];
  float map[4];
  float loss[4];
  float other_loss[4];
  float frame_tangent[3];
  std::uint32_t ring;
  std::uint32_t front;
  float unused[3];
};
static_assert(sizeof(ClothVertex) == 208);

/// As there.
struct Link {
  std::uint32_t neighbour;
  std::uint32_t triangle;
  float regressor[2];
  float offset;
  float sign;
  float turn[2];
};
static_assert(sizeof(Link) == 32);

}  // namespace pucker::waves
