#include "pucker/waves/global.h"

#include <Spectra/SymEigsShiftSolver.h>

#include <Eigen/Eigenvalues>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "pucker/errors.h"

namespace pucker::waves {

namespace {

using Sparse = Eigen::SparseMatrix<double>;

/// Keeps the matrix positive definite where waves match perfectly.
constexpr double kShift = 1e-7;
constexpr double kTolerance = 1e-12;
constexpr Eigen::Index kLanczosVectors = 20;
constexpr Eigen::Index kMostRestarts = 300;
constexpr Eigen::Index kDense = 32;

/// R(2π·offset) F.
Matrix2 transport(const EdgePhase& comparison) {
  const double angle = 2 * std::numbers::pi * comparison.offset;
  const double cosine = std::cos(angle);
  const double sine = std::sin(angle);
  Matrix2 out;
  out << cosine, -sine * comparison.sign, sine, cosine * comparison.sign;
  return out;
}

/// Vertices numbered part by part.
struct Parts {
  std::vector<std::int32_t> part;   ///< of each vertex, kNone without a weighted edge
  std::vector<std::int32_t> local;  ///< number within its part
  std::vector<double> sign;         ///< of each vertex' wave against that of its part's first vertex
  std::vector<std::vector<std::int32_t>> vertices;
  std::vector<std::uint8_t> oriented;  ///< whether the signs of a part agree on all its edges
};

/// Disjoint sets (Tarjan 1975) whose members know their sign against the smallest member of their set.
class SignedSets {
 public:
  explicit SignedSets(std::size_t count) : parent_(count), sign_(count, 1), oriented_(count, 1) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  std::size_t root(std::size_t v) {
    // Halving: each vertex on the way is hung under its grandparent.
    while (parent_[v] != v) {
      sign_[v] *= sign_[parent_[v]];
      v = parent_[v] = parent_[parent_[v]];
    }
    return v;
  }
  /// Against the root, for which `root` has been called.
  double sign(std::size_t v) const {
    double out = 1;
    for (; parent_[v] != v; v = parent_[v]) out *= sign_[v];
    return out;
  }
  bool oriented(std::size_t root) const { return oriented_[root] != 0; }
  void join(std::size_t a, std::size_t b, double sign) {
    const std::size_t ra = root(a);
    const std::size_t rb = root(b);
    const double between = this->sign(a) * sign * this->sign(b);
    const auto [low, high] = std::minmax(ra, rb);
    if (low == high) {
      if (between < 0) oriented_[low] = 0;
      return;
    }
    parent_[high] = low;
    sign_[high] = between;
    oriented_[low] = oriented_[low] && oriented_[high];
  }

 private:
  std::vector<std::size_t> parent_;
  std::vector<double> sign_;
  std::vector<std::uint8_t> oriented_;
};

Parts connected_parts(const Index2& edges, std::span<const EdgePhase> comparisons, std::size_t count) {
  SignedSets sets(count);
  std::vector<std::uint8_t> weighted(count, 0);
  for (Eigen::Index e = 0; e < edges.rows(); ++e) {
    const EdgePhase& comparison = comparisons[std::size_t(e)];
    if (!(comparison.weight > 0)) continue;
    sets.join(std::size_t(edges(e, 0)), std::size_t(edges(e, 1)), comparison.sign);
    weighted[std::size_t(edges(e, 0))] = weighted[std::size_t(edges(e, 1))] = 1;
  }
  Parts out{std::vector<std::int32_t>(count, kNone),
            std::vector<std::int32_t>(count, kNone),
            std::vector<double>(count, 1),
            {},
            {}};
  for (std::size_t v = 0; v < count; ++v) {
    if (!weighted[v]) continue;
    // A root is the smallest vertex of its part, so it has been numbered before the others.
    const std::size_t root = sets.root(v);
    if (root == v) {
      out.part[v] = std::int32_t(out.vertices.size());
      out.vertices.emplace_back();
      out.oriented.push_back(sets.oriented(root));
    }
    out.part[v] = out.part[root];
    out.sign[v] = sets.sign(v);
    std::vector<std::int32_t>& vertices = out.vertices[std::size_t(out.part[v])];
    out.local[v] = std::int32_t(vertices.size());
    vertices.push_back(std::int32_t(v));
  }
  return out;
}

/// Of all phases that are as good, those nearest to `phases`, the degrees as weights: where signs agree, waves may be
/// moved along by any amount, else by half a wavelength.
void bring_near(const Parts& parts, std::size_t part, const Eigen::VectorXd& degree, std::span<const double> phases,
                std::vector<double>& solved) {
  double cosine = 0;
  double sine = 0;
  for (const std::int32_t vertex : parts.vertices[part]) {
    const std::size_t v = std::size_t(vertex);
    const double apart = parts.sign[v] * (phases[v] - solved[v]);
    cosine += degree[vertex] * std::cos(apart);
    sine += degree[vertex] * std::sin(apart);
  }
  const bool oriented = parts.oriented[part] != 0;
  const double shift = oriented ? std::atan2(sine, cosine) : (cosine < 0 ? std::numbers::pi : 0);
  for (const std::int32_t vertex : parts.vertices[part]) {
    const std::size_t v = std::size_t(vertex);
    solved[v] = std::remainder(solved[v] + (oriented ? parts.sign[v] : 1) * shift, 2 * std::numbers::pi);
  }
}

/// The operator (N + kShift)⁻¹ as Spectra asks for it.
class Inverse {
 public:
  using Scalar = double;  // NOLINT(readability-identifier-naming): Spectra's name

  explicit Inverse(const Sparse& matrix) : rows_(matrix.rows()), factors_(matrix) {
    if (factors_.info() != Eigen::Success) throw Error("the matrix of the phases could not be factorised");
  }
  Eigen::Index rows() const { return rows_; }
  Eigen::Index cols() const { return rows_; }
  // The shift is part of the matrix.
  void set_shift(double) {}
  void perform_op(const double* in, double* out) const {
    Eigen::Map<Eigen::VectorXd>(out, rows_) = factors_.solve(Eigen::Map<const Eigen::VectorXd>(in, rows_));
  }

 private:
  Eigen::Index rows_;
  Eigen::SimplicialLDLT<Sparse> factors_;
};

struct Eigenpair {
  double value;
  Eigen::VectorXd vector;
  Eigen::Index products;
};

Eigenpair smallest_dense(const Sparse& normalised) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver{Eigen::MatrixXd(normalised)};
  return {solver.eigenvalues()[0], solver.eigenvectors().col(0), 0};
}

Eigenpair smallest_sparse(const Sparse& normalised, const Eigen::VectorXd& start) {
  Sparse shifted = normalised;
  shifted.diagonal().array() += kShift;
  Inverse inverse(shifted);
  Spectra::SymEigsShiftSolver<Inverse> solver(inverse, 1, kLanczosVectors, -kShift);
  solver.init(start.data());
  solver.compute(Spectra::SortRule::LargestMagn, kMostRestarts, kTolerance);
  if (solver.info() != Spectra::CompInfo::Successful)
    throw Error(message("the phases of least error were not found within ", kMostRestarts, " restarts"));
  return {solver.eigenvalues()[0], solver.eigenvectors().col(0), solver.num_operations()};
}

}  // namespace

GlobalReport solve_phases(const Index2& edges, std::span<const EdgePhase> comparisons, std::span<double> phases,
                          std::span<const std::uint8_t> kept) {
  const Parts parts = connected_parts(edges, comparisons, phases.size());
  std::vector<std::uint8_t> left_alone(parts.vertices.size(), 0);
  for (std::size_t v = 0; v < kept.size(); ++v)
    if (kept[v] != 0 && parts.part[v] != kNone) left_alone[std::size_t(parts.part[v])] = 1;
  Eigen::VectorXd degree = Eigen::VectorXd::Zero(Eigen::Index(phases.size()));
  for (Eigen::Index e = 0; e < edges.rows(); ++e)
    for (int end = 0; end < 2; ++end) degree[edges(e, end)] += comparisons[std::size_t(e)].weight;

  std::vector<std::vector<Eigen::Triplet<double>>> entries(parts.vertices.size());
  for (std::size_t p = 0; p < entries.size(); ++p)
    for (Eigen::Index i = 0; i < 2 * Eigen::Index(parts.vertices[p].size()); ++i) entries[p].emplace_back(i, i, 1.0);
  for (Eigen::Index e = 0; e < edges.rows(); ++e) {
    const EdgePhase& comparison = comparisons[std::size_t(e)];
    if (!(comparison.weight > 0)) continue;
    const Eigen::Index a = edges(e, 0);
    const Eigen::Index b = edges(e, 1);
    const Matrix2 block = -comparison.weight / std::sqrt(degree[a] * degree[b]) * transport(comparison);
    const int i = 2 * parts.local[std::size_t(a)];
    const int j = 2 * parts.local[std::size_t(b)];
    auto& list = entries[std::size_t(parts.part[std::size_t(a)])];
    for (int row = 0; row < 2; ++row)
      for (int column = 0; column < 2; ++column) {
        list.emplace_back(i + row, j + column, block(row, column));
        list.emplace_back(j + column, i + row, block(row, column));
      }
  }

  GlobalReport report;
  std::vector<double> solved(phases.begin(), phases.end());
  for (std::size_t p = 0; p < parts.vertices.size(); ++p) {
    if (left_alone[p] != 0) continue;
    const std::vector<std::int32_t>& vertices = parts.vertices[p];
    const Eigen::Index size = 2 * Eigen::Index(vertices.size());
    Sparse normalised(size, size);
    normalised.setFromTriplets(entries[p].begin(), entries[p].end());
    Eigen::VectorXd start(size);
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      const double root = std::sqrt(degree[vertices[i]]);
      const double phase = phases[std::size_t(vertices[i])];
      start.segment<2>(2 * Eigen::Index(i)) << root * std::cos(phase), root * std::sin(phase);
    }
    const Eigenpair found = size <= kDense ? smallest_dense(normalised) : smallest_sparse(normalised, start);
    ++report.parts;
    report.products += found.products;
    report.eigenvalue = std::max(report.eigenvalue, found.value);
    report.residual = std::max(report.residual, (normalised * found.vector - found.value * found.vector).norm());
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      const auto z = found.vector.segment<2>(2 * Eigen::Index(i));
      // An eigenvector that vanishes somewhere says nothing of the phase there.
      if (!z.isZero(0)) solved[std::size_t(vertices[i])] = std::atan2(z.y(), z.x());
    }
    bring_near(parts, p, degree, phases, solved);
  }
  std::copy(solved.begin(), solved.end(), phases.begin());
  return report;
}

}  // namespace pucker::waves
