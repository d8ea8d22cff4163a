#include "pucker/mesh/weld.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "pucker/errors.h"
#include "pucker/types.h"

namespace pucker {
namespace {

using Cell = std::array<std::int64_t, 3>;

struct CellHash {
  std::size_t operator()(const Cell& cell) const {
    std::uint64_t hash = 0;
    for (const std::int64_t part : cell) hash = (hash ^ std::uint64_t(part)) * 0x9e3779b97f4a7c15U + (hash >> 29);
    return std::size_t(hash);
  }
};

class DisjointSets {
 public:
  explicit DisjointSets(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }

  /// The smallest member of the set of `member`.
  std::int32_t first(std::int32_t member) {
    while (parent_[std::size_t(member)] != member) {
      std::int32_t& parent = parent_[std::size_t(member)];
      parent = parent_[std::size_t(parent)];
      member = parent;
    }
    return member;
  }

  void join(std::int32_t a, std::int32_t b) {
    a = first(a);
    b = first(b);
    parent_[std::size_t(std::max(a, b))] = std::min(a, b);
  }

 private:
  std::vector<std::int32_t> parent_;
};

/// The frames, each scaled so that its bounding box has diagonal 1: distances then compare with the tolerance itself
/// and neither overflow nor underflow.
class Frames {
 public:
  Frames(std::span<const double> positions, std::int64_t vertices)
      : positions_(positions), vertices_(vertices), count_(std::int64_t(positions.size()) / (3 * vertices)) {
    for (std::int64_t frame = 0; frame < count_; ++frame) {
      const auto points = at(frame);
      const Vector3 low = points.colwise().minCoeff();
      const Vector3 high = points.colwise().maxCoeff();
      const double diagonal = (high - low).stableNorm();
      require(std::isfinite(diagonal), "the bounding box of frame ", frame, " is too large for a double");
      low_.push_back(low);
      scale_.push_back(diagonal);
    }
  }

  /// Cell of the first frame's grid.
  Cell cell(std::int32_t vertex, double size) const {
    if (scale_[0] == 0.0) return {0, 0, 0};
    const Vector3 point = (at(0).row(vertex).transpose() - low_[0]) / scale_[0] / size;
    return {std::int64_t(std::floor(point.x())), std::int64_t(std::floor(point.y())),
            std::int64_t(std::floor(point.z()))};
  }

  bool together(std::int32_t a, std::int32_t b, double tolerance) const {
    for (std::int64_t frame = 0; frame < count_; ++frame) {
      const auto points = at(frame);
      const Vector3 difference = points.row(a) - points.row(b);
      const double scale = scale_[std::size_t(frame)];
      if (scale > 0.0 && !((difference / scale).stableNorm() <= tolerance)) return false;
    }
    return true;
  }

 private:
  Eigen::Map<const Array3> at(std::int64_t frame) const {
    return {positions_.data() + frame * vertices_ * 3, Eigen::Index(vertices_), 3};
  }

  std::span<const double> positions_;
  std::int64_t vertices_;
  std::int64_t count_;
  std::vector<Vector3> low_;
  std::vector<double> scale_;
};

void check(std::span<const double> positions, std::int64_t vertices, double tolerance) {
  require(vertices > 0 && vertices <= std::numeric_limits<std::int32_t>::max(),
          "welding needs between 1 and 2^31 - 1 vertices, got ", vertices);
  require(tolerance >= 0.0 && tolerance < 1.0, "the weld tolerance must be in [0, 1), got ", tolerance);
  require(!positions.empty() && std::int64_t(positions.size()) % (3 * vertices) == 0, "positions must be frames x ",
          vertices, " vertices x 3 with at least one frame, got ", positions.size(), " numbers");
  const auto bad = std::ranges::find_if_not(positions, [](double value) { return std::isfinite(value); });
  const std::int64_t row = (bad - positions.begin()) / 3;
  require(bad == positions.end(), "positions must be finite, got ", bad == positions.end() ? 0.0 : *bad, " in frame ",
          row / vertices, ", vertex ", row % vertices);
}

/// Calls `use` with each vertex and each earlier one that may be together with it, until that says false. Two that are
/// differ by at most half a cell in the first frame, so they are in the same cell or in touching ones, whatever the
/// rounding at the borders.
template <class Use>
void for_near_pairs(const Frames& frames, std::int32_t vertices, double tolerance, Use use) {
  const double size = 2.0 * std::max(tolerance, 1e-12);
  std::unordered_map<Cell, std::vector<std::int32_t>, CellHash> grid;
  for (std::int32_t vertex = 0; vertex < vertices; ++vertex) {
    const Cell home = frames.cell(vertex, size);
    for (int k = 0; k < 27; ++k) {
      const auto found = grid.find({home[0] + k / 9 - 1, home[1] + k / 3 % 3 - 1, home[2] + k % 3 - 1});
      if (found == grid.end()) continue;
      for (const std::int32_t other : found->second)
        if (!use(vertex, other)) return;
    }
    grid[home].push_back(vertex);
  }
}

Weld numbered(DisjointSets& sets, std::int32_t count) {
  Weld result;
  result.welded.resize(std::size_t(count));
  for (std::int32_t vertex = 0; vertex < count; ++vertex) {
    const std::int32_t first = sets.first(vertex);
    if (first == vertex) {
      result.welded[std::size_t(vertex)] = std::int32_t(result.representatives.size());
      result.representatives.push_back(vertex);
    } else {
      result.welded[std::size_t(vertex)] = result.welded[std::size_t(first)];
    }
  }
  return result;
}

}  // namespace

Weld weld(std::span<const double> positions, std::int64_t vertices, double tolerance) {
  check(positions, vertices, tolerance);
  const Frames frames(positions, vertices);
  DisjointSets sets{std::size_t(vertices)};
  for_near_pairs(frames, std::int32_t(vertices), tolerance, [&](std::int32_t vertex, std::int32_t other) {
    if (sets.first(other) != sets.first(vertex) && frames.together(vertex, other, tolerance)) sets.join(vertex, other);
    return true;
  });
  return numbered(sets, std::int32_t(vertices));
}

std::optional<TogetherSearch> TogetherSearch::of(std::span<const double> first, std::int64_t vertices,
                                                 std::int64_t split, std::size_t most, double tolerance) {
  check(first, vertices, tolerance);
  TogetherSearch search(vertices, tolerance);
  const Frames frames(first, vertices);
  bool few = true;
  for_near_pairs(frames, std::int32_t(vertices), tolerance, [&](std::int32_t vertex, std::int32_t other) {
    const bool across = split == 0 || (other < split && vertex >= split);
    if (across && frames.together(vertex, other, tolerance)) search.pairs_.emplace_back(vertex, other);
    few = search.pairs_.size() <= most;
    return few;
  });
  return few ? std::optional(std::move(search)) : std::nullopt;
}

void TogetherSearch::offer(std::span<const double> positions) {
  check(positions, vertices_, tolerance_);
  const Frames frames(positions, vertices_);
  std::erase_if(pairs_, [&](const auto& pair) { return !frames.together(pair.first, pair.second, tolerance_); });
}

Weld TogetherSearch::weld() const {
  DisjointSets sets{std::size_t(vertices_)};
  for (const auto& [vertex, other] : pairs_) sets.join(vertex, other);
  return numbered(sets, std::int32_t(vertices_));
}

}  // namespace pucker
