#include "pucker/dynamic/persistence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "persistence_terms.h"
#include "pucker/errors.h"

namespace pucker {

namespace {

/// Two paths are merged when they come closer than this share of the merge distance, and are then cut back to the
/// second share; walks keep the whole. The steps between make sure that what was cut stays as it is at rest.
constexpr double kMergeShare = 0.5;
constexpr double kCutBackShare = 0.75;

bool near_vertex(const PathPoint& p, std::int32_t vertex, double fraction) {
  return p.on_edge() && ((p.v0 == vertex && p.t > 1 - fraction) || (p.v1 == vertex && p.t < fraction));
}

/// The vertex beyond which a point with parameter `t` has slid, or kNone.
std::int32_t passed_vertex(const PathPoint& p, double t) {
  if (t > 1 - kVertexMargin) return p.v0;
  if (t < kVertexMargin) return p.v1;
  return kNone;
}

/// All of it sinks as parts of its own.
bool is_empty(const Wrinkle& wrinkle) { return wrinkle.points.empty(); }

/// How far a point moves when t grows by 1.
Vector3 slide(const PathPoint& p, const Array3& positions) {
  return (1 - p.depth) * (positions.row(p.v0) - positions.row(p.v1)).transpose();
}

}  // namespace

void solve_banded(std::size_t bandwidth, std::vector<double>& bands, std::vector<double>& x) {
  const std::size_t n = x.size();
  const std::size_t width = bandwidth + 1;
  // LDLᵀ, the entries of L taking the places of those of the matrix.
  for (std::size_t i = 0; i < n; ++i) {
    double* row = &bands[i * width];
    const std::size_t reach = std::min(bandwidth, n - 1 - i);
    for (std::size_t j = 1; j <= reach; ++j) {
      const double factor = row[j] / row[0];
      double* other = &bands[(i + j) * width];
      for (std::size_t k = j; k <= reach; ++k) other[k - j] -= factor * row[k];
      x[i + j] -= factor * x[i];
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    const double* row = &bands[i * width];
    const std::size_t reach = std::min(bandwidth, n - 1 - i);
    for (std::size_t j = 1; j <= reach; ++j) x[i] -= row[j] * x[i + j];
    x[i] /= row[0];
  }
}

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

void PathMotion::take(const Motion& motion, const Wrinkle& wrinkle) {
  now.resize(wrinkle.size());
  then.resize(wrinkle.size());
  for (std::size_t i = 0; i < wrinkle.size(); ++i) {
    now[i] = position(wrinkle.points[i], motion.field.positions);
    then[i] = position(wrinkle.points[i], motion.previous_positions);
  }
  turns.resize(wrinkle.triangles.size());
  for (std::size_t i = 0; i < turns.size(); ++i) turns[i] = turn_in_plane(motion, wrinkle.triangles[i]);
}

Persistence::Persistence(std::shared_ptr<const Mesh> mesh, const Params& params, std::shared_ptr<WrinklePool> pool)
    : mesh_(mesh),
      params_(params),
      tracer_(std::move(mesh), params),
      pool_(pool ? std::move(pool) : std::make_shared<WrinklePool>()) {
  kept_.reserve(kUsualPoints);
}

double Persistence::alignment_weight(const Motion& motion, std::int32_t triangle) const {
  const PersistenceParams& p = params_.persistence;
  const std::size_t t = std::size_t(triangle);
  if (!motion.field.has_direction(triangle, params_.tracing.isotropy)) return 0;
  if (params_.verbatim) return p.alpha;
  const double minimum = motion.stretch.minimum[t];
  if (minimum < kDegenerate || !std::isfinite(motion.stretch.maximum[t])) return 0;
  const double a = std::fabs(1 / minimum - 1);
  const double b = std::fabs(motion.stretch.maximum[t] - 1);
  const double square = params_.label.norm == Norm::one ? (a + b) * (a + b) : a * a + b * b;
  return p.alpha * -std::expm1(-square / (2 * p.motion_sigma * p.motion_sigma)) * (motion.dt / params_.interval);
}

void Persistence::find_groups(const Wrinkle& wrinkle) {
  groups_.clear();
  const double fraction = params_.persistence.vertex_fraction;
  for (std::size_t i = 0; i + 1 < wrinkle.size(); ++i) {
    for (const std::int32_t vertex : {wrinkle.points[i].v0, wrinkle.points[i].v1}) {
      std::size_t last = i;
      while (last < wrinkle.size() && near_vertex(wrinkle.points[last], vertex, fraction)) ++last;
      if (last < i + 2) continue;
      groups_.push_back({i, last - 1, vertex});
      i = last - 1;
      break;
    }
  }
}

void Persistence::select_free_points(const Wrinkle& wrinkle) {
  find_groups(wrinkle);
  free_.clear();
  auto group = groups_.begin();
  for (std::size_t i = 0; i < wrinkle.size(); ++i) {
    if (group != groups_.end() && i > group->last) ++group;
    const bool grouped = group != groups_.end() && i >= group->first;
    if (!grouped || i == (group->first + group->last) / 2) free_.push_back(i);
  }
}

void Persistence::assemble(const Motion& motion, const Wrinkle& wrinkle) {
  const std::size_t n = free_.size();
  bands_.assign(3 * n, 0.0);
  right_side_.assign(n, 0.0);
  const auto entry = [&](std::size_t j, std::size_t k) -> double& { return bands_[3 * j + (k - j)]; };
  for (std::size_t i = 0; i < n; ++i) entry(i, i) = 1;  // the motion term Σ(t_i − t̄_i)²
  const Array3& positions = motion.field.positions;
  const double unit = params_.verbatim ? 1.0 : motion.edge_length;
  if (n < 2 || !(unit > 0)) return;
  const auto index = [&](std::size_t j) { return free_[j]; };
  path_.take(motion, wrinkle);

  for (std::size_t i = 0; i + 1 < n; ++i) {
    const std::int32_t triangle = wrinkle.triangles[free_[i]];
    const double alpha = alignment_weight(motion, triangle);
    if (alpha == 0) continue;
    const Vector3 e = motion.field.a_min_in_space(triangle) / unit;
    const PathPoint& p = wrinkle.points[free_[i]];
    const PathPoint& q = wrinkle.points[free_[i + 1]];
    const double residual = (path_.now[free_[i + 1]] - path_.now[free_[i]]).dot(e);
    const double by_p = -slide(p, positions).dot(e);
    const double by_q = slide(q, positions).dot(e);
    entry(i, i) += alpha * by_p * by_p;
    entry(i + 1, i + 1) += alpha * by_q * by_q;
    entry(i, i + 1) += alpha * by_p * by_q;
    right_side_[i] -= alpha * by_p * residual;
    right_side_[i + 1] -= alpha * by_q * residual;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const Vector3 residual = shape_residual(motion, wrinkle, path_, !params_.verbatim, i, n, index) / unit;
    // The residual moves with two or three of the t: by how much in space, with each.
    std::array<std::size_t, 3> moving{};
    std::array<Vector3, 3> by;
    std::size_t count = 0;
    visit_laplacian(i, n, [&](std::size_t j, double weight) {
      moving[count] = j;
      by[count++] = weight / unit * slide(wrinkle.points[free_[j]], positions);
    });
    for (std::size_t a = 0; a < count; ++a) {
      right_side_[moving[a]] -= by[a].dot(residual);
      for (std::size_t b = 0; b < count; ++b)
        if (moving[b] >= moving[a]) entry(moving[a], moving[b]) += by[a].dot(by[b]);
    }
  }
}

void Persistence::solve(const Motion& motion, const Wrinkle& wrinkle, std::vector<double>& t) {
  select_free_points(wrinkle);
  assemble(motion, wrinkle);
  solve_banded(2, bands_, right_side_);
  t.resize(wrinkle.size());
  for (std::size_t i = 0; i < t.size(); ++i) t[i] = wrinkle.points[i].t;
  // Cloth so much larger than its unit of length that rounding has eaten the motion term leaves a singular system.
  if (!std::ranges::all_of(right_side_, [](double step) { return std::isfinite(step); })) return;
  for (std::size_t i = 0; i < free_.size(); ++i) t[free_[i]] += right_side_[i];
}

PathEnergy Persistence::energy(const Motion& motion, const Wrinkle& wrinkle, const std::vector<double>& t) {
  require(t.size() == wrinkle.size(), "t must have one entry a point: ", wrinkle.size(), ", got ", t.size());
  const double unit = params_.verbatim ? 1.0 : motion.edge_length;
  const auto index = [](std::size_t j) { return j; };
  path_.take(motion, wrinkle);
  for (std::size_t i = 0; i < t.size(); ++i) {
    PathPoint moved = wrinkle.points[i];
    moved.t = t[i];
    path_.now[i] = position(moved, motion.field.positions);
  }
  PathEnergy out;
  for (std::size_t i = 0; i < t.size(); ++i) {
    out.motion += (t[i] - wrinkle.points[i].t) * (t[i] - wrinkle.points[i].t);
    out.shape += (shape_residual(motion, wrinkle, path_, !params_.verbatim, i, t.size(), index) / unit).squaredNorm();
    if (i + 1 == t.size()) break;
    const std::int32_t triangle = wrinkle.triangles[i];
    const double along = (path_.now[i + 1] - path_.now[i]).dot(motion.field.a_min_in_space(triangle)) / unit;
    out.alignment += alignment_weight(motion, triangle) * along * along;
  }
  return out;
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
    return std::pair(k, umbrella_.weights(*mesh_, k, point));
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
    const auto [k, weights] = land(outline_.front());
    outline_.front() = umbrella_.place(*mesh_, k, weights);
    from = {k, k};
    route_.append(inner_point(*mesh_, umbrella_.triangle(k), weights, 0), arc_lengths_[cluster.first], kNone);
  }
  std::optional<PathPoint> last;
  if (has_after) {
    PathPoint after = wrinkle.points[cluster.last + 1];
    if (t[cluster.last + 1] != after.t) after.t = std::clamp(t[cluster.last + 1], kVertexMargin, 1 - kVertexMargin);
    outline_.push_back(place(after, triangle_out));
    outline_sources_.push_back(arc_lengths_[cluster.last + 1]);
    to = sectors_of(after, triangle_out);
  } else if (has_before || cluster.last > cluster.first) {
    const auto [k, weights] = land(outline_.back());
    outline_.back() = umbrella_.place(*mesh_, k, weights);
    to = {k, k};
    last = inner_point(*mesh_, umbrella_.triangle(k), weights, 0);
  } else {
    return false;
  }
  if (outline_.size() < 2 || !umbrella_.follow(outline_, from, to, crossings_)) return false;

  route_.onward = umbrella_.triangle(crossings_.first_sector);
  for (const SpokeCrossings::Crossing& crossing : crossings_.crossings) {
    PathPoint p;
    p.v0 = cluster.vertex;
    p.v1 = umbrella_.spoke_vertex(crossing.spoke);
    p.t = std::clamp(1 - crossing.share, kVertexMargin, 1 - kVertexMargin);
    if (p.v0 > p.v1) {
      std::swap(p.v0, p.v1);
      p.t = 1 - p.t;
    }
    const std::size_t piece = std::min(std::size_t(crossing.along), outline_.size() - 2);
    const double source =
        std::lerp(outline_sources_[piece], outline_sources_[piece + 1], crossing.along - double(piece));
    route_.append(p, source, umbrella_.triangle(crossing.sector));
  }
  if (last) route_.append(*last, arc_lengths_[cluster.last], kNone);
  return true;
}

void Persistence::move(const Motion& motion, Wrinkle& wrinkle) {
  if (params_.persistence.method == PersistenceMethod::projection) {
    move_in_space(motion, wrinkle);
  } else {
    move_on_edges(motion, wrinkle);
  }
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
      if (moved && t_[i] != p.t) p.t = std::clamp(t_[i], kVertexMargin, 1 - kVertexMargin);
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
    const Vector3 weights = (1 - u) * barycentric(mesh, wrinkle.points[i], triangle) +
                            u * barycentric(mesh, wrinkle.points[i + 1], triangle);
    const PathPoint point = inner_point(mesh, triangle, weights, 0);
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
  if (kept_.size() >= 2 && path_length(kept_, field.positions) >= shortest()) {
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
  const double distance = params_.persistence.merge_distance * params_.least_width();
  for (Wrinkle& wrinkle : wrinkles) {
    if (!wrinkle.alive) continue;
    blocked_.clear();
    segments_.clear();
    visit_segments(field, wrinkle, [&](std::size_t i, const PathSegment& segment) {
      const auto test = [&](const PathSegment& other, double reach) {
        if (!blocked_interval(segment, other, kMergeShare * reach)) return;
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
    if (!blocked_.empty()) {
      const Interval clear = longest_clear_part(wrinkle, field.positions);
      cut(field, clear.low, clear.high, next_id, wrinkle, cut_off_);
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

void Persistence::change_length(const CompressionField& field, double dt, SegmentIndex& occupied, std::int64_t& next_id,
                                Wrinkle& wrinkle, std::vector<Wrinkle>& cut_off) {
  arc_lengths(wrinkle, field.positions, arc_lengths_);
  const double length = arc_lengths_.back();
  const std::size_t segments = wrinkle.triangles.size();
  const auto compressed = [&](std::size_t i) { return field.compressed(wrinkle.triangles[i], params_.threshold); };
  std::size_t first = 0;
  while (first < segments && !compressed(first)) ++first;
  std::size_t last = segments;
  while (last > first && !compressed(last - 1)) --last;

  const double rate = params_.verbatim ? 1.0 : dt / params_.interval;
  const double change = params_.persistence.length_change;
  const double most_trimmed = length * (1 - std::pow(1 - change, rate));
  const double most_added = length * (std::pow(1 + change, rate) - 1);
  const double loose_front = first == segments ? length : arc_lengths_[first];
  const double loose_back = first == segments ? length : length - arc_lengths_[last];

  if (loose_front > 0 || loose_back > 0) {
    const double scale = most_trimmed / (loose_front + loose_back);
    // All that is loose ends at a point of the path: through its arc length, rounding would leave a sliver beside it.
    const double from = scale < 1 ? parameter_at(wrinkle, loose_front * scale) : double(first);
    const double to = scale < 1 ? parameter_at(wrinkle, length - loose_back * scale) : double(last);
    cut(field, from, to, next_id, wrinkle, cut_off);
    if (!wrinkle.alive) return;
  }
  const double share = loose_front == 0 && loose_back == 0 ? 0.5 : 1.0;
  // Cloth that a path comes to is flat. So is an end, unless the path was cut there: it first has to sink.
  const double sinks = params_.shape.height_rate * params_.least_width() * dt;
  const auto may_grow = [&](double end_height) { return params_.verbatim || end_height <= sinks; };
  if (loose_back == 0 && may_grow(wrinkle.knot_heights.back())) lengthen(field, occupied, share * most_added, wrinkle);
  if (loose_front == 0 && may_grow(wrinkle.knot_heights.front())) {
    reverse_path(wrinkle);
    lengthen(field, occupied, share * most_added, wrinkle);
    reverse_path(wrinkle);
  }
  // Old segments stay in the index: where a path was, another one may come next frame.
  insert_path(field, wrinkle, occupied);
}

double Persistence::parameter_at(const Wrinkle& wrinkle, double arc_length) const {
  const auto after = std::upper_bound(arc_lengths_.begin() + 1, arc_lengths_.end() - 1, arc_length);
  const std::size_t i = std::size_t(after - arc_lengths_.begin()) - 1;
  const double span = arc_lengths_[i + 1] - arc_lengths_[i];
  return double(std::min(i, wrinkle.triangles.size() - 1)) +
         (span > 0 ? std::clamp((arc_length - arc_lengths_[i]) / span, 0.0, 1.0) : 0.0);
}

void Persistence::lengthen(const CompressionField& field, const SegmentIndex& occupied, double length,
                           Wrinkle& wrinkle) {
  arc_lengths(wrinkle, field.positions, arc_lengths_);
  sizes_.take(wrinkle, arc_lengths_);
  if (tracer_.extend(field, occupied, length, wrinkle) > 0) {
    arc_lengths(wrinkle, field.positions, arc_lengths_);
    sizes_.give(arc_lengths_, wrinkle);
  }
}

void Persistence::step(const Motion& motion, SegmentIndex& occupied, std::int64_t& next_id,
                       std::vector<Wrinkle>& wrinkles) {
  for (Wrinkle& wrinkle : wrinkles) {
    wrinkle.age += motion.dt;
    if (wrinkle.alive) move(motion, wrinkle);
  }
  merge(motion.field, occupied, next_id, wrinkles);
  cut_off_.clear();
  for (Wrinkle& wrinkle : wrinkles)
    if (wrinkle.alive) change_length(motion.field, motion.dt, occupied, next_id, wrinkle, cut_off_);
  pool_->drop(wrinkles, is_empty);
  std::move(cut_off_.begin(), cut_off_.end(), std::back_inserter(wrinkles));
}

}  // namespace pucker
