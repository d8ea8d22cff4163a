#include "soak/cloths.h"

#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "motion.h"
#include "pucker/errors.h"
#include "pucker/io/load.h"
#include "pucker/io/source.h"
#include "soak/draws.h"

namespace pucker::soak {

namespace {

using testing::RestShape;

Source of(std::string name, const RestShape& shape) {
  return {std::move(name), [shape] { return Cloth{shape.mesh, shape.positions, nullptr, {}}; }};
}

Source of(std::string name, Index3 faces, const Array3& positions) {
  return of(std::move(name), RestShape{std::make_shared<Mesh>(std::move(faces), positions.rows()), positions});
}

/// A sheet squeezed to `thin` of its width: every triangle is a sliver.
Source slivers(int cells, double thin) {
  RestShape shape = testing::irregular_sheet(cells, 0.3, std::uint64_t(cells));
  shape.positions.col(1) *= thin;
  return of("slivers", shape);
}

/// Triangles between any three of a few vertices: edges of many triangles, triangles that name a vertex twice, copies.
Source soup(std::int32_t vertices, std::int32_t triangles, std::uint64_t seed) {
  Draws draws(seed);
  Index3 faces(triangles, 3);
  for (Eigen::Index k = 0; k < faces.size(); ++k) faces.data()[k] = std::int32_t(draws.below(vertices));
  const Array3 positions = Array3::NullaryExpr(vertices, 3, [&] { return draws.uniform(); });
  return of("soup", std::move(faces), positions);
}

/// A sheet some of whose triangles look the other way, and some vertices of which lie in one place.
Source turned_sheet(int cells, std::uint64_t seed) {
  Draws draws(seed);
  const RestShape shape = testing::irregular_sheet(cells, 0.3, seed);
  Index3 faces = shape.mesh->faces();
  for (Eigen::Index t = 0; t < faces.rows(); ++t)
    if (draws.chance(0.5)) std::swap(faces(t, 0), faces(t, 1));
  Array3 positions = shape.positions;
  for (int k = 0; k < cells; ++k) positions.row(draws.below(positions.rows())) = positions.row(0);
  return of("turned sheet", std::move(faces), positions);
}

/// Many triangles round one edge.
Source edge_fan(std::int32_t pages) {
  Index3 faces(pages, 3);
  Array3 positions(2 + pages, 3);
  positions.row(0) << 0, 0, 0;
  positions.row(1) << 0, 1, 0;
  for (std::int32_t page = 0; page < pages; ++page) {
    const double angle = 2 * std::numbers::pi * page / pages;
    positions.row(2 + page) << std::cos(angle), 0.5, std::sin(angle);
    faces.row(page) << 0, 1, 2 + page;
  }
  return of("edge fan", std::move(faces), positions);
}

/// Many triangles round one vertex, closed or with one left out.
Source vertex_fan(std::int32_t spokes, bool closed) {
  Index3 faces(closed ? spokes : spokes - 1, 3);
  Array3 positions(1 + spokes, 3);
  positions.row(0).setZero();
  for (std::int32_t k = 0; k < spokes; ++k) {
    const double angle = 2 * std::numbers::pi * k / spokes;
    positions.row(1 + k) << std::cos(angle), std::sin(angle), 0.1 * std::sin(3 * angle);
    if (k < faces.rows()) faces.row(k) << 0, 1 + k, 1 + (k + 1) % spokes;
  }
  return of("vertex fan", std::move(faces), positions);
}

Source triangle(const Vector3& apex) {
  Array3 positions(3, 3);
  positions << 0, 0, 0, 1, 0, 0, apex.transpose();
  return of("triangle", shapes::faces({{0, 1, 2}}), positions);
}

/// What hardly is a mesh.
std::vector<Source> oddities() {
  std::vector<Source> out;
  out.push_back(of("nothing", Index3(0, 3), Array3(0, 3)));
  out.push_back(of("loose vertices", Index3(0, 3), Array3::Random(5, 3)));
  out.push_back(of("one vertex thrice", shapes::faces({{0, 0, 0}}), Array3::Zero(1, 3)));
  out.push_back(of("one place", shapes::grid(3, 3), Array3::Constant(16, 3, 0.5)));
  Array3 line = Array3::Zero(16, 3);
  line.col(0).setLinSpaced(0, 1);
  out.push_back(of("one line", shapes::grid(3, 3), line));
  out.push_back(of("the same triangle twice", shapes::faces({{0, 1, 2}, {0, 1, 2}, {2, 1, 0}}),
                   (Array3(3, 3) << 0, 0, 0, 1, 0, 0, 0, 1, 0).finished()));
  out.push_back(of("a loose vertex", shapes::faces({{0, 1, 3}}), Array3::Random(5, 3)));
  return out;
}

}  // namespace

std::vector<Source> made_cloths() {
  std::vector<Source> out = oddities();
  for (const int cells : {1, 2, 3, 4, 5, 6, 7, 8, 10, 12})
    for (const double jitter : {0.0, 0.3, 0.49})
      out.push_back(of("sheet", testing::irregular_sheet(cells, jitter, std::uint64_t(cells))));
  for (const auto& [columns, rows] : {std::pair{3, 1}, {3, 4}, {5, 2}, {7, 7}, {9, 6}, {12, 3}, {16, 8}})
    out.push_back(of("tube", testing::tube(columns, rows)));
  for (const std::int32_t across : {3, 4, 5, 8, 16, 40}) out.push_back(of("twisted band", testing::moebius(across)));
  out.push_back(of("ball", testing::ball()));
  for (const int subdivisions : {0, 1, 3}) {
    const shapes::Surface surface = shapes::sphere(subdivisions);
    out.push_back(of("ball", surface.faces, 0.5 * surface.positions));
  }
  for (const std::int32_t pages : {3, 4, 6})
    for (const std::int32_t cells : {1, 3, 5}) out.push_back(of("book", testing::book(cells, pages)));
  for (const std::int32_t cells : {1, 3, 5}) out.push_back(of("bow tie", testing::bow_tie(cells)));
  for (const int cells : {2, 6}) {
    for (const double thin : {1e-2, 1e-4, 1e-6, 1e-9}) out.push_back(slivers(cells, thin));
  }
  out.push_back(triangle({0, 1, 0}));
  out.push_back(triangle({0.5, 1e-3, 0}));
  out.push_back(triangle({1e3, 1e-6, 0}));
  out.push_back(triangle({2, 0, 0}));
  for (const std::int32_t pages : {3, 5, 12}) out.push_back(edge_fan(pages));
  for (const std::int32_t spokes : {3, 6, 30})
    for (const bool closed : {true, false}) out.push_back(vertex_fan(spokes, closed));
  for (const int cells : {2, 4, 7}) out.push_back(turned_sheet(cells, std::uint64_t(cells)));
  for (std::uint64_t seed = 0; out.size() < 100; ++seed)
    out.push_back(soup(std::int32_t(4 + 3 * seed), std::int32_t(3 + 9 * seed), seed));
  return out;
}

std::vector<Source> clip_cloths(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Source> out;
  for (const std::filesystem::path& file : files) {
    std::shared_ptr<const io::Source> source;
    try {
      source = io::open_source(file);
    } catch (const Error&) {
      continue;  // a text, or a file of another reader
    }
    for (const io::ClipInfo& info : io::inspect(*source).clips)
      out.push_back(
          {file.filename().string() + " " + info.name, [source, name = info.name] {
             io::LoadOptions options;
             options.clip = name;
             const auto clip = std::make_shared<const io::Clip>(io::load(*source, options));
             return Cloth{clip->mesh(), clip->rest().value_or(clip->positions(0)), clip, clip->shared_vertices()};
           }});
  }
  return out;
}

}  // namespace pucker::soak
