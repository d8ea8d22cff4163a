#include "pucker/waves/phase_solver.h"

#include <Eigen/Eigenvalues>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <numeric>
#include <type_traits>

#include "finite_complex.h"
#include "pucker/errors.h"

namespace pucker::waves {

namespace {

using Complex = std::complex<double>;

/// What a matrix is factorised in.
template <class Scalar>
struct Factorised {
  using Type = Scalar;
};
template <>
struct Factorised<Complex> {
  using Type = FiniteComplex;
};

template <class Scalar>
using Sparse = Eigen::SparseMatrix<Scalar>;

/// Keeps the matrix positive definite where waves match perfectly.
constexpr double kShift = 1e-7;
/// Of the residual of the inverse's eigenvector, as a share of its eigenvalue; that of the matrix is at most twice it.
constexpr double kTolerance = 1e-12;
constexpr Eigen::Index kLanczosVectors = 24;
constexpr Eigen::Index kKeptVectors = 8;  // at a restart
constexpr std::int64_t kMostSolutions = 6000;
/// Rows of a matrix for which a dense solver is as quick.
constexpr Eigen::Index kDense = 32;
/// Rows of a matrix up to which its factors are kept for the next one: they take about half a kilobyte a row, and the
/// larger a matrix, the smaller a share of the time is its analysis.
constexpr Eigen::Index kKept = 1 << 17;

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

template <class Scalar>
using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
template <class Scalar>
using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

struct Found {
  double value;         ///< the smallest eigenvalue
  double residual;      ///< ‖Ny − λy‖
  std::int64_t solved;  ///< solutions of the linear system
};

/// The matrix of a part, its lower triangle, and its factors. Where the next matrix has its entries in the same places
/// it takes over their order, the places of the factors' entries, which depend on nothing else, and all memory.
template <class Scalar>
class Factors {
  using Number = typename Factorised<Scalar>::Type;

 public:
  Sparse<Scalar>& matrix() { return matrix_; }

  void factorise() {
    numbers_ = matrix_.template cast<Number>();
    if (!is_analysed()) {
      ldlt_.setShift(kShift);
      ldlt_.analyzePattern(numbers_);
      starts_.assign(matrix_.outerIndexPtr(), matrix_.outerIndexPtr() + matrix_.outerSize() + 1);
      rows_.assign(matrix_.innerIndexPtr(), matrix_.innerIndexPtr() + matrix_.nonZeros());
    }
    ldlt_.factorize(numbers_);
    if (ldlt_.info() != Eigen::Success) throw Error("the matrix of the phases could not be factorised");
  }
  /// Makes `out` the solution for the right side `vector`.
  void solve(const Eigen::Ref<const Vector<Scalar>>& vector, Vector<Scalar>& out) {
    right_ = vector.template cast<Number>();
    out = ldlt_.solve(right_).template cast<Scalar>();
  }
  bool is_large() const { return matrix_.rows() > kKept; }

 private:
  bool is_analysed() const {
    return std::equal(starts_.begin(), starts_.end(), matrix_.outerIndexPtr(),
                      matrix_.outerIndexPtr() + matrix_.outerSize() + 1) &&
           std::equal(rows_.begin(), rows_.end(), matrix_.innerIndexPtr(),
                      matrix_.innerIndexPtr() + matrix_.nonZeros());
  }

  Sparse<Scalar> matrix_;
  Sparse<Number> numbers_;
  Vector<Number> right_;
  Eigen::SimplicialLDLT<Sparse<Number>, Eigen::Lower> ldlt_;
  std::vector<int> starts_;  ///< of the columns that were analysed
  std::vector<int> rows_;
};

template <class Scalar>
void solve_dense(const Sparse<Scalar>& normalised, Vector<Scalar>& vector) {
  const Eigen::SelfAdjointEigenSolver<Matrix<Scalar>> solver{Matrix<Scalar>(normalised)};
  vector = solver.eigenvectors().col(0);
}

/// Lanczos' method on the inverse, begun with `vector` and orthogonalised against all vectors twice, so that the small
/// matrix is right to rounding. When there are too many vectors it goes on from the best of what they span (thick
/// restart, Wu and Simon 2000). It looks at the result after each vector: a start that is nearly right ends soon. Gives
/// the number of solutions of the linear system.
template <class Scalar>
std::int64_t solve_sparse(Factors<Scalar>& factors, Vector<Scalar>& vector) {
  factors.factorise();
  Matrix<Scalar> basis(vector.size(), kLanczosVectors + 1);
  Matrix<Scalar> small = Matrix<Scalar>::Zero(kLanczosVectors, kLanczosVectors);
  basis.col(0) = vector.normalized();
  Vector<Scalar> next(vector.size());
  std::int64_t solved = 0;
  Eigen::Index last = 0;
  while (solved < kMostSolutions) {
    factors.solve(basis.col(last), next);
    ++solved;
    const auto known = basis.leftCols(last + 1);
    Vector<Scalar> along = Vector<Scalar>::Zero(last + 1);
    for (int pass = 0; pass < 2; ++pass) {
      const Vector<Scalar> part = known.adjoint() * next;
      next.noalias() -= known * part;
      along += part;
    }
    small.col(last).head(last + 1) = along;
    small.row(last).head(last + 1) = along.adjoint();
    small(last, last) = std::real(along[last]);
    const double left = next.norm();
    const Eigen::SelfAdjointEigenSolver<Matrix<Scalar>> ritz(small.topLeftCorner(last + 1, last + 1));
    const double value = ritz.eigenvalues()[last];
    if (left * std::abs(ritz.eigenvectors()(last, last)) <= kTolerance * value) {
      vector = (known * ritz.eigenvectors().col(last)).normalized();
      return solved;
    }
    basis.col(last + 1) = next / left;
    if (++last < kLanczosVectors) continue;
    const Matrix<Scalar> kept = basis.leftCols(last) * ritz.eigenvectors().rightCols(kKeptVectors);
    basis.leftCols(kKeptVectors) = kept;
    basis.col(kKeptVectors) = basis.col(last).eval();
    small.setZero();
    small.diagonal().head(kKeptVectors) = ritz.eigenvalues().tail(kKeptVectors).template cast<Scalar>();
    last = kKeptVectors;
  }
  throw Error(message("the phases of least error were not found within ", kMostSolutions, " solutions"));
}

/// Makes `vector`, the start, the eigenvector of the smallest eigenvalue.
template <class Scalar>
Found find_smallest(Factors<Scalar>& factors, Vector<Scalar>& vector) {
  const Sparse<Scalar>& normalised = factors.matrix();
  std::int64_t solved = 0;
  if (normalised.rows() <= kDense) {
    solve_dense(normalised, vector);
  } else {
    solved = solve_sparse(factors, vector);
  }
  const Vector<Scalar> product = normalised.template selfadjointView<Eigen::Lower>() * vector;
  const double value = std::real(vector.dot(product));
  return {value, (product - value * vector).norm(), solved};
}

/// What the phases of a part are found from.
struct Problem {
  const Parts& parts;
  const Index2& edges;
  std::span<const EdgePhase> comparisons;
  const std::vector<std::int32_t>& part_edges;
  const Eigen::VectorXd& degree;
};

/// Where signs agree each wave may be turned to run with the first one, and a vertex is one complex number.
Found solve_oriented(const Problem& problem, const std::vector<std::int32_t>& vertices, Factors<Complex>& factors,
                     std::vector<double>& phases) {
  const Parts& parts = problem.parts;
  std::vector<Eigen::Triplet<Complex>> entries;
  entries.reserve(vertices.size() + problem.part_edges.size());
  for (std::size_t i = 0; i < vertices.size(); ++i) entries.emplace_back(int(i), int(i), 1.0);
  for (const std::int32_t e : problem.part_edges) {
    const std::size_t a = std::size_t(problem.edges(e, 0));
    const std::size_t b = std::size_t(problem.edges(e, 1));
    const EdgePhase& comparison = problem.comparisons[std::size_t(e)];
    const double scale =
        comparison.weight / std::sqrt(problem.degree[Eigen::Index(a)] * problem.degree[Eigen::Index(b)]);
    const Complex entry = -std::polar(scale, 2 * std::numbers::pi * parts.sign[a] * comparison.offset);
    const int i = parts.local[a];
    const int j = parts.local[b];
    entries.emplace_back(std::max(i, j), std::min(i, j), i > j ? entry : std::conj(entry));
  }
  const Eigen::Index size = Eigen::Index(vertices.size());
  factors.matrix().resize(size, size);
  factors.matrix().setFromTriplets(entries.begin(), entries.end());
  Vector<Complex> vector(size);
  for (Eigen::Index i = 0; i < size; ++i) {
    const std::size_t v = std::size_t(vertices[std::size_t(i)]);
    vector[i] = std::polar(std::sqrt(problem.degree[Eigen::Index(v)]), parts.sign[v] * phases[v]);
  }
  const Found found = find_smallest(factors, vector);
  for (Eigen::Index i = 0; i < size; ++i) {
    const std::size_t v = std::size_t(vertices[std::size_t(i)]);
    // An eigenvector that vanishes somewhere says nothing of the phase there.
    if (vector[i] != Complex(0)) phases[v] = parts.sign[v] * std::arg(vector[i]);
  }
  return found;
}

/// A vertex is two real numbers, as a reflection is no product with a complex one.
Found solve_reflected(const Problem& problem, const std::vector<std::int32_t>& vertices, Factors<double>& factors,
                      std::vector<double>& phases) {
  const Parts& parts = problem.parts;
  const Eigen::Index size = 2 * Eigen::Index(vertices.size());
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(std::size_t(size) + 4 * problem.part_edges.size());
  for (int i = 0; i < size; ++i) entries.emplace_back(i, i, 1.0);
  for (const std::int32_t e : problem.part_edges) {
    const Eigen::Index a = problem.edges(e, 0);
    const Eigen::Index b = problem.edges(e, 1);
    const EdgePhase& comparison = problem.comparisons[std::size_t(e)];
    const Matrix2 block = -comparison.weight / std::sqrt(problem.degree[a] * problem.degree[b]) * transport(comparison);
    const int i = 2 * parts.local[std::size_t(a)];
    const int j = 2 * parts.local[std::size_t(b)];
    for (int row = 0; row < 2; ++row)
      for (int column = 0; column < 2; ++column) {
        entries.emplace_back(std::max(i + row, j + column), std::min(i + row, j + column), block(row, column));
      }
  }
  factors.matrix().resize(size, size);
  factors.matrix().setFromTriplets(entries.begin(), entries.end());
  Vector<double> vector(size);
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const double root = std::sqrt(problem.degree[vertices[i]]);
    const double phase = phases[std::size_t(vertices[i])];
    vector.segment<2>(2 * Eigen::Index(i)) << root * std::cos(phase), root * std::sin(phase);
  }
  const Found found = find_smallest(factors, vector);
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const auto z = vector.segment<2>(2 * Eigen::Index(i));
    if (!z.isZero(0)) phases[std::size_t(vertices[i])] = std::atan2(z.y(), z.x());
  }
  return found;
}

}  // namespace

/// What is kept of each part, of which one or the other is in use.
struct PhaseSolver::Part {
  std::unique_ptr<Factors<Complex>> oriented;
  std::unique_ptr<Factors<double>> reflected;
};

PhaseSolver::PhaseSolver() = default;
PhaseSolver::~PhaseSolver() = default;
PhaseSolver::PhaseSolver(const PhaseSolver&) {}
PhaseSolver& PhaseSolver::operator=(const PhaseSolver& other) {
  if (this != &other) parts_.clear();
  return *this;
}
PhaseSolver::PhaseSolver(PhaseSolver&&) noexcept = default;
PhaseSolver& PhaseSolver::operator=(PhaseSolver&&) noexcept = default;

PhaseReport PhaseSolver::solve(const Index2& edges, std::span<const EdgePhase> comparisons, std::span<double> phases,
                               std::span<const std::uint8_t> kept) {
  const Parts parts = connected_parts(edges, comparisons, phases.size());
  std::vector<std::uint8_t> left_alone(parts.vertices.size(), 0);
  for (std::size_t v = 0; v < kept.size(); ++v)
    if (kept[v] != 0 && parts.part[v] != kNone) left_alone[std::size_t(parts.part[v])] = 1;
  Eigen::VectorXd degree = Eigen::VectorXd::Zero(Eigen::Index(phases.size()));
  for (Eigen::Index e = 0; e < edges.rows(); ++e)
    for (int end = 0; end < 2; ++end) degree[edges(e, end)] += comparisons[std::size_t(e)].weight;

  std::vector<std::vector<std::int32_t>> part_edges(parts.vertices.size());
  for (Eigen::Index e = 0; e < edges.rows(); ++e)
    if (comparisons[std::size_t(e)].weight > 0)
      part_edges[std::size_t(parts.part[std::size_t(edges(e, 0))])].push_back(std::int32_t(e));

  PhaseReport report;
  std::vector<double> solved(phases.begin(), phases.end());
  parts_.resize(parts.vertices.size());
  for (std::size_t p = 0; p < parts.vertices.size(); ++p) {
    if (left_alone[p] != 0) continue;
    const Problem problem{parts, edges, comparisons, part_edges[p], degree};
    const auto solve_by = [&](auto& used, auto& unused, auto find) {
      unused.reset();
      if (!used) used = std::make_unique<std::remove_reference_t<decltype(*used)>>();
      const Found found = find(problem, parts.vertices[p], *used, solved);
      if (used->is_large()) used.reset();
      return found;
    };
    Part& part = parts_[p];
    const Found found = parts.oriented[p] != 0 ? solve_by(part.oriented, part.reflected, solve_oriented)
                                               : solve_by(part.reflected, part.oriented, solve_reflected);
    ++report.parts;
    report.products += found.solved;
    report.eigenvalue = std::max(report.eigenvalue, found.value);
    report.residual = std::max(report.residual, found.residual);
    bring_near(parts, p, degree, phases, solved);
  }
  std::copy(solved.begin(), solved.end(), phases.begin());
  return report;
}

}  // namespace pucker::waves
