#include "pucker/dynamic/tracing.h"

#include <algorithm>
#include <utility>

#include "blocks.h"
#include "pucker/dynamic/path.h"
#include "pucker/threads.h"

namespace pucker {

namespace {

/// Places beside paths that are tried in one triangle in a frame at most; in those of ordinary characters up to 27 are.
constexpr std::int32_t kMostTries = 256;

}  // namespace

Tracer::Tracer(std::shared_ptr<const Mesh> mesh, const Params& params, std::shared_ptr<WrinklePool> pool)
    : mesh_(std::move(mesh)),
      params_(params),
      seeder_(mesh_, params),
      bend_(params),
      trains_(params.tracing.seeding == Seeding::trains && !params.verbatim),
      pool_(pool ? std::move(pool) : std::make_shared<WrinklePool>()) {
  params_.validate();
}

void Tracer::seeds(const CompressionField& field, std::int64_t frame, std::vector<Seed>& out) {
  out.clear();
  seeder_.visit(field, frame, [&](const Seed& seed) {
    out.push_back(seed);
    return true;
  });
}

Trace Tracer::trace(const CompressionField& field, const Seed& seed, const SegmentIndex& occupied, std::int64_t id) {
  const bool long_enough = draft(field, seed, occupied, id);
  return {long_enough ? std::optional(draft_) : std::nullopt, draft_ends_};
}

bool Tracer::draft(const CompressionField& field, const Seed& seed, const SegmentIndex& occupied, std::int64_t id) {
  Wrinkle& wrinkle = draft_;
  passed_.forget_revisits();
  wrinkle.id = id;
  wrinkle.points.clear();
  wrinkle.triangles.clear();
  const Vector2 along = field.a_max(seed.triangle);
  wrinkle.points.push_back(inner_point(*mesh_, seed.triangle, seed.barycentrics, 0));
  Walker walker(params_, bend_, field, occupied, wrinkle, passed_);
  draft_ends_[0] = walker.walk({seed.triangle, seed.barycentrics, kNone, -along}, 0);
  std::reverse(wrinkle.points.begin(), wrinkle.points.end());
  std::reverse(wrinkle.triangles.begin(), wrinkle.triangles.end());
  // The second half covers the way from the seed as well, unless there is no room for it: a path round a sleeve meets
  // its other end where it started.
  const PathPoint start = wrinkle.points.back();
  const bool first_way = wrinkle.size() > 1;
  if (first_way) {
    wrinkle.points.pop_back();
    wrinkle.triangles.pop_back();
  }
  const std::size_t first_half = wrinkle.size();
  draft_ends_[1] = walker.walk({seed.triangle, seed.barycentrics, kNone, along}, 0);
  if (wrinkle.size() == first_half) {
    if (!first_way) return false;
    wrinkle.points.push_back(start);
    wrinkle.triangles.push_back(seed.triangle);
  }
  anchor_ends(*mesh_, wrinkle);

  const double width = field.mean_width(wrinkle.triangles);
  if (path_length(wrinkle, field.positions) < width * params_.least_length()) return false;
  straight_ = wrinkle.points;
  smooth_path(*mesh_, field.frames, wrinkle);
  if (crosses_another(field, wrinkle, occupied) || (passed_.revisited() && crosses_itself(field, wrinkle)))
    wrinkle.points = straight_;
  wrinkle.knot_widths.assign(2 * wrinkle.size() - 1, width * params_.flat_width());
  wrinkle.knot_heights.assign(2 * wrinkle.size() - 1, 0.0);
  return true;
}

bool Tracer::too_near(const CompressionField& field, const CurveIndex& curves, const Seed& seed) const {
  const Vector3& normal = field.frames.frames[std::size_t(seed.triangle)].normal;
  const double distance =
      trains_ ? kKept * seeder_.spacing(field, seed.triangle) : seeder_.distance(field, seed.triangle);
  return curves.near(field.at(seed.triangle, seed.barycentrics), normal, distance);
}

void Tracer::find_beside(const CompressionField& field, const CurveIndex& curves,
                         const std::vector<Wrinkle>& wrinkles) {
  const std::size_t blocks = (wrinkles.size() + kPathsTaken - 1) / kPathsTaken;
  if (found_.size() < blocks) found_.resize(blocks);
  parallel_blocks(wrinkles.size(), kPathsTaken, [&](std::size_t begin, std::size_t end) {
    auto& [seeds, away, ends] = found_[begin / kPathsTaken];
    seeds.clear();
    away.clear();
    ends.clear();
    for (std::size_t w = begin; w < end; ++w) {
      if (wrinkles[w].alive) seeder_.beside(field, wrinkles[w], seeds);
      ends.push_back(seeds.size());
    }
    for (const Seed& seed : seeds) away.push_back(!too_near(field, curves, seed));
  });
}

void Tracer::grow(const CompressionField& field, std::int64_t frame, std::size_t alive, SegmentIndex& occupied,
                  CurveIndex& curves, std::int64_t& next_id, std::vector<Wrinkle>& wrinkles) {
  const std::size_t old_segments = occupied.size();
  const std::size_t old_wrinkles = wrinkles.size();
  std::int64_t id = next_id;
  try {
    const auto full = [&] { return alive >= std::size_t(params_.tracing.max_wrinkles); };
    const auto start = [&](const Seed& seed) {
      if (too_near(field, curves, seed)) return;
      if (!seeder_.is_coherent(field, seed) || !draft(field, seed, occupied, id)) return;
      ++id;
      ++alive;
      insert_path(field, draft_, occupied);
      path_curve(draft_, field.positions, field.frames, curve_);
      curves.insert(curve_, std::int32_t(wrinkles.size()));
      wrinkles.push_back(pool_->take());
      wrinkles.back() = draft_;
    };
    // What is too near to a curve now is so after others have been added: threads look for that beforehand.
    const bool shared = !full() && threads_for(std::size_t(mesh_->triangle_count()) / kTrianglesTaken) > 1;
    const std::size_t found = shared && trains_ ? old_wrinkles : 0;
    if (found > 0) find_beside(field, curves, wrinkles);
    std::size_t neighboured = 0;  // wrinkles beside which others have been started
    if (trains_) tries_.assign(std::size_t(mesh_->triangle_count()), 0);
    const auto may_try = [&](const Seed& seed) { return ++tries_[std::size_t(seed.triangle)] <= kMostTries; };
    const auto start_found = [&] {
      const auto& [seeds, away, ends] = found_[neighboured / kPathsTaken];
      const std::size_t place = neighboured % kPathsTaken;
      for (std::size_t i = place > 0 ? ends[place - 1] : 0; i < ends[place] && !full(); ++i)
        if (may_try(seeds[i]) && away[i]) start(seeds[i]);
    };
    const auto start_beside = [&] {
      beside_.clear();
      seeder_.beside(field, wrinkles[neighboured], beside_);
      for (std::size_t i = 0; i < beside_.size() && !full(); ++i)
        if (may_try(beside_[i])) start(beside_[i]);
    };
    const auto start_trains = [&] {
      for (; trains_ && neighboured < wrinkles.size() && !full(); ++neighboured)
        if (neighboured < found)
          start_found();
        else if (wrinkles[neighboured].alive)
          start_beside();
    };
    start_trains();
    const auto visit = [&](const Seed& seed) {
      if (full()) return false;
      start(seed);
      start_trains();
      return true;
    };
    if (shared && !full()) {
      seeder_.visit_kept(
          field, frame, [&](const Seed& seed) { return !too_near(field, curves, seed); }, visit);
    } else {
      seeder_.visit(field, frame, visit);
    }
  } catch (...) {
    occupied.shorten(old_segments);
    wrinkles.resize(old_wrinkles);
    throw;
  }
  next_id = id;
}

double Tracer::extend(const CompressionField& field, const SegmentIndex& occupied, double length, Wrinkle& wrinkle) {
  const PathPoint end = wrinkle.points.back();
  const std::int32_t last = wrinkle.triangles.back();
  const std::size_t size = wrinkle.size();

  SurfacePoint point{last, barycentric(*mesh_, end, last), kNone, Vector2::Zero()};
  const Vector3 from = barycentric(*mesh_, wrinkle.points[size - 2], last);
  const PathSegment segment = make_segment(field.frames, last, from, point.barycentrics, wrinkle.id, 0);
  if (!(segment.length() > 0) || !field.compressed(last, params_.end_threshold())) return 0;
  point.direction = (segment.b - segment.a).normalized();
  Walker walker(params_, bend_, field, occupied, wrinkle, passed_, length);
  if (end.on_edge()) {
    const int corner = mesh_->edge_corner(last, end.v0, end.v1);
    EdgeCrossing crossing;
    WalkEnd stop;
    if (params_.tracing.bridge > 0) passed_.reset(std::size_t(mesh_->triangle_count()), wrinkle.triangles);
    if (!walker.go_over(point, corner, segment.length(), crossing, stop)) return 0;
  } else {
    wrinkle.points.pop_back();
    wrinkle.triangles.pop_back();
  }
  walker.walk(point, end.on_edge() ? 0 : segment.length());
  const auto added_length = [&] {
    Vector3 previous = position(wrinkle.points[size - 2], field.positions);
    double out = -(position(end, field.positions) - previous).norm();
    for (std::size_t i = size - 1; i < wrinkle.size(); ++i) {
      const Vector3 next = position(wrinkle.points[i], field.positions);
      out += (next - previous).norm();
      previous = next;
    }
    return out;
  };
  const bool grown = wrinkle.size() >= size && wrinkle.points.back() != end;
  if (grown) anchor_ends(*mesh_, wrinkle);
  const double added = grown ? added_length() : 0;
  if (added >= kLeastStep * params_.least_width()) return added;
  wrinkle.points.resize(end.on_edge() ? size : size - 1);
  wrinkle.triangles.resize(wrinkle.points.size() - 1);
  if (!end.on_edge()) {
    wrinkle.points.push_back(end);
    wrinkle.triangles.push_back(last);
  }
  return 0;
}

}  // namespace pucker
