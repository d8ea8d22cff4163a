/// Which pose of a file shows its character standing quietly.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pucker/io/source.h"

namespace pucker::io {

/// A pose of all stored vertices (N, 3), and where it is from, as Standing::from says it.
struct Stood {
  std::string from;
  Array3 positions;
};

/// The stored vertices of each figure whose joints move some of the garment's vertices: joints that move a vertex
/// together, or of which one is the next such joint above the other, are of one figure.
std::vector<std::vector<std::int32_t>> figures_of(const Rig& rig, const std::vector<std::int32_t>& garment);

/// See Standing for the rule, of which only the figures count; without any, all vertices are one. `bind`: (N, 3), the
/// pose the skin was bound in, or what stands for it.
class StandingSearch {
 public:
  StandingSearch(const Source& source, const Array3& bind, double fps, std::vector<std::vector<std::int32_t>> figures);

  /// A frame of the clip that is loaded; only where no other clip has a pose is one of them taken.
  void offer(const Array3& positions, double time, const std::string& clip);
  std::optional<Stood> found() &&;

 private:
  void take_if_best(const Array3& positions, double upright, std::string from);
  double height_of(const Array3& positions) const;
  double spread_of(const Array3& positions) const;
  bool is_stretched(const Array3& positions) const;

  std::vector<std::vector<std::int32_t>> figures_;
  double height_;       ///< of the bind pose
  double spread_;       ///< least so far; of the bind pose at first
  bool stretched_;      ///< whether that is a T-pose
  bool named_ = false;  ///< whether a clip's name decided
  std::optional<Stood> best_;
};

}  // namespace pucker::io
