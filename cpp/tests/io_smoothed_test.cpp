#include "pucker/io/smoothed.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "io_temporary_folder.h"
#include "pucker/errors.h"
#include "pucker/io/load.h"
#include "pucker/mesh/loop.h"
#include "shapes.h"

namespace pucker::io {
namespace {

const std::filesystem::path kData = PUCKER_DATA_DIR;

std::vector<double> numbers(const Array3& rows) { return {rows.data(), rows.data() + rows.size()}; }

Array3 jittered(const Array3& positions) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(0, 0.05);
  return positions + Array3::NullaryExpr(positions.rows(), 3, [&] { return normal(random); });
}

/// A surface whose first `own` triangles are cloth, the others body, sewn to each other, moved in two frames and at
/// rest in the first; the cloth has the first material.
Clip sewn(const shapes::Surface& whole, Eigen::Index own, std::int32_t body_material = 1) {
  const std::int64_t n = whole.positions.rows();
  const std::array<Array3, 2> poses{whole.positions, jittered(whole.positions)};
  ClipData data;
  data.name = "sewn";
  data.times = {0.0, 0.5};
  data.materials = {Material{}, Material{}};
  const auto cut = [&](Eigen::Index first, Eigen::Index count, std::vector<double>& positions, Array3& rest,
                       std::int32_t material) {
    StoredSurface out;
    std::map<std::int32_t, std::int32_t> number;
    std::vector<std::int32_t> kept;
    out.faces = whole.faces.middleRows(first, count);
    for (std::int32_t& vertex : out.faces.reshaped<Eigen::RowMajor>()) {
      const auto [found, is_new] = number.emplace(vertex, std::int32_t(kept.size()));
      if (is_new) kept.push_back(vertex);
      vertex = found->second;
    }
    for (const Array3& pose : poses)
      for (const std::int32_t vertex : kept)
        for (int axis = 0; axis < 3; ++axis) positions.push_back(pose(vertex, axis));
    rest = whole.positions(kept, Eigen::all);
    out.materials.assign(std::size_t(count), material);
    for (std::int32_t v = 0; v < std::int32_t(kept.size()); ++v) out.weld.push_back(v);
    return out;
  };
  Array3 rest;
  data.garment = cut(0, own, data.positions, rest, 0);
  data.rest = rest;
  data.body = cut(own, whole.faces.rows() - own, data.body_positions, data.body_rest, body_material);
  data.vertices = std::int64_t(data.garment.weld.size());
  EXPECT_GT(data.vertices + std::int64_t(data.body.weld.size()), n);
  return Clip(std::move(data));
}

/// Rounded, so that the same place of two computations is one.
std::set<std::array<std::int64_t, 3>> places(const Array3& positions) {
  std::set<std::array<std::int64_t, 3>> out;
  for (const auto& row : positions.rowwise())
    out.insert({std::llround(1e9 * row[0]), std::llround(1e9 * row[1]), std::llround(1e9 * row[2])});
  return out;
}

TEST(Smoothed, IsTheSubdivisionOfAGarmentAlone) {
  const shapes::Surface ball = shapes::sphere(1);
  const Clip clip = Clip::from_arrays(ball.faces, numbers(ball.positions), {0.0}, std::nullopt, false, ball.positions);
  for (int levels = 1; levels <= 3; ++levels) {
    const LoopSubdivision loop(clip.mesh(), levels);
    const Clip fine = smoothed(clip, levels);
    EXPECT_EQ(fine.mesh()->faces(), loop.fine()->faces());
    Array3 expected;
    multiply(loop.matrix(), ball.positions, expected);
    EXPECT_EQ(Array3(fine.positions(0)), expected);
    EXPECT_EQ(*fine.rest(), expected);
  }
}

TEST(Smoothed, SewnClothAndBodyOfOneMaterialAreOneSurface) {
  const shapes::Surface ball = shapes::sphere(2);
  const auto whole = std::make_shared<const Mesh>(ball.faces, ball.positions.rows());
  for (const Eigen::Index own : {1, 40, 100}) {
    const Clip clip = sewn(ball, own, 0);
    ASSERT_FALSE(clip.shared_vertices().empty());
    const Clip fine = smoothed(clip, 2);
    Array3 expected;
    multiply(LoopSubdivision(whole, 2).matrix(), ball.positions, expected);
    Array3 both(fine.vertex_count() + fine.body_vertex_count(), 3);
    both << fine.positions(0), fine.body_positions(0);
    EXPECT_EQ(places(both), places(expected)) << own;
    both << *fine.rest(), fine.data().body_rest;
    EXPECT_EQ(places(both), places(expected)) << own;
    // Every edge of the seam has three vertices more, all of them sewn.
    const std::size_t seam = std::size_t(clip.report().mesh.boundary_edges);
    EXPECT_EQ(fine.shared_vertices().size(), clip.shared_vertices().size() + 3 * seam) << own;
    EXPECT_EQ(fine.mesh()->triangle_count(), 16 * own);
    EXPECT_EQ(fine.data().body.faces.rows(), 16 * (ball.faces.rows() - own));
    EXPECT_EQ(fine.data().garment.materials, std::vector<std::int32_t>(std::size_t(16 * own), 0));
    EXPECT_EQ(fine.data().times, clip.data().times);
  }
}

TEST(Smoothed, StaysSplitAtSeamsOfTexture) {
  // Two triangles with a seam: vertices 1 and 3, and 2 and 4, coincide.
  const Index3 faces = shapes::faces({{0, 1, 2}, {4, 3, 5}});
  const UvArray uv = (UvArray(6, 2) << 0, 0, 1, 0, 0, 1, 5, 5, 6, 7, 8, 8).finished();
  const Clip clip = Clip::from_arrays(faces, {0, 0, 0, 1, 0, 0, 0, 2, 0, 1, 0, 0, 0, 2, 0, 1, 2, 0}, {0.0}, uv);
  const Clip fine = smoothed(clip, 1);
  const StoredSurface& surface = fine.data().garment;
  // Three of each triangle's edges, of which one is the seam.
  ASSERT_EQ(surface.weld.size(), 12);
  EXPECT_EQ(fine.vertex_count(), 9);
  EXPECT_EQ(surface.uv.topRows(6), uv);
  EXPECT_EQ(std::vector<std::int32_t>(surface.weld.begin(), surface.weld.begin() + 6), clip.data().garment.weld);
  for (Eigen::Index f = 0; f < surface.faces.rows(); ++f)
    for (int k = 0; k < 3; ++k) {
      // Each side has coordinates of its own.
      const std::int32_t vertex = surface.faces(f, k);
      EXPECT_EQ(surface.uv(vertex, 0) + surface.uv(vertex, 1) > 1.5, f >= 4) << f << ", " << k;
    }
  EXPECT_EQ(fine.mesh()->report().boundary_edges, 8);
  EXPECT_EQ(surface.uv.row(surface.faces(3, 0)), (0.5 * (uv.row(0) + uv.row(1))));
}

/// A box of twelve triangles; `flat`: with the normals of its sides, else of its corners.
Clip box(bool flat) {
  Index3 faces(12, 3);
  Array3 corners(8, 3);
  for (int v = 0; v < 8; ++v) corners.row(v) << (v & 1), (v >> 1 & 1), (v >> 2);
  faces << 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5;
  Array3 positions(36, 3);
  for (int f = 0; f < 12; ++f)
    for (int k = 0; k < 3; ++k) positions.row(3 * f + k) = corners.row(faces(f, k));
  Index3 soup(12, 3);
  for (int f = 0; f < 12; ++f) soup.row(f) << 3 * f, 3 * f + 1, 3 * f + 2;
  ClipData data = Clip::from_arrays(soup, numbers(positions), {0.0}).data();
  data.garment.normal_pose = positions;
  data.garment.normals.resize(36, 3);
  for (int f = 0; f < 12; ++f)
    for (int k = 0; k < 3; ++k) {
      const Vector3 a = positions.row(3 * f);
      const Vector3 side = (Vector3(positions.row(3 * f + 1)) - a).cross(Vector3(positions.row(3 * f + 2)) - a);
      const Vector3 out = Vector3(positions.row(3 * f + k)) - Vector3::Constant(0.5);
      data.garment.normals.row(3 * f + k) = (flat ? side : out).normalized();
    }
  return Clip(std::move(data));
}

TEST(Smoothed, ABoxLitFlatKeepsItsEdges) {
  const Clip flat = smoothed(box(true), 2);
  EXPECT_EQ(flat.vertex_count(), 12 * 16 / 2 + 2);
  // As often 0 or 1 as a place is on sides: once at least, and three times in the corners.
  const auto on_sides = (flat.positions(0).array() == 0 || flat.positions(0).array() == 1).cast<int>();
  const Eigen::VectorXi sides = on_sides.rowwise().sum();
  EXPECT_GE(sides.minCoeff(), 1);
  EXPECT_EQ(sides.head(8).minCoeff(), 3);
  const Clip round = smoothed(box(false), 2);
  EXPECT_LT(round.positions(0).maxCoeff(), 0.95);
}

/// Facets of a ball bend by less than 60°: they go, however it is lit.
TEST(Smoothed, ABallLitFlatBecomesRound) {
  const shapes::Surface ball = shapes::sphere(1);
  ClipData data = Clip::from_arrays(ball.faces, numbers(ball.positions), {0.0}).data();
  ClipData soup = data;
  soup.garment.faces.resize(ball.faces.rows(), 3);
  soup.garment.weld.clear();
  soup.garment.normals.resize(3 * ball.faces.rows(), 3);
  soup.garment.normal_pose.resize(3 * ball.faces.rows(), 3);
  for (std::int32_t f = 0; f < std::int32_t(ball.faces.rows()); ++f) {
    const auto at = [&](int k) -> Vector3 { return ball.positions.row(ball.faces(f, k)); };
    for (int k = 0; k < 3; ++k) {
      soup.garment.faces(f, k) = 3 * f + k;
      soup.garment.weld.push_back(data.garment.weld[std::size_t(ball.faces(f, k))]);
      soup.garment.normals.row(3 * f + k) = (at(1) - at(0)).cross(at(2) - at(0)).normalized();
      soup.garment.normal_pose.row(3 * f + k) = at(k);
    }
  }
  EXPECT_EQ(Array3(smoothed(Clip(soup), 1).positions(0)), Array3(smoothed(Clip(data), 1).positions(0)));
}

TEST(Smoothed, LeavesOutTrianglesWithoutThreeVerticesAndKeepsOthers) {
  const Index3 faces = shapes::faces({{0, 1, 2}, {1, 1, 3}, {2, 1, 3}});
  const Clip clip = Clip::from_arrays(faces, {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 9, 9, 9}, {0.0}, std::nullopt, false);
  const Clip fine = smoothed(clip, 1);
  EXPECT_EQ(fine.mesh()->triangle_count(), 8);
  EXPECT_EQ(fine.positions(0).row(4), clip.positions(0).row(4)) << "of no triangle";
}

/// Of a sewn ball whose body alone is smooth: the garment is as it was, the body's border lies on the garment's coarse
/// edges, and away from the seam the body is where it is on its own.
TEST(Smoothed, ABodyAloneStaysSewnToTheCoarseGarment) {
  const Clip clip = sewn(shapes::sphere(3), 100);
  const Clip fine = with_smooth_body(clip, 2);
  EXPECT_EQ(fine.data().positions, clip.data().positions);
  EXPECT_EQ(fine.mesh()->faces(), clip.mesh()->faces());
  EXPECT_EQ(fine.shared_vertices(), clip.shared_vertices());
  EXPECT_EQ(fine.data().body.faces.rows(), 16 * clip.data().body.faces.rows());

  const Mesh& garment = *clip.mesh();
  const Mesh body(fine.data().body.faces, fine.body_vertex_count());
  for (std::int64_t frame = 0; frame < clip.frame_count(); ++frame) {
    std::set<std::array<std::int64_t, 3>> on_edges, border;
    for (std::int32_t e = 0; e < garment.edge_count(); ++e)
      for (int quarter = 0; quarter <= 4 && garment.edge_triangles(e)[1] == kNone; ++quarter) {
        const auto at = [&](int end) { return clip.positions(frame).row(garment.edges()(e, end)); };
        on_edges.merge(places(at(0) + 0.25 * quarter * (at(1) - at(0))));
      }
    for (std::int32_t e = 0; e < body.edge_count(); ++e)
      for (int end = 0; end < 2 && body.edge_triangles(e)[1] == kNone; ++end)
        border.merge(places(fine.body_positions(frame).row(body.edges()(e, end))));
    EXPECT_EQ(border, on_edges) << frame;
  }

  const ClipData& coarse = clip.data();
  const Clip alone = smoothed(Clip::from_arrays(coarse.body.faces, coarse.body_positions, coarse.times), 2);
  const Mesh coarse_body(coarse.body.faces, clip.body_vertex_count());
  std::int64_t inside = 0;
  const auto on_its_own = places(alone.positions(1));
  for (std::int32_t v = 0; v < coarse_body.vertex_count(); ++v) {
    const auto ring = coarse_body.ring(v);
    const bool near = std::ranges::any_of(ring, [&](std::int32_t t) {
      return std::ranges::any_of(coarse_body.faces().row(t), [&](std::int32_t w) {
        return std::ranges::any_of(coarse_body.ring(w), [&](std::int32_t other) {
          return coarse_body.triangle_neighbours().row(other).minCoeff() == kNone;
        });
      });
    });
    if (near) continue;
    ++inside;
    EXPECT_TRUE(on_its_own.contains(*places(fine.body_positions(1).row(v)).begin())) << v;
  }
  EXPECT_GT(inside, 20);
}

TEST(Smoothed, ABodyAloneIsThatOfTheRestPoseToo) {
  const Clip clip = sewn(shapes::sphere(2), 100);
  const Clip fine = with_smooth_body(clip, 1);
  EXPECT_EQ(*fine.rest(), *clip.rest());
  EXPECT_EQ(fine.data().body_rest, Array3(fine.body_positions(0))) << "at rest in the first frame";
}

TEST(Smoothed, ZeroLevelsChangeNothing) {
  const Clip clip = sewn(shapes::sphere(1), 20);
  EXPECT_EQ(smoothed(clip, 0).data().positions, clip.data().positions);
  EXPECT_EQ(with_smooth_body(clip, 0).data().body_positions, clip.data().body_positions);
}

TEST(Smoothed, WithoutABodyNoneIsMadeSmooth) {
  const shapes::Surface ball = shapes::sphere(1);
  const Clip clip = Clip::from_arrays(ball.faces, numbers(ball.positions), {0.0});
  EXPECT_EQ(with_smooth_body(clip, 2).data().positions, clip.data().positions);
}

TEST(Smoothed, RefusesLevelsItDoesNotHave) {
  const Clip clip = sewn(shapes::sphere(1), 20);
  EXPECT_TRUE(contains(message_of<InvalidArgument>([&] { smoothed(clip, 5); }), "0 to 4 levels, not 5"));
  EXPECT_TRUE(contains(message_of<InvalidArgument>([&] { smoothed(clip, -1); }), "not -1"));
  EXPECT_TRUE(contains(
      message_of<InvalidArgument>([&] { load(kData / "kimono_male.gltf", {.clip = "Run", .smooth = 5}); }), "not 5"));
}

TEST(Smoothed, LoadsSmooth) {
  const LoadOptions coarse{.clip = "Walk", .parts = {"Clothes", "Band"}};
  LoadOptions fine = coarse;
  fine.smooth = 1;
  const Clip expected = smoothed(load(kData / "kimono_male.gltf", coarse), 1);
  EXPECT_EQ(load(kData / "kimono_male.gltf", fine).data().positions, expected.data().positions);
  EXPECT_GT(expected.shared_vertices().size(), 0);
}

}  // namespace
}  // namespace pucker::io
