/// The label energy as a graph problem, and its two kinds of solvers (Gillette 2015, section 4.1.2).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "pucker/dynamic/label.h"
#include "pucker/dynamic/params.h"
#include "pucker/mesh/topology.h"
#include "pucker/types.h"

namespace pucker::labelling {

using Labels = std::span<std::int8_t>;
using ConstLabels = std::span<const std::int8_t>;
using Mask = std::span<const std::uint8_t>;

inline constexpr std::array<std::int8_t, 3> kLabels = {kCompress, kRest, kStretch};

/// Two sites (a triangle in a frame) whose labels should agree.
struct Pair {
  std::int32_t first;
  std::int32_t second;
};

/// Costs of the three labels.
using Costs = std::array<double, 3>;

/// The cheapest of three.
inline double lowest(const double* costs) {
  return std::min(std::min(costs[kCompress], costs[kRest]), costs[kStretch]);
}

/// Steps from a label, or from none (−1 and −2), to each of the three.
inline const Costs& steps_from(std::int8_t label) {
  static constexpr std::array<Costs, 5> steps = {{{0, 0, 0}, {0, 0, 0}, {0, 1, 2}, {1, 0, 1}, {2, 1, 0}}};
  return steps[std::size_t(label + 2)];
}

/// Nearest whole number, ties to even, of an x in [0, 2⁵¹]: std::rint without the call it is on older processors.
inline double round_whole(double x) { return (x + 0x1p52) - 0x1p52; }

/// The energy to be minimised. Costs are whole numbers, in multiples of a unit, held as floating point.
struct Problem {
  std::vector<std::uint8_t> active;
  double smoothness = 0;

  explicit Problem(std::size_t sites) : active(sites, 0) {}

  std::size_t size() const { return active.size(); }
  bool joined(const Pair& pair) const { return active[std::size_t(pair.first)] && active[std::size_t(pair.second)]; }

  /// Takes what the costs are made of; what it is given must stay until the problem is solved. `before` is empty or has
  /// a label or kNone for each site. Throws InvalidArgument for a cost that is not finite; nothing has changed then.
  void set_costs(const ConstArray3& costs, double smoothness_of_labels, ConstLabels before);

  /// Of an active site: how much more each label costs than the cheapest, and what it costs to leave the label before.
  Costs costs(std::size_t site) const {
    const double* row = rows_ + std::ptrdiff_t(site) * stride_;
    const double least = lowest(row);
    const Costs& steps = steps_from(previous_.empty() ? std::int8_t(kNone) : previous_[site]);
    Costs out;
    for (std::size_t label = 0; label < out.size(); ++label)
      out[label] = round_whole((row[label] - least) * per_unit_) + smoothness * steps[label];
    return out;
  }

 private:
  const double* rows_ = nullptr;
  std::ptrdiff_t stride_ = 0;
  ConstLabels previous_;
  double per_unit_ = 0;
};

/// Throws InvalidArgument for more sites than the graph library counts.
void require_sites(std::size_t sites);
/// Pairs of triangles across edges in each frame and, `frames` > 1, of each triangle with itself a frame later.
std::vector<Pair> site_pairs(const Mesh& mesh, std::int32_t frames);
/// `active`: one entry a site, the sites of a frame being the triangles.
void set_active(const Mesh& mesh, Mask inert, std::vector<std::uint8_t>& active);
void put_inactive_to_rest(const Problem& problem, Labels labels);

class Solver {
 public:
  virtual ~Solver() = default;
  /// `problem` has the sites that the solver was made for. Inactive ones get some label.
  virtual void solve(const Problem& problem, Labels labels) = 0;
};

/// The exact solver: one minimum cut.
std::unique_ptr<Solver> make_cut_solver(std::size_t sites, std::span<const Pair> pairs);
/// Expansions or swaps.
std::unique_ptr<Solver> make_move_solver(std::size_t sites, std::vector<Pair> pairs, LabelSolver kind);

/// The graph library would end the process otherwise.
[[noreturn]] void stop(const char* text);

}  // namespace pucker::labelling
