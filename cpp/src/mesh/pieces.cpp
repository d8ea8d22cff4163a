#include "pucker/mesh/pieces.h"

#include "pucker/types.h"

namespace pucker {

Pieces pieces_of(const Mesh& mesh) {
  Pieces out;
  out.of.assign(std::size_t(mesh.vertex_count()), kNone);
  std::vector<std::int32_t> waiting;
  for (std::int32_t first = 0; first < std::int32_t(mesh.vertex_count()); ++first) {
    if (out.of[std::size_t(first)] != kNone) continue;
    const std::int32_t piece = out.count++;
    out.of[std::size_t(first)] = piece;
    waiting.assign(1, first);
    while (!waiting.empty()) {
      const std::int32_t v = waiting.back();
      waiting.pop_back();
      for (const std::int32_t t : mesh.ring(v))
        for (const std::int32_t next : mesh.faces().row(t)) {
          if (out.of[std::size_t(next)] != kNone) continue;
          out.of[std::size_t(next)] = piece;
          waiting.push_back(next);
        }
    }
  }
  return out;
}

}  // namespace pucker
