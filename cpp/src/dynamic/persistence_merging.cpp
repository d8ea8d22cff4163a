// Of paths that meet, the younger is cut.
#include <algorithm>
#include <iterator>
#include <utility>

#include "persistence_terms.h"
#include "pucker/dynamic/path.h"
#include "pucker/dynamic/persistence.h"

namespace pucker {

namespace {

/// Two paths are merged when they come closer than this share of the merge distance, and are then cut back to the
/// second share; walks keep the whole. The steps between make sure that what was cut stays as it is at rest.
constexpr double kMergeShare = 0.5;
constexpr double kCutBackShare = 0.75;

}  // namespace

void PathCutter::cut(const Mesh& mesh, const Wrinkle& wrinkle, const std::vector<double>& lengths, double from,
                     double to, Wrinkle& out) {
  out.id = wrinkle.id;
  out.age = wrinkle.age;
  out.alive = wrinkle.alive;
  out.points.clear();
  out.triangles.clear();
  sources_.clear();
  // A cut so close to a point of the path that both lie on its edge is made at the point.
  const auto inside = [&](std::size_t i, double u, const PathPoint& neighbour) {
    const std::int32_t triangle = wrinkle.triangles[i];
    const Vector3 barycentrics = (1 - u) * barycentric(mesh, wrinkle.points[i], triangle) +
                                 u * barycentric(mesh, wrinkle.points[i + 1], triangle);
    const PathPoint point = inner_point(mesh, triangle, barycentrics, 0);
    if (point.same_edge(neighbour)) return;
    out.points.push_back(point);
    sources_.push_back((1 - u) * lengths[i] + u * lengths[i + 1]);
  };
  const std::size_t first = std::min(std::size_t(from), wrinkle.triangles.size() - 1);
  std::size_t next = first;  // the first old point that is kept
  if (from > double(first)) {
    ++next;
    if (from < double(next)) inside(first, from - double(first), wrinkle.points[next]);
  }
  const std::size_t first_segment = out.points.empty() ? next : first;
  for (; next < wrinkle.size() && double(next) <= to; ++next) {
    out.points.push_back(wrinkle.points[next]);
    sources_.push_back(lengths[next]);
  }
  if (next < wrinkle.size() && next > 0 && to > double(next - 1))
    inside(next - 1, to - double(next - 1), out.points.empty() ? wrinkle.points[next] : out.points.back());
  for (std::size_t i = 0; i + 1 < out.points.size(); ++i) out.triangles.push_back(wrinkle.triangles[first_segment + i]);
  if (out.points.size() < 2) return;
  anchor_ends(mesh, out);
  sizes_.take(wrinkle, lengths);
  sizes_.give(sources_, out);
}

Wrinkle part_of_path(const Mesh& mesh, const Array3& positions, const Wrinkle& wrinkle, double from, double to) {
  std::vector<double> lengths;
  arc_lengths(wrinkle, positions, lengths);
  Wrinkle out;
  PathCutter().cut(mesh, wrinkle, lengths, from, to, out);
  return out;
}

void Persistence::let_sink(const Wrinkle& wrinkle, double from, double to, std::int64_t& next_id,
                           std::vector<Wrinkle>& cut_off) {
  if (!(to > from) || params_.verbatim) return;
  Wrinkle rest = pool_->take();
  cutter_.cut(*mesh_, wrinkle, arc_lengths_, from, to, rest);
  if (rest.size() < 2 || !(*std::max_element(rest.knot_heights.begin(), rest.knot_heights.end()) > 0)) {
    pool_->give(std::move(rest));
    return;
  }
  rest.id = next_id++;
  rest.alive = false;
  cut_off.push_back(std::move(rest));
}

void Persistence::cut(const CompressionField& field, double from, double to, std::int64_t& next_id, Wrinkle& wrinkle,
                      std::vector<Wrinkle>& cut_off) {
  arc_lengths(wrinkle, field.positions, arc_lengths_);
  let_sink(wrinkle, 0, from, next_id, cut_off);
  let_sink(wrinkle, to, double(wrinkle.triangles.size()), next_id, cut_off);
  cutter_.cut(*mesh_, wrinkle, arc_lengths_, from, to, kept_);
  if (kept_.size() >= 2 && path_length(kept_, field.positions) >= field.mean_width(kept_.triangles) * shortest()) {
    std::swap(wrinkle, kept_);
    return;
  }
  let_sink(wrinkle, from, to, next_id, cut_off);
  wrinkle.alive = false;
  wrinkle.points.clear();  // all of it sinks as parts; the caller drops the empty wrinkle
}

void Persistence::merge(const CompressionField& field, SegmentIndex& occupied, std::int64_t& next_id,
                        std::vector<Wrinkle>& wrinkles) {
  occupied.clear();
  cut_off_.clear();
  const double whole = params_.persistence.merge_distance * params_.least_width();
  for (Wrinkle& wrinkle : wrinkles) {
    if (!wrinkle.alive) continue;
    blocked_.clear();
    segments_.clear();
    visit_segments(field, wrinkle, [&](std::size_t i, const PathSegment& segment) {
      const double distance = field.width_at(wrinkle.triangles[i]) * whole;
      const auto test = [&](const PathSegment& other, double reach) {
        if (!comes_near(segment, other, kMergeShare * reach)) return;
        const auto wide = blocked_interval(segment, other, kCutBackShare * reach);
        if (wide) blocked_.push_back({double(i) + wide->low, double(i) + wide->high});
      };
      occupied.visit(wrinkle.triangles[i], [&](const PathSegment& other) { test(other, distance); });
      for (std::size_t j = 0; j + 1 < i; ++j) {
        if (wrinkle.triangles[j] != wrinkle.triangles[i]) continue;
        const double gap = segment.arc_length - segments_[j + 1].arc_length;
        test(segments_[j], self_distance(distance, gap));
      }
      segments_.push_back(segment);
    });
    if (bend_.is_bounded()) {
      bends_.measure(field, wrinkle);
      bends_.find_sharp(bend_, blocked_);
    }
    if (!blocked_.empty()) {
      const Interval clear = longest_clear_part(wrinkle, field.positions);
      const double end = double(wrinkle.triangles.size());
      cut(field, clear.low, clear.high, next_id, wrinkle, cut_off_);
      // Where a path turns round a vertex, it comes nearer to itself than points are kept off a vertex, which has moved
      // the ends: then it ends at the points before.
      if (wrinkle.alive && crosses_itself(field, wrinkle))
        cut(field, clear.low > 0 ? 1 : 0, double(wrinkle.triangles.size()) - (clear.high < end ? 1 : 0), next_id,
            wrinkle, cut_off_);
      if (!wrinkle.alive) continue;
    }
    insert_path(field, wrinkle, occupied);
  }
  pool_->drop(wrinkles, is_empty);
  std::move(cut_off_.begin(), cut_off_.end(), std::back_inserter(wrinkles));
}

Interval Persistence::longest_clear_part(const Wrinkle& wrinkle, const Array3& positions) {
  std::sort(blocked_.begin(), blocked_.end(), [](const Interval& a, const Interval& b) { return a.low < b.low; });
  arc_lengths(wrinkle, positions, arc_lengths_);
  const auto length_at = [&](double parameter) {
    const std::size_t i = std::min(std::size_t(parameter), wrinkle.triangles.size() - 1);
    return arc_lengths_[i] + (parameter - double(i)) * (arc_lengths_[i + 1] - arc_lengths_[i]);
  };
  Interval best{0, 0};
  double longest = 0;
  const auto consider = [&](double low, double high) {
    if (high > low && length_at(high) - length_at(low) > longest) {
      longest = length_at(high) - length_at(low);
      best = {low, high};
    }
  };
  double clear_from = 0;
  for (const Interval& interval : blocked_) {
    consider(clear_from, interval.low);
    clear_from = std::max(clear_from, interval.high);
  }
  consider(clear_from, double(wrinkle.triangles.size()));
  return best;
}

}  // namespace pucker
