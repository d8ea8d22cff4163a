// Solved paths put back onto the mesh, also where they pass vertices (Gillette 2015, section 5.2.1).
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "pucker/dynamic/path.h"
#include "pucker/dynamic/persistence.h"

namespace pucker {

namespace {

/// The vertex beyond which a point with parameter `t` has slid, or kNone.
std::int32_t passed_vertex(const PathPoint& p, double t) {
  if (t > 1 - kVertexMargin) return p.v0;
  if (t < kVertexMargin) return p.v1;
  return kNone;
}

}  // namespace

void Persistence::Route::clear() {
  points.clear();
  triangles.clear();
  sources.clear();
  onward = kNone;
}

void Persistence::Route::append(const PathPoint& point, double source, std::int32_t next_triangle) {
  if (!points.empty()) triangles.push_back(onward);
  points.push_back(point);
  sources.push_back(source);
  onward = next_triangle;
}

void Persistence::Route::shorten(std::size_t size, std::int32_t next_triangle) {
  points.resize(size);
  sources.resize(size);
  triangles.resize(size > 0 ? size - 1 : 0);
  onward = next_triangle;
}

void Persistence::Route::remove_excursions() {
  const auto erase = [](auto& list, std::size_t first, std::size_t count) {
    list.erase(list.begin() + std::ptrdiff_t(first), list.begin() + std::ptrdiff_t(first + count));
  };
  for (std::size_t i = 0; i + 1 < points.size();) {
    if (!points[i].same_edge(points[i + 1])) {
      ++i;
      continue;
    }
    const bool at_start = i == 0;
    const bool at_end = i + 2 == points.size();
    if (at_start || at_end) {
      erase(points, at_start ? 0 : i + 1, 1);
      erase(sources, at_start ? 0 : i + 1, 1);
      erase(triangles, i, 1);
    } else if (triangles[i - 1] == triangles[i + 1]) {
      erase(points, i, 2);
      erase(sources, i, 2);
      erase(triangles, i, 2);
    } else {
      erase(points, i + 1, 1);
      erase(sources, i + 1, 1);
      erase(triangles, i, 1);
    }
    i = i > 0 ? i - 1 : 0;
  }
}

void Persistence::find_clusters(const Wrinkle& wrinkle, const std::vector<double>& t) {
  clusters_.clear();
  auto group = groups_.begin();
  for (std::size_t i = 0; i < wrinkle.size(); ++i) {
    if (group != groups_.end() && i > group->last) ++group;
    if (group != groups_.end() && i == group->first) {
      const std::size_t leader = (group->first + group->last) / 2;
      if (t[leader] != wrinkle.points[leader].t) clusters_.push_back(*group);
      i = group->last;
      continue;
    }
    const std::int32_t vertex = passed_vertex(wrinkle.points[i], t[i]);
    if (vertex == kNone || t[i] == wrinkle.points[i].t) continue;
    if (!clusters_.empty() && clusters_.back().last + 1 == i && clusters_.back().vertex == vertex) {
      clusters_.back().last = i;
    } else {
      clusters_.push_back({i, i, vertex});
    }
  }
}

void Persistence::draw_outline(const Wrinkle& wrinkle, const std::vector<double>& t, const Cluster& cluster) {
  const auto place = [&](std::size_t i, double parameter) {
    PathPoint p = wrinkle.points[i];
    p.t = parameter;
    const std::int32_t triangle = wrinkle.triangles[i > 0 ? i - 1 : 0];
    return umbrella_.place(*mesh_, *umbrella_.index_of(triangle), barycentric(*mesh_, p, triangle));
  };
  // Points that stand near one vertex take the displacement of the one that entered the solve.
  Vector2 shift = Vector2::Zero();
  for (std::size_t i = cluster.first; i <= cluster.last; ++i)
    if (t[i] != wrinkle.points[i].t) shift = place(i, t[i]) - place(i, wrinkle.points[i].t);
  for (std::size_t i = cluster.first; i <= cluster.last; ++i) {
    const bool own = t[i] != wrinkle.points[i].t;
    outline_.push_back(own ? place(i, t[i]) : Vector2(place(i, t[i]) + shift));
    outline_sources_.push_back(arc_lengths_[i]);
  }
}

bool Persistence::pass_vertex(const Motion& motion, const Wrinkle& wrinkle, const std::vector<double>& t,
                              const Cluster& cluster) {
  const bool has_before = !route_.points.empty();
  const bool has_after = cluster.last + 1 < wrinkle.size();
  const std::int32_t triangle_in = has_before ? route_.onward : wrinkle.triangles.front();
  const std::int32_t triangle_out = has_after ? wrinkle.triangles[cluster.last] : wrinkle.triangles.back();
  if (mesh_->corner(triangle_in, cluster.vertex) == kNone) return false;
  umbrella_.unfold(*mesh_, motion.field.frames, cluster.vertex, triangle_in);
  for (std::size_t i = cluster.first > 0 ? cluster.first - 1 : 0;
       i < std::min(cluster.last + 1, wrinkle.triangles.size()); ++i)
    if (!umbrella_.index_of(wrinkle.triangles[i])) return false;

  const auto sectors_of = [&](const PathPoint& p, std::int32_t triangle) -> Sectors {
    const std::size_t k = *umbrella_.index_of(triangle);
    if (p.on_edge() && (p.v0 == cluster.vertex || p.v1 == cluster.vertex))
      if (const auto spoke = umbrella_.spoke_to(p.v0 == cluster.vertex ? p.v1 : p.v0))
        return umbrella_.beside_spoke(*spoke);
    return {k, k};
  };
  const auto place = [&](const PathPoint& p, std::int32_t triangle) {
    return umbrella_.place(*mesh_, *umbrella_.index_of(triangle), barycentric(*mesh_, p, triangle));
  };
  const auto land = [&](const Vector2& point) {
    const std::size_t k = umbrella_.sector(point);
    return std::pair(k, umbrella_.barycentrics(*mesh_, k, point));
  };

  outline_.clear();
  outline_sources_.clear();
  Sectors from{};
  Sectors to{};
  if (has_before) {
    outline_.push_back(place(route_.points.back(), triangle_in));
    outline_sources_.push_back(route_.sources.back());
    from = sectors_of(route_.points.back(), triangle_in);
  }
  draw_outline(wrinkle, t, cluster);
  // An end that slides past the vertex lands inside the fan; one that would leave the fan stays on its rim.
  if (!has_before) {
    const auto [k, barycentrics] = land(outline_.front());
    outline_.front() = umbrella_.place(*mesh_, k, barycentrics);
    from = {k, k};
    route_.append(inner_point(*mesh_, umbrella_.triangle(k), barycentrics, 0), arc_lengths_[cluster.first], kNone);
  }
  std::optional<PathPoint> last;
  if (has_after) {
    PathPoint after = wrinkle.points[cluster.last + 1];
    if (t[cluster.last + 1] != after.t) after.t = off_the_vertices(t[cluster.last + 1]);
    outline_.push_back(place(after, triangle_out));
    outline_sources_.push_back(arc_lengths_[cluster.last + 1]);
    to = sectors_of(after, triangle_out);
  } else if (has_before || cluster.last > cluster.first) {
    const auto [k, barycentrics] = land(outline_.back());
    outline_.back() = umbrella_.place(*mesh_, k, barycentrics);
    to = {k, k};
    last = inner_point(*mesh_, umbrella_.triangle(k), barycentrics, 0);
  } else {
    return false;
  }
  if (outline_.size() < 2 || !umbrella_.follow(outline_, from, to, crossings_)) return false;

  route_.onward = umbrella_.triangle(crossings_.first_sector);
  for (const SpokeCrossings::Crossing& crossing : crossings_.crossings) {
    PathPoint p;
    p.v0 = cluster.vertex;
    p.v1 = umbrella_.spoke_vertex(crossing.spoke);
    p.t = off_the_vertices(1 - crossing.share);
    if (p.v0 > p.v1) {
      std::swap(p.v0, p.v1);
      p.t = 1 - p.t;
    }
    const std::size_t segment = std::min(std::size_t(crossing.along), outline_.size() - 2);
    const double source =
        std::lerp(outline_sources_[segment], outline_sources_[segment + 1], crossing.along - double(segment));
    route_.append(p, source, umbrella_.triangle(crossing.sector));
  }
  if (last) route_.append(*last, arc_lengths_[cluster.last], kNone);
  return true;
}

void Persistence::match_edges(const Wrinkle& wrinkle) {
  double low = 0;
  std::size_t unmatched = 0;  // first point since the last match
  std::size_t free_from = 0;  // old points before it are matched or passed
  const auto settle = [&](std::size_t end, double high) {
    for (; unmatched < end; ++unmatched)
      low = route_.sources[unmatched] = std::clamp(route_.sources[unmatched], low, high);
  };
  for (std::size_t i = 0; i < route_.points.size(); ++i) {
    std::size_t nearest = wrinkle.size();
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t j = free_from; j < wrinkle.size(); ++j) {
      const double gap = std::fabs(arc_lengths_[j] - route_.sources[i]);
      if (arc_lengths_[j] > route_.sources[i] && gap > least) break;
      if (gap >= least || !route_.points[i].same_edge(wrinkle.points[j])) continue;
      least = gap;
      nearest = j;
    }
    if (nearest == wrinkle.size()) continue;
    settle(i, arc_lengths_[nearest]);
    low = route_.sources[i] = arc_lengths_[nearest];
    unmatched = i + 1;
    free_from = nearest + 1;
  }
  settle(route_.points.size(), arc_lengths_.back());
}

void Persistence::take_route(Wrinkle& wrinkle) {
  route_.remove_excursions();
  if (route_.points.size() < 2) return;  // the path has folded up; it stays where it was and is trimmed away
  match_edges(wrinkle);
  sizes_.take(wrinkle, arc_lengths_);
  wrinkle.points.assign(route_.points.begin(), route_.points.end());
  wrinkle.triangles.assign(route_.triangles.begin(), route_.triangles.end());
  anchor_ends(*mesh_, wrinkle);
  sizes_.give(route_.sources, wrinkle);
}

void Persistence::move_on_edges(const Motion& motion, Wrinkle& wrinkle) {
  solve(motion, wrinkle, t_);
  find_clusters(wrinkle, t_);
  if (clusters_.empty()) {
    for (std::size_t i = 0; i < wrinkle.size(); ++i) wrinkle.points[i].t = t_[i];
    return;
  }
  arc_lengths(wrinkle, motion.previous_positions, arc_lengths_);
  route_.clear();
  const auto keep = [&](std::size_t first, std::size_t end, bool moved) {
    for (std::size_t i = first; i < end; ++i) {
      PathPoint p = wrinkle.points[i];
      if (moved && t_[i] != p.t) p.t = off_the_vertices(t_[i]);
      route_.append(p, arc_lengths_[i], i + 1 < wrinkle.size() ? wrinkle.triangles[i] : kNone);
    }
  };
  std::size_t next = 0;
  for (const Cluster& cluster : clusters_) {
    keep(next, cluster.first, true);
    const std::size_t size = route_.points.size();
    const std::int32_t onward = route_.onward;
    if (!pass_vertex(motion, wrinkle, t_, cluster)) {
      // The moved path cannot be drawn round this vertex (its fan ends there, or has no area): the points stay.
      route_.shorten(size, onward);
      keep(cluster.first, cluster.last + 1, false);
    }
    next = cluster.last + 1;
  }
  keep(next, wrinkle.size(), true);
  take_route(wrinkle);
}

}  // namespace pucker
