/// What must hold of every frame, by code of its own: none of the core's own checks is called.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "pucker/byexample/by_example.h"
#include "pucker/drape/drape.h"
#include "pucker/dynamic/wrinkler.h"
#include "pucker/errors.h"
#include "pucker/waves/wave_field.h"
#include "soak/course.h"
#include "soak/draws.h"

namespace pucker::soak {

/// A rule that did not hold.
class Broken : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <class... Parts>
void hold(bool condition, const Parts&... parts) {
  if (!condition) throw Broken(message(parts...));
}

/// The triangles of each edge, smaller vertex first, of a mesh's proper triangles.
using EdgeTriangles = std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::int32_t>>;

/// Checks the frames of one run, each against the one before.
class Checks {
 public:
  virtual ~Checks() = default;
  /// Of the frame that the run has just been shown; `still`: how many frames the cloth has been at rest.
  void frame(const Method& run, const Shot& shot, int still, Draws& draws);

 protected:
  Checks() = default;
  Checks(const Checks&) = default;
  Checks& operator=(const Checks&) = default;
  /// `dt`: seconds since the frame before, 0 in the first.
  virtual void method_frame(const Method& run, double dt, int still) = 0;
  /// The greatest difference between points of an edge that are evaluated from both its triangles; below 0: any.
  virtual double seam(const State& state) const = 0;

 private:
  void detail(const State& state, Draws& draws) const;

  std::int64_t frames_ = 0;
  double time_ = 0;
};

std::unique_ptr<Checks> dynamic_checks(const Wrinkler& run, bool usual);
std::unique_ptr<Checks> waves_checks(const waves::WaveField& run);
std::unique_ptr<Checks> byexample_checks(const byexample::ByExample& run);
std::unique_ptr<Checks> drape_checks(const drape::Drape& run);

}  // namespace pucker::soak
