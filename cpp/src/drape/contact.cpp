#include "pucker/drape/contact.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "pucker/drape/multilevel.h"
#include "pucker/errors.h"
#include "pucker/mesh/border.h"
#include "pucker/mesh/edge_ways.h"
#include "pucker/mesh/frames.h"
#include "pucker/threads.h"
#include "solid.h"

namespace pucker::drape {

namespace {

/// Vertices that a thread takes at a time.
constexpr std::size_t kAsked = 128;

/// Whether it has come into the body by an opening and not through the surface: deeper than the place is from one.
bool by_opening(const Touch& at) { return at.distance < 0 && at.length > at.from_border; }

}  // namespace

Contact::Contact(std::shared_ptr<const Body> body, const Levels& levels, const ConstArray3& cut, double clearance,
                 double reach, std::span<const double> beneath)
    : body_(std::move(body)), clearance_(clearance), reach_(reach) {
  require_positions(*levels.coarse(), cut);
  require(std::isfinite(clearance) && clearance >= 0, "clearance must be finite and at least 0, got ", clearance);
  require(std::isfinite(reach) && reach >= 0, "reach must be finite and at least 0, got ", reach);
  const Array3& rest = body_->cut();
  const std::vector<std::int32_t> solid = solid_triangles(body_->faces(), rest);
  Index3 triangles = body_->faces()(solid, Eigen::all);
  solid_ = std::make_shared<Mesh>(triangles, rest.rows());
  tree_ = TriangleTree(std::move(triangles), rest);
  from_border_ = EdgeWays::in(*solid_, rest).from(border_vertices(*solid_));
  faces_.resize(solid_->triangle_count(), 3);
  edges_.resize(solid_->edge_count(), 3);
  corners_.resize(rest.rows(), 3);
  pose(rest);

  Array3 coarse;
  multiply(levels.whole().barycentrics(), cut, coarse);
  require(beneath.empty() || beneath.size() == std::size_t(coarse.rows()), "beneath must have ", coarse.rows(),
          " entries, got ", beneath.size());
  cut_room_.assign(std::size_t(coarse.rows()), clearance);
  for (std::size_t v = 0; v < beneath.size(); ++v) cut_room_[v] += beneath[v];
  if (!beneath.empty()) clearance_ += *std::ranges::max_element(beneath);
  cut_depth_.assign(cut_room_.size(), 0);
  const double farthest = clearance_ + (rest.colwise().maxCoeff() - rest.colwise().minCoeff()).maxCoeff();
  Touch at{};
  for (Eigen::Index v = 0; v < coarse.rows(); ++v) {
    const auto i = std::size_t(v);
    const Vector3 point = coarse.row(v).transpose();
    const bool located = locate(point, farthest, kNone, at);
    if (located) cut_depth_[i] = std::min(0.0, at.distance);
    if (located && !by_opening(at)) {
      cut_room_[i] = std::min(cut_room_[i], at.distance);
      inside_ += at.distance < 0;
    } else if (at.triangle != kNone && (point - at.place).dot(faces_.row(at.triangle)) < 0) {
      // Behind a border, as trousers below a belt, it may come to lie in the body.
      cut_room_[i] = std::min(cut_room_[i], -at.length);
      inside_ += at.length <= kDeepest * reach_;
    }
  }
  room_ = cut_room_;
  touched_.resize(room_.size());

  fine_ = levels.whole().fine();
  order_ = order_in_groups(coarse, NearTriangles::kPoints);
  lists_.resize((order_.size() + NearTriangles::kPoints - 1) / NearTriangles::kPoints);
  // Vertices of coarser meshes come first.
  seeds_ = std::int32_t(levels.vertex_count(std::max(0, levels.count() - 2)));
  guide_depth_.assign(room_.size(), 0);
  cosines_.assign(room_.size(), 0);
  region_.reserve(room_.size());
}

double Contact::cut_inside() const { return cut_room_.empty() ? 0 : double(inside_) / double(cut_room_.size()); }

void Contact::step(std::int64_t frame) { step(body_->positions(frame)); }

void Contact::step(const ConstArray3& positions) {
  pose(positions);
  room_ = cut_room_;
  guided_ = false;
  for (Touched& each : touched_) each.clear = 0;
}

void Contact::set_guide(const ConstArray3& guide, const ConstArray3& normals) {
  require(std::size_t(guide.rows()) == room_.size(), "positions must have ", room_.size(), " rows, got ", guide.rows());
  require(normals.rows() == guide.rows(), "normals must have ", guide.rows(), " rows, got ", normals.rows());
  guide_ = guide;
  guided_ = true;
  for_groups([&](Group group) { keep_to_guide(group, guide); });
  asked_.assign(room_.size(), Asked::not_yet);
  // Whether a vertex is deeper in the body than it was cut.
  const auto look = [&](std::int32_t v) {
    const auto i = std::size_t(v);
    asked_[i] = Asked::no;
    Touch at{};
    if (!locate(guide.row(v).transpose(), kDeepest * reach_, touched_[i].triangle, at)) return;
    touched_[i].triangle = at.triangle;
    guide_depth_[i] = at.distance;
    cosines_[i] = normals.row(v).dot(at.normal.transpose());
    if (at.distance < cut_depth_[i]) asked_[i] = Asked::yes;
  };
  parallel_blocks(std::size_t(seeds_), kAsked, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) look(std::int32_t(v));
  });
  // The same, if it is in no region yet.
  const auto deeper = [&](std::int32_t v) {
    Asked& asked = asked_[std::size_t(v)];
    if (asked == Asked::not_yet) look(v);
    return std::exchange(asked, Asked::no) == Asked::yes;
  };
  for (std::int32_t first = 0; first < seeds_; ++first) {
    if (!deeper(first)) continue;
    region_.assign(1, first);
    double depth = 0;
    double cosines = 0;
    for (std::size_t k = 0; k < region_.size(); ++k) {
      const auto i = std::size_t(region_[k]);
      depth = std::max(depth, cut_depth_[i] - guide_depth_[i]);
      cosines += cosines_[i];
      for (const std::int32_t triangle : fine_->ring(region_[k]))
        for (const std::int32_t next : fine_->faces().row(triangle))
          if (deeper(next)) region_.push_back(next);
    }
    const auto ramp = [](double x, double from, double to) { return std::clamp((x - from) / (to - from), 0.0, 1.0); };
    const double share = ramp(depth, reach_ / 4, reach_ / 2) * ramp(cosines / double(region_.size()), kUnder, kThrough);
    if (share == 0) continue;
    for (const std::int32_t v : region_) {
      const auto i = std::size_t(v);
      room_[i] += share * (guide_depth_[i] - room_[i]);
    }
  }
}

void Contact::keep_to_guide(Group group, const ConstArray3& guide) {
  NearTriangles::Points points(facets_, tree_);
  std::array<std::size_t, NearTriangles::kPoints> asked{};
  for (std::size_t k = group.begin; k < group.end; ++k) {
    const auto i = std::size_t(order_[k]);
    if (!(cut_room_[i] < 0)) continue;
    asked[points.size()] = i;
    // Most of it is far inside, which is soon known.
    points.add(guide.row(order_[k]).transpose(), reach_, touched_[i].triangle);
  }
  if (points.size() == 0) return;
  NearTriangles::List list;
  points.look_around(0, list);
  Touch at{};
  for (std::size_t k = 0; k < points.size(); ++k) {
    const std::size_t i = asked[k];
    Touched& last = touched_[i];
    const NearestPoint nearest = points.nearest(k, list);
    if (nearest.triangle != kNone) last.triangle = nearest.triangle;
    if (locate(guide.row(Eigen::Index(i)).transpose(), nearest, at) && !by_opening(at))
      room_[i] = std::max(cut_room_[i], std::min(0.0, at.distance));
  }
}

void Contact::pose(const ConstArray3& positions) {
  tree_.refit(positions);
  facets_.refit(tree_);
  edges_.setZero();
  corners_.setZero();
  const Index3& triangles = solid_->faces();
  for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
    const std::array<Vector3, 3> at = {positions.row(triangles(t, 0)), positions.row(triangles(t, 1)),
                                       positions.row(triangles(t, 2))};
    const Vector3 normal = (at[1] - at[0]).cross(at[2] - at[0]).stableNormalized();
    faces_.row(t) = normal;
    for (int k = 0; k < 3; ++k) {
      const Vector3 u = at[std::size_t((k + 1) % 3)] - at[std::size_t(k)];
      const Vector3 v = at[std::size_t((k + 2) % 3)] - at[std::size_t(k)];
      corners_.row(triangles(t, k)) += std::atan2(u.cross(v).norm(), u.dot(v)) * normal;
      if (!solid_->degenerate(std::int32_t(t))) edges_.row(solid_->triangle_edges()(t, k)) += normal;
    }
  }
}

bool Contact::find(const Vector3& point, double within, std::int32_t guess, Touch& out) const {
  return locate(point, within, guess, out) && !by_opening(out);
}

bool Contact::locate(const Vector3& point, double within, std::int32_t guess, Touch& out) const {
  return locate(point, tree_.nearest(point, within, guess), out);
}

bool Contact::locate(const Vector3& point, const NearestPoint& nearest, Touch& out) const {
  out.triangle = nearest.triangle;
  out.length = std::sqrt(nearest.square);
  out.place = nearest.place;
  if (nearest.triangle < 0) return false;
  const std::int32_t t = nearest.triangle;
  if (solid_->degenerate(t)) return false;
  int zeros = 0;
  int zero = 0;
  int own = 0;
  for (int k = 0; k < 3; ++k) {
    if (nearest.barycentrics[k] == 0) {
      ++zeros;
      zero = k;
    } else {
      own = k;
    }
  }
  Vector3 normal = faces_.row(t);
  const Index3& triangles = solid_->faces();
  if (zeros == 2) {
    const std::int32_t corner = triangles(t, own);
    if (from_border_[std::size_t(corner)] == 0) return false;
    normal = corners_.row(corner);
  } else if (zeros == 1) {
    // Edge k leads from corner k to the next one, and lies opposite the one behind that.
    const std::int32_t edge = solid_->triangle_edges()(t, (zero + 1) % 3);
    if (solid_->edge_triangles(edge)[1] == kNone) return false;
    normal = edges_.row(edge);
  }
  const Vector3 away = point - nearest.place;
  const double side = away.dot(normal) < 0 ? -1 : 1;
  out.from_border = 0;
  for (int k = 0; k < 3; ++k)
    if (nearest.barycentrics[k] > 0)
      out.from_border += nearest.barycentrics[k] * from_border_[std::size_t(triangles(t, k))];
  out.distance = side * out.length;
  // So near, rounding would decide the direction.
  constexpr double near = 1e-9;
  out.normal =
      out.length > near * (clearance_ + reach_) ? Vector3(side / out.length * away) : normal.stableNormalized();
  return !out.normal.isZero(0);
}

RayHit Contact::entered(std::size_t v, const Vector3& point) const {
  const Vector3 from = guide_.row(Eigen::Index(v));
  const double length = (point - from).norm();
  return length > rounding() ? tree_.first_entered(from, (point - from) / length, length) : RayHit{};
}

bool Contact::is_with_guide(std::size_t v, const Vector3& point, const Touch& at) const {
  if (!guided_ || cut_room_[v] < 0 || at.distance >= 0 || entered(v, point).triangle != kNone) return false;
  Touch of_guide{};
  const Vector3 guide = guide_.row(Eigen::Index(v));
  return locate(guide, kDeepest * reach_, at.triangle, of_guide) && of_guide.distance >= 0;
}

bool Contact::keeps_out(std::size_t v, const Vector3& point, const NearestPoint& nearest, Touch& out) const {
  if (locate(point, nearest, out) && !by_opening(out)) return !is_with_guide(v, point, out);
  // What was cut in the body, or behind it, has its guide there as well; and in front of what is nearest, it is
  // outside.
  if (!guided_ || cut_room_[v] < 0) return false;
  if (nearest.triangle != kNone && (point - nearest.place).dot(faces_.row(nearest.triangle)) >= 0) return false;
  const RayHit hit = entered(v, point);
  if (hit.triangle == kNone) return false;
  const Vector3 from = guide_.row(Eigen::Index(v));
  out.place = from + hit.distance * (point - from).normalized();
  out.normal = faces_.row(hit.triangle);
  out.distance = (point - out.place).dot(out.normal);
  out.length = -out.distance;
  return true;
}

double Contact::rounding() const { return 1e-12 * (clearance_ + reach_); }

double Contact::within(std::size_t v) const {
  // Outside only the clearance matters, inside what is deeper by the reach than it was cut.
  return std::max(clearance_, reach_ - std::min(0.0, room_[v]));
}

template <class Visit>
void Contact::for_groups(const Visit& visit) const {
  parallel_blocks(order_.size(), kAsked, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; k += NearTriangles::kPoints)
      visit(Group{k, std::min(end, k + NearTriangles::kPoints)});
  });
}

void Contact::touch(const Array3& x, std::span<const std::uint8_t> pinned, Array3& places, Array3& normals,
                    std::span<std::uint8_t> near) {
  require(std::size_t(x.rows()) == room_.size(), "positions must have ", room_.size(), " rows, got ", x.rows());
  for_groups([&](Group group) { touch(group, x, pinned, places, normals, near); });
}

void Contact::touch(Group group, const Array3& x, std::span<const std::uint8_t> pinned, Array3& places, Array3& normals,
                    std::span<std::uint8_t> near) {
  NearTriangles::List& list = lists_[group.number()];
  Vector3 middle = Vector3::Zero();
  double around = -std::numeric_limits<double>::infinity();
  // Most of a garment may be far from what is solid, and is so in the next frame: one question for all says so.
  if (list.count == 0) {
    Eigen::AlignedBox3d box;
    double farthest = 0;
    for (std::size_t k = group.begin; k < group.end; ++k) {
      box.extend(x.row(order_[k]).transpose());
      farthest = std::max(farthest, within(std::size_t(order_[k])));
    }
    middle = box.center();
    const double wide = box.diagonal().norm() / 2 + 2 * farthest;
    const NearestPoint nearest = tree_.nearest(middle, wide, touched_[std::size_t(order_[group.begin])].triangle);
    around = nearest.triangle == kNone ? wide : std::sqrt(nearest.square);
  }
  list.clear();
  NearTriangles::Points points(facets_, tree_);
  std::array<std::size_t, NearTriangles::kPoints> asked{};
  // A little farther than matters, so that it is known of vertices that move a little, too.
  const auto beyond = [this](std::size_t i) { return within(i) + reach_ / 4; };
  for (std::size_t k = group.begin; k < group.end; ++k) {
    const auto i = std::size_t(order_[k]);
    near[i] = 0;
    if (!pinned.empty() && pinned[i] != 0) continue;
    Touched& last = touched_[i];
    last.point = x.row(order_[k]);
    last.clear = around - (last.point - middle).norm();
    if (last.clear > within(i) + rounding()) continue;
    asked[points.size()] = i;
    points.add(last.point, beyond(i), last.triangle);
  }
  if (points.size() == 0) return;
  points.look_around(reach_ / 8, list);
  Touch at{};
  for (std::size_t k = 0; k < points.size(); ++k) {
    const std::size_t i = asked[k];
    Touched& last = touched_[i];
    const NearestPoint nearest = points.nearest(k, list);
    if (nearest.triangle != kNone) last.triangle = nearest.triangle;
    last.clear = nearest.triangle == kNone ? beyond(i) : std::sqrt(nearest.square);
    if (!keeps_out(i, last.point, nearest, at) || at.length > within(i)) continue;
    places.row(Eigen::Index(i)) = at.place;
    normals.row(Eigen::Index(i)) = at.normal;
    near[i] = 1;
  }
}

std::vector<double> Contact::distances(const ConstArray3& x) const {
  require(std::size_t(x.rows()) == room_.size(), "positions must have ", room_.size(), " rows, got ", x.rows());
  std::vector<double> out(room_.size(), std::numeric_limits<double>::infinity());
  Touch at{};
  for (Eigen::Index v = 0; v < x.rows(); ++v) {
    const auto i = std::size_t(v);
    if (find(x.row(v).transpose(), within(i), touched_[i].triangle, at)) out[i] = at.distance;
  }
  return out;
}

std::int64_t Contact::lift(Array3& x, std::span<const std::uint8_t> pinned) {
  require(std::size_t(x.rows()) == room_.size(), "positions must have ", room_.size(), " rows, got ", x.rows());
  std::atomic<std::int64_t> lifted = 0;
  for_groups([&](Group group) { lifted += lift(group, x, pinned); });
  return lifted;
}

std::int64_t Contact::lift(Group group, Array3& x, std::span<const std::uint8_t> pinned) {
  struct Lifted {
    std::int32_t vertex;
    Eigen::RowVector3d best;
    double least = std::numeric_limits<double>::infinity();
  };
  std::array<Lifted, NearTriangles::kPoints> left;
  std::size_t count = 0;
  for (std::size_t k = group.begin; k < group.end; ++k) {
    const std::int32_t v = order_[k];
    const auto i = std::size_t(v);
    if (!pinned.empty() && pinned[i] != 0) continue;
    // The distance changes by no more than the point moves. Nothing such holds for the side: bodies have openings, and
    // parts that go through each other.
    const Touched& last = touched_[i];
    if (last.clear - (x.row(v).transpose() - last.point).norm() > within(i) + rounding()) continue;
    left[count++] = {.vertex = v, .best = x.row(v)};
  }
  // Out of one finger it may come into the next one. Where two are so close that there is no room between them, half
  // steps lead to the middle, and the best place is kept.
  constexpr int most = 24;
  constexpr int whole_steps = 4;
  const NearTriangles::List& list = lists_[group.number()];
  std::int64_t lifted = 0;
  Touch at{};
  for (int round = 0; count > 0; ++round) {
    NearTriangles::Points points(facets_, tree_);
    for (std::size_t k = 0; k < count; ++k) {
      const auto i = std::size_t(left[k].vertex);
      points.add(x.row(left[k].vertex).transpose(), within(i), touched_[i].triangle);
    }
    points.look(list);
    const std::size_t asked = std::exchange(count, 0);
    for (std::size_t k = 0; k < asked; ++k) {
      Lifted each = left[k];
      const auto i = std::size_t(each.vertex);
      if (round == 0 && points.in_front(k, room_[i], list)) continue;
      auto place = x.row(each.vertex);
      const bool found = keeps_out(i, place.transpose(), points.nearest(k, list), at);
      if (at.triangle != kNone) touched_[i].triangle = at.triangle;
      const double missing = found ? room_[i] - at.distance : 0;
      if (missing < each.least) {
        each.least = missing;
        each.best = place;
      }
      if (missing > rounding() && round + 1 < most) {
        lifted += round == 0 ? 1 : 0;
        place += (round < whole_steps ? 1 : 0.5) * missing * at.normal;
        left[count++] = each;
      } else {
        place = each.best;
      }
    }
  }
  return lifted;
}

}  // namespace pucker::drape
