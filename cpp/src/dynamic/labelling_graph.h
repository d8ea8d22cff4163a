/// The label energy as a graph problem, and its two kinds of solvers (Gillette 2015, section 4.1.2).
#pragma once

#include <array>
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

/// The energy to be minimised. Costs are whole numbers, in multiples of `unit`, held as floating point.
struct Problem {
  std::vector<Pair> pairs;
  std::vector<std::uint8_t> active;
  Array3 data;  // ≥ 0; inactive sites: 0
  double unit = 0;
  double smoothness = 0;

  explicit Problem(std::size_t sites) : active(sites, 0), data(Array3::Zero(Eigen::Index(sites), 3)) {}

  std::size_t size() const { return active.size(); }
  bool joined(const Pair& pair) const { return active[std::size_t(pair.first)] && active[std::size_t(pair.second)]; }
  double energy(ConstLabels labels) const {
    double sum = 0;
    for (std::size_t i = 0; i < size(); ++i) sum += data(Eigen::Index(i), labels[i]);
    for (const Pair& pair : pairs)
      if (joined(pair))
        sum += smoothness * std::abs(labels[std::size_t(pair.first)] - labels[std::size_t(pair.second)]);
    return sum;
  }
};

/// Throws InvalidArgument for more sites than the graph library counts.
void require_sites(std::size_t sites);
/// Pairs of triangles across edges in each frame and, `frames` > 1, of each triangle with itself a frame later.
std::vector<Pair> site_pairs(const Mesh& mesh, std::int32_t frames);
/// `active`: one entry a site, the sites of a frame being the triangles.
void set_active(const Mesh& mesh, Mask inert, std::vector<std::uint8_t>& active);
/// Fills in everything but the pairs. `previous` is empty or has a label or kNone for each site. Throws InvalidArgument
/// for a cost that is not finite; nothing has changed then.
void set_costs(Problem& problem, const ConstArray3& costs, double smoothness, ConstLabels previous);
void put_inactive_to_rest(const Problem& problem, Labels labels);

class Solver {
 public:
  virtual ~Solver() = default;
  /// The pairs of `problem` are those the solver was made with. Inactive sites get some label.
  virtual void solve(const Problem& problem, Labels labels) = 0;
};

/// The exact solver: one minimum cut.
std::unique_ptr<Solver> make_cut_solver(const Problem& problem);
/// Expansions or swaps.
std::unique_ptr<Solver> make_move_solver(const Problem& problem, LabelSolver kind);

/// The graph library would end the process otherwise.
[[noreturn]] void stop(const char* text);

}  // namespace pucker::labelling
