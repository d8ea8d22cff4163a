#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "motion.h"
#include "pucker/draw/camera.h"
#include "pucker/draw/grid.h"
#include "pucker/draw/picture.h"
#include "pucker/draw/shaders.h"
#include "pucker/draw/surface.h"
#include "pucker/draw/tessellation.h"
#include "pucker/errors.h"
#include "pucker/mesh/origin.h"
#include "shapes.h"

namespace pucker::draw {
namespace {

std::mt19937 numbers(7);

Array3 cloud(Eigen::Index count) {
  std::normal_distribution<double> normal;
  return Array3::NullaryExpr(count, 3, [&] { return normal(numbers); });
}

/// Clip coordinates (k, 3) of points, after division.
Array3 seen(const Camera& camera, const Array3& points, double aspect) {
  const Eigen::MatrixXd clip = points.rowwise().homogeneous() * camera.view_projection(aspect).transpose();
  return clip.rowwise().hnormalized();
}

TEST(DrawCamera, GoesRoundItsTargetAndBack) {
  const Camera camera = fit(cloud(50), {35.0, 12.0}, 1.5);
  const Camera back = turned(turned(camera, 70.0, 20.0), -70.0, -20.0);
  EXPECT_NEAR((back.eye - camera.eye).norm(), 0.0, 1e-9 * camera.distance());
  EXPECT_NEAR(zoomed(camera, 0.5).distance(), 0.5 * camera.distance(), 1e-12);
  EXPECT_LT(orbit_of(turned(camera, 0.0, 500.0)).angles[1], 90.0);
}

TEST(DrawCamera, ShiftsBySoManyPixels) {
  const Camera camera = fit(cloud(50), {35.0, 12.0}, 1.5);
  const Camera moved = shifted(camera, 30.0, -20.0, 400);
  Array3 target(1, 3);
  target.row(0) = camera.target;
  const Array3 at = seen(moved, target, 1.5);
  EXPECT_NEAR(at(0, 0), -30.0 / (0.5 * 600.0), 1e-9);
  EXPECT_NEAR(at(0, 1), 20.0 / (0.5 * 400.0), 1e-9);
}

TEST(DrawCamera, HoldsWhatIsBeforeIt) {
  const Array3 near = 0.2 * cloud(50);
  const Array3 all = cloud(500);
  const Camera camera = fit(near, {35.0, 12.0}, 1.5);
  const Camera wide = holding(camera, all);
  const Vector3 back = camera.axes().col(2);
  int before = 0;
  for (Eigen::Index k = 0; k < all.rows(); ++k) {
    const double distance = (camera.eye - all.row(k).transpose()).dot(back);
    if (distance < 0.02 * camera.distance()) continue;
    ++before;
    EXPECT_LT(std::abs(seen(wide, all.row(k), 1.5)(0, 2)), 1.0);
  }
  EXPECT_GT(before, 200);
  EXPECT_GT((seen(camera, all, 1.5).col(2).array().abs() > 1.0).count(), 20);
  const Camera boxed = holding(camera, box_corners(all));
  EXPECT_LE(boxed.near, wide.near);
  EXPECT_GE(boxed.far, wide.far);
}

TEST(DrawCamera, IsReadAsItWasWritten) {
  const Camera camera{
      .eye = {0.1, 1.0 / 3.0, 2.0}, .target = {0.0, 0.5, 0.0}, .field_of_view = 41.0, .near = 0.2, .far = 9.0};
  EXPECT_EQ(camera_from_json(camera_to_json(camera), "camera"), camera);
  EXPECT_THROW(camera_from_json("{\"eye\": [0, 0, 1]}", "camera"), InvalidArgument);
  EXPECT_THROW(camera_from_json("{", "camera"), InvalidArgument);
}

TEST(DrawTessellation, TwinsGoOnceRoundAllTrianglesOfAnEdge) {
  std::uniform_int_distribution<std::int32_t> vertex(0, 11);
  const Mesh mesh(Index3::NullaryExpr(60, 3, [&] { return vertex(numbers); }), 12);
  const std::vector<std::uint32_t> twins = edge_twins(mesh);
  const Index3& edges = mesh.triangle_edges();
  for (std::uint32_t slot = 0; slot < twins.size(); ++slot) {
    std::vector<std::uint32_t> ring{slot};
    while (twins[ring.back()] != slot) ring.push_back(twins[ring.back()]);
    std::sort(ring.begin(), ring.end());
    std::vector<std::uint32_t> expected;
    for (std::uint32_t other = 0; other < twins.size(); ++other)
      if (other == slot || (edges.data()[slot] != kNone && edges.data()[other] == edges.data()[slot]))
        expected.push_back(other);
    EXPECT_EQ(ring, expected);
  }
}

TEST(DrawGrid, HasThePointsOfReachedTrianglesAndOfTheirEdges) {
  const testing::RestShape sheet = testing::irregular_sheet(4, 0.3, 2);
  const auto triangles = std::int32_t(sheet.mesh->triangle_count());
  std::vector<std::uint8_t> reached(std::size_t(triangles), 1);
  reached[3] = 0;
  Tessellation cut;
  tessellate(*sheet.mesh, sheet.positions, reached, 0.07, cut);
  Grid grid;
  ASSERT_TRUE(lay_grid(*sheet.mesh, sheet.positions, reached, cut, 0.07 / 3, 1'000'000, grid));
  const std::size_t groups = 1 + 4 * std::size_t(triangles) + 2;
  std::int64_t points = 0;
  for (std::int32_t t = 0; t < triangles; ++t) {
    const std::uint32_t* entry = &grid.words[1 + 4 * std::size_t(t)];
    EXPECT_EQ(entry[0], std::uint32_t(t));
    EXPECT_EQ(entry[1], grid.words.size() + 4 * std::size_t(points));
    double longest = 0.0;
    std::int64_t along = 0;
    for (int k = 0; k < 3; ++k) {
      const std::int32_t edge = sheet.mesh->triangle_edges()(t, k);
      const std::int64_t level = cut.pieces[std::size_t(edge)];
      EXPECT_EQ((entry[3] >> 8 * k) & 255U, level);
      const auto ends = sheet.mesh->edges().row(edge);
      longest = std::max(longest, (sheet.positions.row(ends[1]) - sheet.positions.row(ends[0])).norm());
      along += level - 1;
    }
    const auto side = std::int64_t(std::ceil(longest / (0.07 / 3)));
    EXPECT_EQ(entry[2], t == 3 ? 0 : side);
    const std::int64_t before = points;
    points += t == 3 ? 1 : (side + 1) * (side + 2) / 2 + along;
    for (std::int64_t group = (before + 63) / 64; 64 * group < points; ++group)
      EXPECT_EQ(grid.words[groups + std::size_t(group)], std::uint32_t(t));
  }
  EXPECT_EQ(grid.entries, triangles);
  EXPECT_EQ(grid.points, points);
  EXPECT_EQ(grid.words[groups - 1], grid.words.size() + 4 * std::size_t(points));
  EXPECT_EQ(grid.words[0], grid.words[groups - 1]);
  EXPECT_EQ(grid.size(), 4 * grid.words.size() + 16 * std::size_t(points) + 12 * std::size_t(triangles));
}

TEST(DrawGrid, NamesTessellatedTrianglesOnly) {
  const testing::RestShape sheet = testing::irregular_sheet(8, 0.3, 2);
  std::vector<std::uint8_t> reached(std::size_t(sheet.mesh->triangle_count()), 0);
  reached[40] = 1;
  Tessellation cut;
  tessellate(*sheet.mesh, sheet.positions, reached, 0.07, cut);
  Grid grid;
  ASSERT_TRUE(lay_grid(*sheet.mesh, sheet.positions, reached, cut, 0.07 / 3, 1'000'000, grid));
  EXPECT_EQ(grid.entries, cut.patches);
  EXPECT_LT(grid.entries, 5);
  EXPECT_LT(4 * grid.words.size(), 16 * 5 + 12 + std::size_t(grid.points) / 16 + 4);
}

TEST(DrawGrid, IsNotLaidForTooManyPointsNorWithoutAnyNorForLimitedEdges) {
  const testing::RestShape sheet = testing::irregular_sheet(4, 0.3, 2);
  std::vector<std::uint8_t> reached(std::size_t(sheet.mesh->triangle_count()), 1);
  Tessellation cut;
  tessellate(*sheet.mesh, sheet.positions, reached, 0.07, cut);
  Grid grid;
  ASSERT_TRUE(lay_grid(*sheet.mesh, sheet.positions, reached, cut, 0.035, 1'000'000, grid));
  const std::int64_t points = grid.points;
  EXPECT_TRUE(lay_grid(*sheet.mesh, sheet.positions, reached, cut, 0.035, points, grid));
  EXPECT_FALSE(lay_grid(*sheet.mesh, sheet.positions, reached, cut, 0.035, points - 1, grid));
  EXPECT_EQ(grid.points, points);
  tessellate(*sheet.mesh, sheet.positions, reached, 1e-4, cut);
  EXPECT_FALSE(
      lay_grid(*sheet.mesh, sheet.positions, reached, cut, 0.035, std::numeric_limits<std::int64_t>::max(), grid));
  std::fill(reached.begin(), reached.end(), 0);
  tessellate(*sheet.mesh, sheet.positions, reached, 0.07, cut);
  EXPECT_FALSE(lay_grid(*sheet.mesh, sheet.positions, reached, cut, 0.035, 1'000'000, grid));
}

TEST(DrawGrid, CellsAreOfOneAndAHalfToFourPixels) {
  EXPECT_FALSE(cells_of_piece(4.4));
  EXPECT_EQ(cells_of_piece(4.5), 3);
  EXPECT_EQ(cells_of_piece(12.0), 3);
  EXPECT_EQ(cells_of_piece(12.1), 4);
  EXPECT_EQ(cells_of_piece(24.0), 6);
  EXPECT_FALSE(cells_of_piece(24.1));
  EXPECT_FALSE(cells_of_piece(1e300));
}

TEST(DrawTessellation, DrawsHoldEveryVertexOnceAndNoneTooMany) {
  const std::vector<std::vector<std::int64_t>> lists{
      {}, {0, 0}, {5}, {70'000}, {0, 40'000, 0, 30'000, 30'000, 0, 70'000, 1, 0}};
  for (const std::vector<std::int64_t>& counts : lists) {
    std::vector<DrawRange> ranges;
    split_draws(counts, {.first = 100, .texture = 3}, ranges);
    std::int64_t end = 100;
    std::int64_t sum = 0;
    for (const DrawRange& range : ranges) {
      EXPECT_GE(range.first, end);
      end = range.first + range.count;
      std::int64_t total = 0;
      for (std::int64_t k = range.first; k < end; ++k) total += counts.at(std::size_t(k - 100));
      EXPECT_GT(total, 0);
      EXPECT_TRUE(total <= kMaxDrawVertices || range.count == 1);
      EXPECT_EQ(range.texture, 3);
      sum += total;
    }
    std::int64_t expected = 0;
    for (const std::int64_t count : counts) expected += count;
    EXPECT_EQ(sum, expected);
  }
}

TEST(DrawSurface, ADrawingOriginRestsNearTheOriginAndFollowsFarAway) {
  const Array3 near = cloud(100).array() * 0.3;
  EXPECT_EQ(nearby_origin(near), Vector3::Zero());
  const Array3 far = near.rowwise() + Eigen::RowVector3d(1e6, -2e5, 0.0);
  const Vector3 origin = nearby_origin(far);
  const double diagonal = (near.colwise().maxCoeff() - near.colwise().minCoeff()).norm();
  EXPECT_LT((far.rowwise() - origin.transpose()).rowwise().norm().maxCoeff(), 16.0 * diagonal);
  // It is a number that 32 bits hold, and a small step does not move it.
  EXPECT_EQ(origin, origin.cast<float>().cast<double>());
  EXPECT_EQ(nearby_origin(far.array() + 1e-3 * diagonal), origin);
}

/// Lifts every point by 0.1 along the normal; a mesh of its own if it is given one.
class LiftedDetail : public Detail {
 public:
  LiftedDetail(const Mesh& mesh, const Array3& positions, const Subdivision* own)
      : Detail(mesh, positions), own_(own) {}

  void evaluate_into(std::span<const std::int32_t> triangles, const ConstArray3& barycentrics,
                     Evaluation& out) const override {
    points_of_mesh(mesh(), positions(), triangles, barycentrics, out);
    out.points.displacements = 0.1 * out.points.base_normals;
    out.points.positions += out.points.displacements;
    out.points.normals = -out.points.base_normals;  // to be told from the others
  }
  std::vector<std::uint8_t> reached() const override {
    return std::vector<std::uint8_t>(std::size_t(mesh().triangle_count()), 1);
  }
  double feature_size() const override { return 1.0; }
  std::array<double, 2> offset_range() const override { return {0.1, 0.1}; }
  const Subdivision* own_mesh() const override { return own_; }

 private:
  const Subdivision* own_;
};

template <class T>
std::vector<T> values_of(const Upload& upload) {
  std::vector<T> out(upload.bytes.size() / sizeof(T));
  std::memcpy(out.data(), upload.bytes.data(), upload.bytes.size());
  return out;
}

std::map<std::size_t, Upload> uploads_of(Surface& surface) {
  std::map<std::size_t, Upload> out;
  for (const Upload& upload : surface.take_uploads()) out.emplace(upload.binding, upload);
  return out;
}

std::size_t binding(Block block) { return std::size_t(block); }

TEST(DrawSurface, AMeshOfItsOwnIsDrawnInThePlaceOfTheCoarseOne) {
  const testing::RestShape sheet = testing::irregular_sheet(3, 0.3, 1);
  const auto count = std::size_t(sheet.mesh->triangle_count());
  SurfaceMesh content{
      .mesh = sheet.mesh, .colours = {}, .texcoords = {}, .textures = {}, .texture_count = 2, .weld = {}};
  for (std::size_t t = 0; t < count; ++t) {
    content.colours.push_back({std::uint8_t(t), 0, 0, 255});
    content.textures.push_back(std::int32_t(t % 2));
    // What texture coordinates say of the corners, they say of all points between them.
    for (int k = 0; k < 3; ++k)
      for (int axis = 0; axis < 2; ++axis)
        content.texcoords.push_back(float(sheet.positions(sheet.mesh->faces()(Eigen::Index(t), k), axis)));
  }
  Surface surface(std::move(content));
  surface.set_positions(sheet.positions, std::nullopt, Vector3(1, 2, 3));
  surface.take_uploads();

  const Subdivision own = subdivide(*sheet.mesh, std::vector<std::int32_t>(std::size_t(sheet.mesh->edge_count()), 4));
  const LiftedDetail detail(*sheet.mesh, sheet.positions, &own);
  surface.set_detail(detail, Mode::displacement);
  EXPECT_EQ(surface.method(), kPlainMethod);
  EXPECT_FALSE(surface.displaced());
  auto uploads = uploads_of(surface);
  const SurfacePoints points = detail.evaluate(own.triangles, own.barycentrics);
  const std::vector<float> positions = values_of<float>(uploads.at(binding(Block::positions)));
  const std::vector<float> normals = values_of<float>(uploads.at(binding(Block::normals)));
  ASSERT_EQ(positions.size(), std::size_t(points.positions.size()));
  for (Eigen::Index v = 0; v < points.positions.rows(); ++v)
    for (Eigen::Index axis = 0; axis < 3; ++axis) {
      const auto at = std::size_t(3 * v + axis);
      EXPECT_EQ(positions[at], float(points.positions(v, axis) - double(axis + 1)));
      EXPECT_EQ(normals[at], float(points.base_normals(v, axis)));  // the mode shows no normals
    }
  const std::vector<std::int32_t> faces = values_of<std::int32_t>(uploads.at(binding(Block::faces)));
  ASSERT_EQ(faces.size(), std::size_t(own.faces.size()));
  EXPECT_TRUE(std::equal(faces.begin(), faces.end(), own.faces.data()));
  const std::vector<Rgba8> colours = values_of<Rgba8>(uploads.at(binding(Block::colours)));
  const std::vector<float> texcoords = values_of<float>(uploads.at(binding(Block::texcoords)));
  for (std::size_t f = 0; f < own.source.size(); ++f) {
    EXPECT_EQ(colours[f][0], std::uint8_t(own.source[f]));
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t axis = 0; axis < 2; ++axis)
        EXPECT_NEAR(double(texcoords[6 * f + 2 * k + axis]),
                    points.base(own.faces(Eigen::Index(f), Eigen::Index(k)), Eigen::Index(axis)), 1e-6);
  }
  // Every triangle is drawn once, with its texture.
  const std::vector<std::uint32_t> list = values_of<std::uint32_t>(uploads.at(binding(Block::draw_list)));
  ASSERT_EQ(surface.ranges().size(), 2U);
  for (const DrawRange& range : surface.ranges())
    for (std::int64_t k = range.first; k < range.first + range.count; ++k)
      EXPECT_EQ(own.source[list[std::size_t(k)]] % 2, range.texture);
  EXPECT_EQ(std::set<std::uint32_t>(list.begin(), list.end()).size(), own.source.size());

  // Of the next frame only what moved is sent; tints come with their triangles.
  surface.set_positions(sheet.positions);
  surface.set_detail(detail);
  uploads = uploads_of(surface);
  EXPECT_EQ(uploads.size(), 2U);
  EXPECT_EQ(values_of<float>(uploads.at(binding(Block::normals)))[0], float(points.normals(0, 0)));
  std::vector<Rgba8> tints(count);
  for (std::size_t t = 0; t < count; ++t) tints[t] = {std::uint8_t(t), 1, 2, 3};
  surface.set_tints(tints);
  const std::vector<Rgba8> sent = values_of<Rgba8>(uploads_of(surface).at(binding(Block::tints)));
  for (std::size_t f = 0; f < own.source.size(); ++f) EXPECT_EQ(sent[f], tints[std::size_t(own.source[f])]);

  surface.clear_detail();
  uploads = uploads_of(surface);
  EXPECT_EQ(values_of<std::int32_t>(uploads.at(binding(Block::faces))).size(), 3 * count);
  EXPECT_EQ(values_of<float>(uploads.at(binding(Block::positions))).size(), std::size_t(sheet.positions.size()));
}

TEST(DrawSurface, RefusesTextureCoordinatesThatAreNoPlace) {
  const testing::RestShape sheet = testing::irregular_sheet(2, 0.3, 1);
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    std::vector<float> texcoords(6 * std::size_t(sheet.mesh->triangle_count()), 0.5F);
    texcoords[8] = bad;
    SurfaceMesh content{
        .mesh = sheet.mesh, .colours = {}, .texcoords = texcoords, .textures = {}, .texture_count = 0, .weld = {}};
    EXPECT_THROW(Surface(std::move(content)), InvalidArgument);
  }
}

/// One that is drawn by shaders of its own, which are compiled for a number.
class ShadedDetail final : public LiftedDetail {
 public:
  using LiftedDetail::LiftedDetail;
  std::string_view shaders() const override { return "lifted"; }
  Content draw_content(const Vector3&, const Continued*) const override {
    return {.buffers = {room_of("Lifts", 64)}, .programs = {}, .strokes = {}, .constants = {{"lift", 3}}};
  }
};

TEST(DrawSurface, ADetailThatIsTakenOffBeforeItWasSentIsNotSent) {
  const testing::RestShape sheet = testing::irregular_sheet(3, 0.3, 2);
  Surface surface({.mesh = sheet.mesh, .colours = {}, .texcoords = {}, .textures = {}, .texture_count = 0, .weld = {}});
  EXPECT_THROW(surface.tessellation(1.0), InvalidArgument);
  surface.set_positions(sheet.positions);
  EXPECT_EQ(surface.tessellation(1.0).patches, 0);
  surface.set_detail(ShadedDetail(*sheet.mesh, sheet.positions, nullptr));
  EXPECT_EQ(surface.tessellation(1.0).patches, sheet.mesh->triangle_count());
  surface.set_positions(sheet.positions);
  EXPECT_EQ(surface.tessellation(1.0).patches, 0);
  for (const Upload& upload : surface.take_uploads()) EXPECT_LT(upload.binding, kMethodBinding);
  EXPECT_THROW(surface.tessellation(-1.0), InvalidArgument);
}

TEST(DrawSurface, ADetailWithoutShadersIsDividedAsFinelyAsItAsksFor) {
  const testing::RestShape sheet = testing::irregular_sheet(3, 0.3, 2);
  Surface surface({.mesh = sheet.mesh, .colours = {}, .texcoords = {}, .textures = {}, .texture_count = 0, .weld = {}});
  surface.set_positions(0.5 * sheet.positions);
  const Array3 halved = 0.5 * sheet.positions;
  surface.set_detail(LiftedDetail(*sheet.mesh, halved, nullptr));
  const auto drawn = [&] { return values_of<std::int32_t>(uploads_of(surface).at(binding(Block::faces))).size() / 3; };
  const std::vector<double> targets(std::size_t(sheet.mesh->triangle_count()), kTargetEdgeShare);
  const Subdivision wanted = subdivide(*sheet.mesh, edge_levels(*sheet.mesh, halved, targets, kMaxLevel));
  EXPECT_EQ(drawn(), std::size_t(wanted.faces.rows()));
  // A larger frame is divided more finely, and the next smaller one stays so.
  const Array3 large = 8.0 * sheet.positions;
  surface.set_positions(large);
  surface.set_detail(LiftedDetail(*sheet.mesh, large, nullptr));
  const std::size_t finer = drawn();
  EXPECT_GT(finer, std::size_t(wanted.faces.rows()));
  surface.set_positions(halved);
  surface.set_detail(LiftedDetail(*sheet.mesh, halved, nullptr));
  EXPECT_FALSE(uploads_of(surface).contains(binding(Block::faces)));
}

TEST(DrawPicture, ProgramsAreCompiledForWhatStaysAndTrianglesWithoutDetailDrawnByThoseWithout) {
  const testing::RestShape sheet = testing::irregular_sheet(3, 0.3, 2);
  Surface surface({.mesh = sheet.mesh, .colours = {}, .texcoords = {}, .textures = {}, .texture_count = 0, .weld = {}});
  surface.set_positions(sheet.positions);
  surface.set_detail(ShadedDetail(*sheet.mesh, sheet.positions, nullptr));
  Surface* const surfaces[] = {&surface};
  const Camera camera = fit(sheet.positions, {20.0, 10.0}, 1.0);
  using Drawn = std::vector<std::pair<std::string, std::vector<Constant>>>;
  const auto drawn = [&](Mode mode) {
    Drawn out;
    Style style;
    style.mode = mode;
    for (const Step& step : picture(surfaces, camera, style, {100, 100}).steps)
      out.emplace_back(step.program, step.constants);
    return out;
  };
  const auto with = [](Mode mode, std::vector<Constant> constants) {
    constants.insert(
        constants.end(),
        {{"gridded", 0}, {"alpha_mode", 0}, {"mode", std::int32_t(mode)}, {"output_kind", 0}, {"effects", 0}});
    return constants;
  };
  EXPECT_EQ(drawn(Mode::both),
            (Drawn{{"plain/surface", with(Mode::both, {})}, {"lifted/patch", with(Mode::both, {{"lift", 3}})}}));
  EXPECT_EQ(drawn(Mode::normals), (Drawn{{"lifted/surface", with(Mode::normals, {{"lift", 3}})}}));
}

TEST(DrawPicture, WhatIsBlendedComesLastFromBackToFrontAfterItsSolidPart) {
  Array3 positions(9, 3);
  for (Eigen::Index k = 0; k < 3; ++k)
    positions.middleRows(3 * k, 3) << 0, 0, double(k), 1, 0, double(k), 0, 1, double(k);
  const Alpha blended{.mode = AlphaMode::blend};
  Surface surface({.mesh = std::make_shared<Mesh>(shapes::faces({{0, 1, 2}, {3, 4, 5}, {6, 7, 8}}), 9),
                   .colours = {Rgba8{255, 0, 0, 255}, Rgba8{0, 255, 0, 100}, Rgba8{0, 0, 255, 100}},
                   .texcoords = {},
                   .textures = {},
                   .texture_count = 0,
                   .alphas = {{.mode = AlphaMode::mask}, blended, blended},
                   .weld = {}});
  surface.set_positions(positions);
  Surface* const surfaces[] = {&surface};
  const auto drawn = [&](double eye) {
    std::vector<std::pair<std::int64_t, bool>> out;
    Camera camera = fit(positions, {0.0, 0.0}, 1.0);
    camera.eye = {0.3, 0.3, eye};
    camera.target = {0.3, 0.3, 1.0};
    for (const Step& step : picture(surfaces, camera, Style{}, {100, 100}).steps)
      for (const DrawRange& range : step.ranges) out.emplace_back(range.first, step.blended);
    return out;
  };
  using Drawn = std::vector<std::pair<std::int64_t, bool>>;
  // A mask without a texture that is solid is opaque: triangle 0 is drawn first. Blue, 2, sorts before green, 1.
  EXPECT_EQ(drawn(9.0), (Drawn{{0, false}, {1, false}, {2, false}, {2, true}, {1, true}}));
  EXPECT_EQ(drawn(-9.0), (Drawn{{0, false}, {1, false}, {2, false}, {1, true}, {2, true}}));
}

TEST(DrawPicture, ARefusedListTakesNoRefinement) {
  const testing::RestShape sheet = testing::irregular_sheet(3, 0.3, 2);
  const SurfaceMesh mesh{
      .mesh = sheet.mesh, .colours = {}, .texcoords = {}, .textures = {}, .texture_count = 0, .weld = {}};
  Surface first(mesh);
  Surface unplaced(mesh);
  first.set_positions(sheet.positions);
  first.set_detail(ShadedDetail(*sheet.mesh, sheet.positions, nullptr));
  Surface* const surfaces[] = {&first, &unplaced};
  EXPECT_THROW(picture(surfaces, Camera{}, Style{}, {100, 100}), InvalidArgument);
  EXPECT_TRUE(first.take_unrefined());
}

TEST(DrawPicture, DepthIsThatOfAPointNearerByAShareOfItsDistance) {
  const Array3 points = cloud(20);
  for (const auto& [near, far] : {std::pair{0.01, 100.0}, {2.0, 9.0}}) {
    Camera camera = fit(points, {20.0, 10.0}, 1.0);
    camera.near = near;
    camera.far = far;
    const FrameBlock frame = frame_block(camera, Style(), {100, 100});
    const double depth_scale = double(frame[4 * 13 + 2]);
    const double share = 0.01;
    for (Eigen::Index k = 0; k < points.rows(); ++k) {
      const Eigen::RowVector3d point = points.row(k);
      const Eigen::RowVector3d moved = point + share * (camera.eye.transpose() - point);
      const Eigen::Vector4d clip = camera.view_projection(1.0) * point.transpose().homogeneous();
      const double expected = seen(camera, moved, 1.0)(0, 2);
      EXPECT_NEAR((clip[2] + depth_scale * share / (1.0 - share)) / clip[3], expected, 1e-6);
    }
  }
}

TEST(DrawShaders, ADeviceThatLacksBlocksIsToldWhere) {
  const StorageLimits needed{.bindings = 16, .stages = {{"vertex", 6}, {"compute", 4}}, .combined = 19};
  EXPECT_EQ(missing_storage(needed, needed), "");
  StorageLimits offered = needed;
  offered.bindings = 8;
  EXPECT_EQ(missing_storage(needed, offered), "the device offers 8 storage blocks bound at once, 16 are needed");
  offered = needed;
  offered.stages["vertex"] = 0;
  EXPECT_EQ(missing_storage(needed, offered), "the device offers 0 storage blocks in a vertex shader, 6 are needed");
  offered = needed;
  offered.combined = 8;
  EXPECT_EQ(missing_storage(needed, offered),
            "the device offers 8 storage blocks in all stages of a program, 19 are needed");
}

}  // namespace
}  // namespace pucker::draw
