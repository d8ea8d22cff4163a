/// Many characters advanced at once, over all cores.
#pragma once

#include <memory>
#include <span>

#include "pucker/method.h"

namespace pucker {

/// The next frame of one character; a view, the owner keeps run and positions alive.
struct CrowdStep {
  Method* run;
  Eigen::Map<const Array3> positions;  ///< (n, 3)
  double time;                         ///< seconds
};

/// Characters that are advanced together, on the threads that all calls share (threads.h): each on one of them. They
/// share nothing, so each gets the same bits as by itself, on any number of threads, and their methods may differ. A
/// character that is advanced alone, as there are no others, may use several threads itself. One thread at a time may
/// use a crowd, in the process that made it.
class Crowd {
 public:
  /// `threads`: how many characters are advanced at the same time; 0: crowd_threads(), one a core unless the
  /// caller or PUCKER_THREADS says otherwise. Throws InvalidArgument above kMostThreads.
  explicit Crowd(std::size_t threads = 0);
  ~Crowd();
  Crowd(Crowd&&) noexcept;
  Crowd& operator=(Crowd&&) noexcept;

  std::size_t thread_count() const;

  /// Calls Method::advance of every step, each taken up by the next thread that is free: those first whose last frames
  /// took longest, so that no thread has a long one left when the others are done. Throws InvalidArgument, naming
  /// the step, for a frame that advance would refuse and for a run that is named twice; nothing has changed then.
  /// Throws Error for a call while another one is under way, in a process forked from the one that made the crowd, and
  /// where the system has no more threads. A run whose advance throws nevertheless (out of memory, say) stays as it
  /// was; the others are advanced, and the first such exception in the order of the steps is thrown.
  void advance(std::span<const CrowdStep> steps);

 private:
  struct Team;
  std::unique_ptr<Team> team_;
};

}  // namespace pucker
