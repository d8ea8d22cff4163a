/// What a frame's loops are made of, block by block, and how long the frame would take on more threads.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "pucker/rehearsal.h"

namespace pucker::bench {

/// A time that one thread computes, or a loop, which has blocks.
struct Piece {
  std::size_t stage = 0;
  double serial = 0;  ///< seconds before the loop, or all of it
  std::size_t limit = 1;
  Taking taking = Taking::parts;
  BlockFunction function = nullptr;
  std::vector<double> blocks;  ///< seconds of each
};
using Pieces = std::vector<Piece>;

/// Records a frame that is rehearsed, in seconds of the processor.
class Recorder final : public Rehearsal {
 public:
  void begin();
  /// What was recorded since begin(); what came after the last stage is part of that.
  Pieces end();

  void begin_loop(std::size_t blocks, std::size_t limit, Taking taking, BlockFunction function) override;
  void end_block() override;
  void end_loop() override;
  void end_stage(std::size_t stage) override;

 private:
  /// Seconds of the processor of this thread: what else the machine does does not count.
  static double spent();
  /// Since the last call.
  double lap();

  Pieces pieces_;
  std::size_t open_ = 0;  ///< the first piece whose stage is not known yet
  double last_ = 0;
};

/// Takes each time that is shorter in `other`, of the same frame, into `into`. Throws std::logic_error if it has other
/// pieces.
void keep_quickest(const Pieces& other, Pieces& into);

/// Seconds that sharing a loop costs, of the machine.
struct Costs {
  double notify = 0;    ///< of the caller for each thread that sleeps
  double wake = 0;      ///< from then until that has its first block
  double dispatch = 0;  ///< until a thread that waits awake has its first block
  double close = 0;     ///< from the end of the last block until the caller goes on
  double line = 0;      ///< of a number that several threads change, for each that does
};
/// On two threads of this machine, each of a core of its own: the quickest twentieth.
Costs measure_costs();

/// Seconds of a stage.
struct StageTimes {
  double serial = 0;  ///< on the caller's thread alone
  double loops = 0;   ///< by the clock, of loops
  double blocks = 0;  ///< of all blocks, one after the other
};

/// Takes pieces through as run_blocks would on threads with a core each, which are asleep when the first begins.
class Replay {
 public:
  explicit Replay(const Costs& costs);
  /// By stage.
  std::vector<StageTimes> run(const Pieces& pieces, std::size_t stages);

 private:
  /// When a loop that begins at `begin` ends.
  double run_loop(const Piece& piece, double begin);

  Costs costs_;
  /// Since when each thread but the caller's waits.
  std::vector<double> waits_;
};

/// Seconds of all stages by the clock.
double whole(const std::vector<StageTimes>& stages);

}  // namespace pucker::bench
