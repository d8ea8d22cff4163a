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

/// See Standing for the rule. `bind`: (N, 3), the pose the skin was bound in, or what stands for it.
class StandingSearch {
 public:
  StandingSearch(const Source& source, const Array3& bind, double fps);

  /// A frame of the clip that is loaded; only where no other clip has a pose is one of them taken.
  void offer(const Array3& positions, double time, const std::string& clip);
  std::optional<Stood> found() &&;

 private:
  void take_if_best(const Array3& positions, double upright, std::string from);

  double height_;       ///< of the bind pose
  double spread_;       ///< least so far; of the bind pose at first
  bool stretched_;      ///< whether that is a T-pose
  bool named_ = false;  ///< whether a clip's name decided
  std::optional<Stood> best_;
};

}  // namespace pucker::io
