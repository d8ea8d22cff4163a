#include "pucker/drape/height.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "pucker/errors.h"
#include "shapes.h"

namespace pucker::drape {
namespace {

constexpr std::int32_t kSide = 20;

std::int32_t column_of(std::int32_t v) { return v % (kSide + 1); }
std::int32_t row_of(std::int32_t v) { return v / (kSide + 1); }

std::shared_ptr<const Mesh> sheet() {
  return std::make_shared<const Mesh>(shapes::grid(kSide, kSide), (kSide + 1) * (kSide + 1));
}

class HeightOfSheet : public testing::Test {
 protected:
  HeightOfSheet() {
    guide_.resize(count_, 3);
    for (std::int32_t v = 0; v < count_; ++v) guide_.row(v) << column_of(v), row_of(v), 0;
    normals_ = Array3::Zero(count_, 3);
    normals_.col(2).setOnes();
    pinned_.assign(std::size_t(count_), 0);
  }
  Array3 raised(double gain, const Array3& balanced) const {
    Array3 out;
    Height(mesh_, gain, pinned_).raise(guide_, normals_, balanced, out);
    return out;
  }
  /// A slope along both sides, as high as that over the diagonal.
  Array3 slope(double height) const {
    Array3 out = guide_;
    out.col(2) = height / (2 * kSide) * (guide_.col(0) + guide_.col(1));
    return out;
  }
  static bool inside(std::int32_t v) {
    const std::int32_t x = column_of(v);
    const std::int32_t y = row_of(v);
    return x > 0 && x < kSide && y > 0 && y < kSide;
  }

  std::shared_ptr<const Mesh> mesh_ = sheet();
  std::int32_t count_ = std::int32_t(mesh_->vertex_count());
  Array3 guide_, normals_;
  std::vector<std::uint8_t> pinned_;
};

TEST_F(HeightOfSheet, a_plane_slope_is_as_many_times_as_high) {
  const Array3 balanced = slope(2);
  const Array3 found = raised(1.5, balanced);
  for (std::int32_t v = 0; v < count_; ++v) {
    EXPECT_EQ(found(v, 0), balanced(v, 0));
    EXPECT_EQ(found(v, 1), balanced(v, 1));
    // The mean over a ring of a linear height is that in its middle.
    if (inside(v)) {
      EXPECT_NEAR(found(v, 2), 1.5 * balanced(v, 2), 1e-6);
    }
  }
}

TEST_F(HeightOfSheet, a_gain_of_one_changes_nothing_and_one_below_brings_it_to_the_guide) {
  Array3 balanced = slope(30);
  balanced(3 * kSide, 2) = -7;
  EXPECT_EQ(raised(1, balanced), balanced);
  EXPECT_TRUE(raised(0, balanced).isApprox(guide_, 1e-15));
  EXPECT_TRUE(raised(0.5, balanced).isApprox((balanced + guide_) / 2, 1e-15));
}

TEST_F(HeightOfSheet, a_peak_is_raised_by_the_mean_of_its_ring) {
  const std::int32_t peak = 10 * (kSide + 1) + 10;
  Array3 balanced = guide_;
  balanced(peak, 2) = 0.1;
  const Array3 found = raised(1.5, balanced);
  // Six triangles, in each of which one corner of three is raised; of its six neighbours, two.
  EXPECT_NEAR(found(peak, 2), 0.1 + 0.05 / 3, 1e-8);
  EXPECT_NEAR(found(peak + 1, 2), 0.05 * 2 / 18, 1e-8);
  EXPECT_EQ(found(peak + 2, 2), 0);
}

TEST_F(HeightOfSheet, nothing_is_added_that_would_turn_a_triangle_by_sixty_degrees) {
  const std::int32_t peak = 10 * (kSide + 1) + 10;
  // The steepest of its triangles, across the diagonals, rise by the peak's height over the root of a half.
  const auto turned = [&](double height, double gain) {
    const double run = std::sqrt(0.5);
    return std::atan(gain * height / run) - std::atan(height / run);
  };
  const double degree = std::acos(-1.0) / 180;
  for (const double height : {0.3, 0.6}) {
    for (const double gain : {1.2, 2.0, 3.0, 5.0, 9.0, 40.0}) {
      Array3 balanced = guide_;
      balanced(peak, 2) = height;
      const double added = raised(gain, balanced)(peak, 2) - height;
      const double angle = turned(height, gain);
      // By what angle each is turned depends on its run: 1 or less.
      if (angle > 60 * degree) {
        EXPECT_EQ(added, 0) << height << " times " << gain;
      }
      EXPECT_LE(added, (gain - 1) * height / 3 + 1e-7);
      if (angle < 25 * degree) {
        EXPECT_NEAR(added, (gain - 1) * height / 3, 1e-6);
      }
    }
  }
}

TEST_F(HeightOfSheet, what_is_pinned_stays) {
  Array3 balanced = slope(2);
  for (std::int32_t v = 0; v <= kSide; ++v) {
    pinned_[std::size_t(v)] = 1;
    balanced.row(v) = guide_.row(v);
  }
  const Array3 found = raised(1.5, balanced);
  EXPECT_EQ(found.topRows(kSide + 1), guide_.topRows(kSide + 1));
  EXPECT_GT(found(2 * kSide + 5, 2), balanced(2 * kSide + 5, 2));
}

TEST_F(HeightOfSheet, cloth_without_area_stays_where_it_is) {
  const Array3 none = Array3::Zero(count_, 3);
  EXPECT_EQ(raised(2, none), none);
}

TEST_F(HeightOfSheet, the_unit_does_not_count) {
  const Array3 balanced = slope(2);
  const Array3 found = raised(1.5, balanced);
  for (const double unit : {1e-20, 1e20}) {
    Array3 out;
    Height(mesh_, 1.5, pinned_).raise(unit * guide_, normals_, unit * balanced, out);
    EXPECT_TRUE(out.isApprox(unit * found, 1e-6));
  }
}

TEST(Height, a_doubled_hem_does_not_turn_over) {
  // A sheet folded about its middle: on the two sides the normals of the guide are opposite, at the rim they lead away.
  const std::shared_ptr<const Mesh> mesh = sheet();
  Array3 guide(mesh->vertex_count(), 3);
  for (std::int32_t v = 0; v < mesh->vertex_count(); ++v) {
    const std::int32_t x = column_of(v) - kSide / 2;
    guide.row(v) << std::abs(x), row_of(v), x < 0 ? 0.05 : x > 0 ? -0.05 : 0;
  }
  Array3 normals(guide.rows(), 3);
  for (std::int32_t v = 0; v < mesh->vertex_count(); ++v) {
    const std::int32_t x = column_of(v) - kSide / 2;
    normals.row(v) << (x == 0 ? -1 : 0), 0, (x < 0 ? 1 : x > 0 ? -1 : 0);
  }
  // The rim is drawn in, so far that a third of that more takes it past the next row.
  Array3 balanced = guide;
  for (std::int32_t v = 0; v < mesh->vertex_count(); ++v) {
    const std::int32_t x = column_of(v) - kSide / 2;
    if (x == 0) balanced(v, 0) += 0.9;
  }
  Array3 out;
  Height(mesh, 1.3, std::vector<std::uint8_t>(std::size_t(mesh->vertex_count()), 0))
      .raise(guide, normals, balanced, out);
  const auto turned = [&](const Array3& positions) {
    int count = 0;
    for (Eigen::Index t = 0; t < mesh->triangle_count(); ++t) {
      const auto area = [&](const Array3& at) {
        const Vector3 a = at.row(mesh->faces()(t, 0));
        const Vector3 b = at.row(mesh->faces()(t, 1));
        const Vector3 c = at.row(mesh->faces()(t, 2));
        return Vector3((b - a).cross(c - a));
      };
      count += area(guide).dot(area(positions)) < 0 ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(turned(balanced), 0);
  EXPECT_EQ(turned(out), 0);
  const Array3 heights = (balanced - guide).cwiseProduct(normals).rowwise().sum().replicate(1, 3);
  EXPECT_GT(turned(balanced + 0.3 * heights.cwiseProduct(normals)), 0);
}

TEST(Height, refuses_what_does_not_fit) {
  const std::shared_ptr<const Mesh> mesh = sheet();
  const std::vector<std::uint8_t> none(std::size_t(mesh->vertex_count()), 0);
  EXPECT_THROW(Height(mesh, 1.3, std::vector<std::uint8_t>(3, 0)), InvalidArgument);
  EXPECT_THROW(Height(mesh, -0.1, none), InvalidArgument);
  EXPECT_THROW(Height(mesh, std::numeric_limits<double>::infinity(), none), InvalidArgument);
  EXPECT_EQ(Height(mesh, 1.3, none).gain(), 1.3);
}

}  // namespace
}  // namespace pucker::drape
