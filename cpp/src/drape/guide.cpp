#include "pucker/drape/guide.h"

#include <utility>

#include "pucker/errors.h"
#include "pucker/mesh/frames.h"

namespace pucker::drape {

Steps::Steps(const LoopSubdivision& whole) : meshes_{whole.coarse()} {
  for (int level = 0; level < whole.levels(); ++level) {
    std::vector<std::uint8_t> corners = whole.corners();
    if (!corners.empty()) corners.resize(std::size_t(meshes_.back()->vertex_count()));
    const LoopSubdivision once(meshes_.back(), 1, {}, std::move(corners));
    steps_.push_back(once.matrix());
    // The same triangles as those of the whole.
    meshes_.push_back(level + 1 == whole.levels() ? whole.fine() : once.fine());
  }
}

std::shared_ptr<const LoopSubdivision> subdivided(std::shared_ptr<const Mesh> mesh, int levels,
                                                  const ConstArray3& cut) {
  std::vector<std::uint8_t> corners = sharp_corners(*mesh, cut);
  return std::make_shared<const LoopSubdivision>(std::move(mesh), levels, std::vector<std::uint8_t>{},
                                                 std::move(corners));
}

Levels::Levels(std::shared_ptr<const LoopSubdivision> whole, std::span<const std::int32_t> shared, bool sewn)
    : whole_(std::move(whole)), sewing_(*whole_, shared, sewn) {}

std::int64_t Levels::vertex_count(int level) const {
  const Mesh& mesh = *coarse();
  std::int64_t vertices = mesh.vertex_count();
  std::int64_t edges = mesh.edge_count();
  std::int64_t triangles = mesh.triangle_count() - mesh.report().degenerate_triangles;
  // An edge becomes two and a vertex, a triangle four and three edges inside.
  for (int l = 0; l < level; ++l) {
    vertices += edges;
    edges = 2 * edges + 3 * triangles;
    triangles *= 4;
  }
  return vertices;
}

void Levels::place(const ConstArray3& positions, Array3& fine) const {
  multiply(whole_->matrix(), positions, fine);
  sewing_.sew(positions, fine);
}

Guide::Guide(std::shared_ptr<const Levels> levels)
    : levels_(std::move(levels)),
      normals_of_(*levels_->whole().fine()),
      neighbours_(frame_neighbours(*levels_->whole().fine())) {}

void Guide::step(const ConstArray3& positions) {
  require_positions(*levels_->whole().coarse(), positions);
  levels_->place(positions, positions_);
  normals_of_.step(positions_, normals_);
}

RowMatrix3 Guide::frame(std::size_t v, const Array3& places) const {
  const auto row = Eigen::Index(v);
  const std::int32_t to = neighbours_[v];
  if (to == kNone) return RowMatrix3::Zero();
  return vertex_frame(normals_.row(row).transpose(), (places.row(to) - places.row(row)).transpose());
}

}  // namespace pucker::drape
