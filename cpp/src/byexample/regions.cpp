#include "pucker/byexample/regions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "pucker/errors.h"
#include "pucker/mesh/edge_ways.h"

namespace pucker::byexample {

namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();
/// Distance at which a point counts 1/e times as much, against that of the vertex farthest from all points.
constexpr double kReach = 1 / 1.5;

/// Of each vertex from each of some points.
std::vector<std::vector<double>> distances_from(const Features& features, const std::vector<std::int32_t>& points) {
  const std::int64_t count = features.mesh()->vertex_count();
  require(!points.empty(), "there must be at least 1 point");
  std::vector<std::uint8_t> taken(std::size_t(count), 0);
  for (const std::int32_t point : points) {
    require(point >= 0 && point < count, "points must lie in [0, ", count, "), got ", point);
    require(taken[std::size_t(point)]++ == 0, "points must differ, but ", point, " is there twice");
  }
  const EdgeWays ways(*features.mesh(), features.rest_lengths());
  std::vector<std::vector<double>> distances;
  distances.reserve(points.size());
  for (const std::int32_t point : points) distances.push_back(ways.from({&point, 1}));
  return distances;
}

}  // namespace

Regions Regions::spread(const Features& features, std::int64_t count) {
  require(count >= 1, "there must be at least 1 point, not ", count);
  const EdgeWays ways(*features.mesh(), features.rest_lengths());
  std::vector<std::int32_t> points{0};
  std::vector<std::vector<double>> distances{ways.from(points)};
  std::vector<double> nearest = distances[0];
  while (std::int64_t(points.size()) < count) {
    const auto farthest = std::ranges::max_element(nearest);
    if (*farthest == 0) break;
    points.push_back(std::int32_t(farthest - nearest.begin()));
    const std::vector<double>& from = distances.emplace_back(ways.from({&points.back(), 1}));
    for (std::size_t v = 0; v < nearest.size(); ++v) nearest[v] = std::min(nearest[v], from[v]);
  }
  return {std::move(points), distances};
}

Regions::Regions(const Features& features, std::vector<std::int32_t> points) {
  const auto distances = distances_from(features, points);
  *this = Regions(std::move(points), distances);
}

Regions::Regions(std::vector<std::int32_t> points, const std::vector<std::vector<double>>& distances)
    : points_(std::move(points)) {
  const std::size_t count = distances[0].size();
  const std::size_t each = std::min(std::size_t(kRegionsEach), points_.size());
  std::vector<std::vector<std::pair<double, std::int32_t>>> near{count};
  double farthest = 0;
  for (std::size_t v = 0; v < near.size(); ++v) {
    for (std::size_t point = 0; point < points_.size(); ++point)
      near[v].emplace_back(distances[point][v], std::int32_t(point));
    std::ranges::partial_sort(near[v], near[v].begin() + std::ptrdiff_t(each));
    near[v].resize(each);
    require(near[v][0].first < kFar, "every vertex must be connected with a point, but ", v, " is not");
    farthest = std::max(farthest, near[v][0].first);
  }
  shares_.resize(Eigen::Index(count), Eigen::Index(points_.size()));
  shares_.reserve(Eigen::VectorXi::Constant(Eigen::Index(count), int(each)));
  for (std::size_t v = 0; v < near.size(); ++v) {
    const double nearest = near[v][0].first;
    // Against the nearest, which counts even where its own exponential is 0.
    const auto share = [&](double distance) {
      if (distance == nearest) return 1.0;
      const double scale = kReach * farthest;
      return scale > 0 ? std::exp((nearest * nearest - distance * distance) / (scale * scale)) : 0.0;
    };
    double sum = 0;
    for (const auto& entry : near[v]) sum += share(entry.first);
    std::ranges::sort(near[v], {}, [](const auto& entry) { return entry.second; });
    for (const auto& [distance, point] : near[v])
      if (const double value = share(distance); value > 0) shares_.insert(Eigen::Index(v), point) = value / sum;
  }
  shares_.makeCompressed();
}

}  // namespace pucker::byexample
