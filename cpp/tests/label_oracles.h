/// Energies and best labellings straight from their definitions, and meshes small enough to try all labellings of.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "pucker/dynamic/labelling.h"
#include "shapes.h"

namespace pucker {

inline constexpr double kTolerance = 1e-9;  // of energies; costs are rounded to 2⁻⁴⁰

using Labels = std::vector<std::int8_t>;

inline std::shared_ptr<const Mesh> make_mesh(const Index3& faces) {
  return std::make_shared<Mesh>(faces, faces.size() == 0 ? 0 : faces.maxCoeff() + 1);
}

inline LabelParams with_solver(LabelSolver solver) {
  LabelParams params;
  params.solver = solver;
  return params;
}

inline Array3 random_costs(Eigen::Index rows, std::mt19937_64& random) {
  std::uniform_real_distribution<double> cost(-0.3, 1);
  return Array3::NullaryExpr(rows, 3, [&] { return cost(random); });
}

inline Labels random_labels(std::size_t count, int lowest, std::mt19937_64& random) {
  std::uniform_int_distribution<int> label(lowest, kStretch);
  Labels out(count);
  for (auto& value : out) value = std::int8_t(label(random));
  return out;
}

inline Labels to_list(std::span<const std::int8_t> labels) { return {labels.begin(), labels.end()}; }

/// Equation 4.3, straight from the neighbours.
inline double direct_energy(const Mesh& mesh, const Array3& costs, std::span<const std::int8_t> labels,
                            std::span<const std::int8_t> previous, double smoothness) {
  double sum = 0;
  for (std::int32_t t = 0; t < mesh.triangle_count(); ++t) {
    const int label = labels[std::size_t(t)];
    sum += costs(t, label);
    if (!previous.empty() && previous[std::size_t(t)] != kNone)
      sum += smoothness * std::abs(label - previous[std::size_t(t)]);
    for (int k = 0; k < 3; ++k) {
      const std::int32_t neighbour = mesh.triangle_neighbours()(t, k);
      if (neighbour != kNone) sum += 0.5 * smoothness * std::abs(label - labels[std::size_t(neighbour)]);
    }
  }
  return sum;
}

inline Labels cheapest_labels(const Array3& costs) {
  Labels out(std::size_t(costs.rows()));
  for (Eigen::Index t = 0; t < costs.rows(); ++t) {
    Eigen::Index label = 0;
    costs.row(t).minCoeff(&label);
    out[std::size_t(t)] = std::int8_t(label);
  }
  return out;
}

/// Calls `visit(labels)` for all 3^count labellings.
template <class Visit>
inline void for_all_labellings(std::size_t count, Visit&& visit) {
  Labels labels(count, 0);
  for (;;) {
    visit(labels);
    std::size_t i = 0;
    while (i < count && labels[i] == kStretch) labels[i++] = kCompress;
    if (i == count) return;
    ++labels[i];
  }
}

inline Labels best_labelling(const Mesh& mesh, const Array3& costs, const Labels& previous, double smoothness) {
  double lowest = std::numeric_limits<double>::infinity();
  Labels best;
  for_all_labellings(std::size_t(mesh.triangle_count()), [&](const Labels& labels) {
    const double energy = direct_energy(mesh, costs, labels, previous, smoothness);
    if (energy < lowest) {
      lowest = energy;
      best = labels;
    }
  });
  return best;
}

inline std::vector<Index3> small_meshes() {
  Index3 strip = shapes::grid(4, 1).topRows(7);
  return {shapes::faces({{0, 1, 2}}), shapes::faces({{0, 1, 2}, {0, 2, 1}}),
          shapes::faces({{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}}),
          shapes::faces({{0, 1, 2}, {0, 1, 3}, {0, 1, 4}, {0, 2, 5}}),
          shapes::faces({{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}, {0, 5, 6}, {0, 6, 1}}), shapes::moebius(3), strip,
          // A tree, and a ring with two tails, one of them of two triangles.
          shapes::faces({{0, 1, 2}, {0, 1, 3}, {1, 2, 4}, {2, 0, 5}, {0, 3, 6}, {1, 4, 7}}),
          shapes::faces({{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 1}, {1, 2, 5}, {2, 5, 6}, {3, 4, 7}})};
}

}  // namespace pucker
