#include "pucker/waves/relax.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "pucker/errors.h"
#include "pucker/mesh/frames.h"
#include "pucker/threads.h"
#include "random.h"

namespace pucker::waves {

namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kPerCycle = 2 * kPi;

/// From an offset beyond this whole cycles are taken first: nearest() rounds to even ones where doubles have no
/// fraction.
constexpr double kMostCycles = 0x1p50;

/// The nearest whole number of |x| < 2⁵¹, ties to even: adding 1.5·2⁵² leaves no room for a fraction. A call of the
/// library would take as long as all the rest.
double nearest(double x) {
  constexpr double room = 0x1.8p52;
  return (x + room) - room;
}

double wrapped(double cycles) { return cycles - nearest(cycles); }

/// Uniform in [−π, π).
double random_phase(std::uint64_t seed, std::uint64_t vertex) { return kPi * (2 * uniform(seed, vertex) - 1); }

/// Edges or vertices that a thread takes at a time.
constexpr std::size_t kTaken = 1024;

double influence(double height) { return std::clamp(4 * height - 0.2, 0.0, 1.0); }

}  // namespace

Relax::Relax(std::shared_ptr<const Mesh> mesh, const RelaxParams& params, std::uint64_t seed)
    : mesh_(std::move(mesh)), params_(params), seed_(seed), neighbours_(*mesh_) {
  visit_params(params_, ParamValidator{});
  const std::size_t count = std::size_t(mesh_->vertex_count());
  phases_.resize(count);
  influences_.resize(count);
  heights_.resize(count);
  most_.resize(count);
  comparisons_.resize(std::size_t(mesh_->edge_count()));
  carried_.resize(count);
  front_.reserve(count);
  carried_phases_.resize(count);
  reset();
  places_.resize(neighbours_.size());
  pulls_.resize(neighbours_.size());
  std::vector<std::size_t> next(count);
  shares_.resize(count);
  for (std::size_t v = 0; v < count; ++v) {
    next[v] = neighbours_.offset(std::int32_t(v));
    shares_[v] = params_.step / (kPi * std::max(neighbour_count(v), 1.0));
  }
  // A vertex' edges ascend as its neighbours do.
  for (Eigen::Index e = 0; e < mesh_->edges().rows(); ++e)
    for (int end = 0; end < 2; ++end) places_[next[std::size_t(mesh_->edges()(e, end))]++] = std::uint32_t(2 * e + end);
}

void Relax::prepare(const PlaneWaves& waves, const ConstArray3& places, Coordinates coordinates) {
  require_positions(*mesh_, places);
  require(waves.amplitudes.size() == phases_.size(), "waves must be of a mesh of ", phases_.size(),
          " vertices, got those of ", waves.amplitudes.size());
  parallel_blocks(phases_.size(), kTaken, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const double height = 4 * waves.amplitudes[v] / waves.wavelengths[v];
      influences_[v] = influence(params_.influence == Influence::relative ? height : waves.amplitudes[v]);
      const double seen = std::min(height, std::exchange(heights_[v], height));
      most_[v] = params_.slide / (seen * std::max(params_.rounds, 1));
    }
  });
  const Array3& vectors = waves.vectors(coordinates);
  const Index2& edges = mesh_->edges();
  parallel_blocks(comparisons_.size(), kTaken, [&](std::size_t begin, std::size_t end) {
    for (std::size_t e = begin; e < end; ++e) {
      const Eigen::Index a = edges(Eigen::Index(e), 0);
      const Eigen::Index b = edges(Eigen::Index(e), 1);
      const Vector3 edge = (places.row(b) - places.row(a)).transpose();
      EdgePhase& comparison = comparisons_[e];
      comparison.sign = vectors.row(a).dot(vectors.row(b)) < 0 ? -1 : 1;
      comparison.offset = -0.5 * (comparison.sign * vectors.row(b).dot(edge) / waves.wavelengths[std::size_t(b)] +
                                  vectors.row(a).dot(edge) / waves.wavelengths[std::size_t(a)]);
      if (std::abs(comparison.offset) > kMostCycles) comparison.offset = std::remainder(comparison.offset, 1.0);
      comparison.weight = influences_[std::size_t(a)] * influences_[std::size_t(b)];
    }
  });
}

void Relax::reset() {
  for (std::size_t v = 0; v < phases_.size(); ++v) phases_[v] = random_phase(seed_, v);
  std::fill(influences_.begin(), influences_.end(), 0.0);
  std::fill(heights_.begin(), heights_.end(), 0.0);
  std::fill(most_.begin(), most_.end(), std::numeric_limits<double>::infinity());
  std::fill(comparisons_.begin(), comparisons_.end(), EdgePhase{});
}

double Relax::difference(std::size_t edge) const {
  const EdgePhase& comparison = comparisons_[edge];
  const auto ends = mesh_->edges().row(Eigen::Index(edge));
  return wrapped((comparison.sign * phases_[std::size_t(ends[1])] - phases_[std::size_t(ends[0])]) * (1 / kPerCycle) +
                 comparison.offset);
}

void Relax::step(std::int64_t rounds) {
  require(rounds >= 0, "rounds must be at least 0, got ", rounds);
  for (std::int64_t round = 0; round < rounds; ++round) {
    parallel_blocks(comparisons_.size(), kTaken, [&](std::size_t begin, std::size_t end) {
      for (std::size_t e = begin; e < end; ++e) {
        const double d = difference(e);
        pulls_[2 * e] = d;
        pulls_[2 * e + 1] = -comparisons_[e].sign * d;
      }
    });
    parallel_blocks(phases_.size(), kTaken, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        double pull = 0;
        const std::uint32_t* place = places_.data() + neighbours_.offset(std::int32_t(v));
        for (const std::int32_t neighbour : neighbours_.of(std::int32_t(v)))
          pull += influences_[std::size_t(neighbour)] * pulls_[*place++];
        const double phase = phases_[v] + std::clamp(shares_[v] * pull, -most_[v], most_[v]);
        phases_[v] = phase - kPerCycle * nearest(phase * (1 / kPerCycle));
      }
    });
  }
}

PhaseReport Relax::solve(std::span<const std::uint8_t> kept) {
  require(kept.empty() || kept.size() == phases_.size(), "kept must have one entry a vertex: ", phases_.size(),
          ", got ", kept.size());
  return solver_.solve(mesh_->edges(), comparisons_, phases_, kept);
}

bool Relax::carry_on(std::span<const std::uint8_t> kept) {
  require(kept.size() == phases_.size(), "kept must have one entry a vertex: ", phases_.size(), ", got ", kept.size());
  std::size_t wanting = 0;
  for (std::size_t v = 0; v < phases_.size(); ++v) {
    const bool waves = influences_[v] > 0;
    carried_[v] = waves && kept[v] != 0 ? Carried::done : Carried::no;
    wanting += waves && kept[v] == 0;
  }
  if (wanting == 0) return false;
  front_.clear();
  for (std::size_t v = 0; v < phases_.size(); ++v)
    if (carried_[v] == Carried::done) add_to_front(std::int32_t(v));
  carry_front_on();
  return front_.size() < wanting;
}

void Relax::carry_on_everywhere(std::span<const std::uint8_t> kept) {
  if (!carry_on(kept)) return;
  for (std::size_t v = 0; v < phases_.size(); ++v) {
    if (carried_[v] != Carried::no || !(influences_[v] > 0)) continue;
    carried_[v] = Carried::done;
    front_.clear();
    add_to_front(std::int32_t(v));
    carry_front_on();
  }
}

void Relax::add_to_front(std::int32_t vertex) {
  for (const std::int32_t n : neighbours_.of(vertex)) {
    if (carried_[std::size_t(n)] != Carried::no || !(influences_[std::size_t(n)] > 0)) continue;
    carried_[std::size_t(n)] = Carried::next;
    front_.push_back(n);
  }
}

void Relax::carry_front_on() {
  for (std::size_t begin = 0; begin < front_.size();) {
    const std::size_t end = front_.size();
    // From the rings before, then from those and the ring itself; each time all at once, so that no order counts.
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t k = begin; k < end; ++k) carried_phases_[k] = carried_phase(front_[k]);
      for (std::size_t k = begin; k < end; ++k) {
        phases_[std::size_t(front_[k])] = carried_phases_[k];
        carried_[std::size_t(front_[k])] = Carried::done;
      }
    }
    for (std::size_t k = begin; k < end; ++k) add_to_front(front_[k]);
    begin = end;
  }
}

double Relax::carried_phase(std::int32_t vertex) const {
  Vector2 sum = Vector2::Zero();
  const std::uint32_t* place = places_.data() + neighbours_.offset(vertex);
  for (const std::int32_t n : neighbours_.of(vertex)) {
    const EdgePhase& comparison = comparisons_[*place / 2];
    const bool first = *place++ % 2 == 0;
    if (carried_[std::size_t(n)] != Carried::done) continue;
    const double shift = kPerCycle * wrapped(comparison.offset);
    const double phase = phases_[std::size_t(n)];
    const double wanted = comparison.sign * (first ? phase : phase - shift) + (first ? shift : 0);
    sum += influences_[std::size_t(n)] * Vector2(std::cos(wanted), std::sin(wanted));
  }
  return std::atan2(sum.y(), sum.x());
}

void Relax::set_phases(std::span<const double> phases) {
  require(phases.size() == phases_.size(), "phases must have one entry a vertex: ", phases_.size(), ", got ",
          phases.size());
  for (std::size_t v = 0; v < phases.size(); ++v)
    require(std::isfinite(phases[v]), "phases must be finite, but phases[", v, "] is ", phases[v]);
  std::copy(phases.begin(), phases.end(), phases_.begin());
}

void Relax::differences(std::vector<double>& out) const {
  out.resize(comparisons_.size());
  for (std::size_t e = 0; e < out.size(); ++e) out[e] = difference(e);
}

void Relax::errors(std::vector<double>& out) const {
  out.assign(phases_.size(), 0);
  for (std::size_t e = 0; e < comparisons_.size(); ++e) {
    const double d = difference(e);
    for (int end = 0; end < 2; ++end) {
      const std::size_t v = std::size_t(mesh_->edges()(Eigen::Index(e), end));
      const std::size_t n = std::size_t(mesh_->edges()(Eigen::Index(e), 1 - end));
      out[v] += influences_[n] * d * d / neighbour_count(v);
    }
  }
}

double Relax::energy() const {
  struct Sums {
    double error = 0;
    double weight = 0;
  };
  // Parts that depend on the number of edges alone, so that the sum does not depend on the threads.
  std::array<Sums, 64> sums;
  const std::size_t count = comparisons_.size();
  const std::size_t parts = std::clamp<std::size_t>(count / kTaken, 1, sums.size());
  parallel_for(parts, [&](std::size_t part) {
    Sums own;
    for (std::size_t e = count * part / parts; e < count * (part + 1) / parts; ++e) {
      const double d = difference(e);
      own.error += comparisons_[e].weight * d * d;
      own.weight += comparisons_[e].weight;
    }
    sums[part] = own;
  });
  Sums whole;
  for (std::size_t part = 0; part < parts; ++part) {
    whole.error += sums[part].error;
    whole.weight += sums[part].weight;
  }
  return whole.weight > 0 ? whole.error / whole.weight : 0;
}

void Relax::bifurcations(std::vector<std::int8_t>& out) const {
  out.assign(std::size_t(mesh_->triangle_count()), -1);
  for (std::int32_t t = 0; t < mesh_->triangle_count(); ++t) {
    if (mesh_->degenerate(t)) continue;
    // The phase that each edge adds on the way round, in cycles, with the sign of the first corner's wave.
    double turn = 0;
    double sign = 1;
    for (int k = 0; k < 3; ++k) {
      const std::size_t e = std::size_t(mesh_->triangle_edges()(t, k));
      const EdgePhase& comparison = comparisons_[e];
      const bool forward = mesh_->edges()(Eigen::Index(e), 0) == mesh_->faces()(t, k);
      // Seen from b, edge (a, b) has the difference −s·d and the offset −s·offset.
      turn += sign * (forward ? 1 : -comparison.sign) * (difference(e) - comparison.offset);
      sign *= comparison.sign;
    }
    if (sign > 0) out[std::size_t(t)] = std::int8_t(std::clamp(std::abs(nearest(turn)), 0.0, 127.0));
  }
}

}  // namespace pucker::waves
