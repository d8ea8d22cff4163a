#include "pucker/dynamic/bend.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pucker/dynamic/path.h"
#include "pucker/dynamic/walker.h"
#include "pucker/mesh/walk.h"

namespace pucker {

namespace {

/// Walks turn by this share of what a path may turn by. With kLongest, so that a window of any place has no more than
/// the whole of it.
constexpr double kWalkShare = 0.8;
/// Of the reach: a longer straight way allows no larger turn at its end.
constexpr double kLongest = 0.5;

constexpr double kMostAside = std::numbers::pi / 4;

double angle_between(const Vector2& from, const Vector2& to) { return std::atan2(cross(from, to), from.dot(to)); }

}  // namespace

BendLimit::BendLimit(const Params& params) {
  if (params.verbatim) return;
  most_ = params.tracing.bend * std::numbers::pi / 180;
  reach_ = kReach * params.flat_width();
}

bool BendLimit::turn(const Vector2& along, double straight, Vector2& ahead) const {
  const double wanted = angle_between(ahead, along);
  const double most = kWalkShare * most_ * std::min(straight / reach_, kLongest);
  if (std::fabs(wanted) <= most) {
    ahead = along;
    return true;
  }
  if (std::fabs(wanted) - most > kMostAside) return false;
  const double by = std::copysign(most, wanted);
  ahead =
      Vector2(std::cos(by) * ahead.x() - std::sin(by) * ahead.y(), std::sin(by) * ahead.x() + std::cos(by) * ahead.y());
  return true;
}

void PathBends::measure(const CompressionField& field, const Wrinkle& wrinkle) {
  const Mesh& mesh = field.mesh;
  headings_.clear();
  middles_.clear();
  double heading = 0;
  double side = 1;  // -1 where the triangle is seen from the other side of the cloth than the first
  Vector2 before = Vector2::Zero();
  visit_segments(field, wrinkle, [&](std::size_t i, const PathSegment& segment) {
    const double length = segment.length();
    const std::int32_t triangle = wrinkle.triangles[i];
    if (i > 0 && wrinkle.triangles[i - 1] != triangle) {
      const PathPoint& point = wrinkle.points[i];
      const std::int32_t last = wrinkle.triangles[i - 1];
      const int corner = mesh.edge_corner(last, point.v0, point.v1);
      before = unfold(mesh, field.frames, last, corner, triangle, before);
      const int there = mesh.edge_corner(triangle, point.v0, point.v1);
      if (mesh.faces()(triangle, there) == mesh.faces()(last, corner)) side = -side;
    }
    const Vector2 ahead = length > 0 ? Vector2((segment.b - segment.a) / length) : before;
    if (i > 0) heading += side * angle_between(before, ahead);
    before = ahead;
    headings_.push_back(heading);
    middles_.push_back(segment.arc_length + 0.5 * length);
  });
}

void PathBends::find_sharp(const BendLimit& limit, std::vector<Interval>& out) const {
  for (std::size_t j = 1; j < headings_.size(); ++j) {
    double sharpest = -1;
    std::size_t at = j;
    for (std::size_t i = j; i-- > 0;) {
      const double turn = std::fabs(headings_[i + 1] - headings_[i]);
      if (turn > sharpest) {
        sharpest = turn;
        at = i + 1;
      }
      const double way = middles_[j] - middles_[i];
      if (way > limit.reach() && i + 1 < j) break;
      const double share = way > limit.reach() ? limit.reach() / way : 1;
      if (!(share * std::fabs(headings_[j] - headings_[i]) > limit.most())) continue;
      out.push_back({double(at), double(at)});
      break;
    }
  }
}

}  // namespace pucker
