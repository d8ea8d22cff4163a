/// What the bindings of the dynamic method share: the core's views with the arrays they refer to, owned.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "arrays.h"
#include "pucker/dynamic/curve.h"
#include "pucker/dynamic/field.h"
#include "pucker/dynamic/path_index.h"
#include "pucker/dynamic/tracing.h"
#include "pucker/dynamic/wrinkle.h"

namespace pucker::bindings {

/// A wrinkle together with where its points were when it was handed out.
struct PlacedWrinkle {
  Wrinkle wrinkle;
  Array3 points;
  double length = 0;
  std::optional<std::array<WalkEnd, 2>> ends;  ///< of one that was just traced
};

inline PlacedWrinkle placed(Wrinkle wrinkle, const Array3& positions) {
  PlacedWrinkle out;
  out.points.resize(Eigen::Index(wrinkle.size()), 3);
  for (std::size_t i = 0; i < wrinkle.size(); ++i)
    out.points.row(Eigen::Index(i)) = position(wrinkle.points[i], positions).transpose();
  out.length = path_length(wrinkle, positions);
  out.wrinkle = std::move(wrinkle);
  return out;
}

inline std::vector<PlacedWrinkle> placed(const std::vector<Wrinkle>& wrinkles, const Array3& positions) {
  std::vector<PlacedWrinkle> out;
  out.reserve(wrinkles.size());
  for (const Wrinkle& wrinkle : wrinkles) out.push_back(placed(wrinkle, positions));
  return out;
}

inline std::vector<Wrinkle> plain(const Mesh& mesh, const std::vector<PlacedWrinkle>& wrinkles) {
  std::vector<Wrinkle> out;
  out.reserve(wrinkles.size());
  for (const PlacedWrinkle& wrinkle : wrinkles) {
    require_path(mesh, wrinkle.wrinkle);
    out.push_back(wrinkle.wrinkle);
  }
  return out;
}

/// The arrays a CompressionField refers to, owned.
struct OwnedField : std::enable_shared_from_this<OwnedField> {
  std::shared_ptr<const Mesh> mesh;
  Array3 positions;
  LocalFrames frames;
  Stretch stretch;
  std::vector<double> compression;
  std::vector<double> widths;  ///< empty: 1 everywhere

  CompressionField field() const { return {*mesh, positions, frames, stretch, compression, widths}; }
};

/// Stages are set up for one mesh; with another one they would read past its arrays.
inline void require_mesh(const Mesh& own, const OwnedField& field, const char* stage) {
  require(field.mesh.get() == &own, "the field must be of the mesh the ", stage, " was made for, got one of ",
          field.mesh->vertex_count(), " vertices and ", field.mesh->triangle_count(), " triangles");
}

inline void require_index(const SegmentIndex& index, const OwnedField& field) {
  require(index.triangle_count() == field.mesh->triangle_count(), "occupied must be made for a mesh of ",
          field.mesh->triangle_count(), " triangles, got one for ", index.triangle_count());
}

inline PathCurve curve_of(const OwnedField& field, const Wrinkle& wrinkle) {
  require_path(*field.mesh, wrinkle);
  PathCurve out;
  path_curve(wrinkle, field.positions, field.frames, out);
  return out;
}

inline std::vector<PathCurve> curves_of(const std::vector<Wrinkle>& wrinkles, const OwnedField& field) {
  std::vector<PathCurve> out(wrinkles.size());
  for (std::size_t w = 0; w < wrinkles.size(); ++w) path_curve(wrinkles[w], field.positions, field.frames, out[w]);
  return out;
}

/// The steps by hand may be given any dt: there is no rate at which time runs backwards.
inline void require_duration(double dt) {
  require(std::isfinite(dt) && dt > 0, "dt must be a finite time above 0 s, got ", dt);
}

inline py::array_t<double> copy_rows(const std::vector<Vector3>& rows) {
  return py::array_t<double>({py::ssize_t(rows.size()), py::ssize_t(3)}, rows.empty() ? nullptr : rows.front().data());
}

template <class Owner>
auto vectors(std::vector<Vector3> Owner::*list) {
  return [list](const Owner& self) { return copy_rows(self.*list); };
}

template <class Owner>
auto numbers(std::vector<double> Owner::*list) {
  return [list](const Owner& self) { return copy(self.*list); };
}

inline std::shared_ptr<OwnedField> make_field(const Mesh& mesh, const ArrayLike& positions, const Stretch& stretch,
                                              const MaybeArray& widths) {
  auto out = std::make_shared<OwnedField>();
  out->mesh = mesh.shared_from_this();
  out->positions = input_array3(positions, mesh.vertex_count(), "positions");
  require_positions(mesh, out->positions);
  require(std::int64_t(stretch.minimum.size()) == mesh.triangle_count(),
          "stretch must have one entry a triangle: ", mesh.triangle_count(), ", got ", stretch.minimum.size());
  require(stretch.left.size() == stretch.minimum.size(),
          "stretch must have directions, this one has sizes only, as the motion between two frames has");
  out->stretch = stretch;
  if (!widths.is_none()) {
    out->widths = input_list<double>(widths, py::ssize_t(mesh.triangle_count()), "widths");
    for (std::size_t t = 0; t < out->widths.size(); ++t)
      require(out->widths[t] >= 0 && out->widths[t] <= 1, "widths must lie in [0, 1], got ", out->widths[t],
              " for triangle ", t);
  }
  const Unlocked unlocked;
  local_frames(mesh, out->positions, out->frames);
  compression(out->stretch, {}, out->compression);
  return out;
}

}  // namespace pucker::bindings
