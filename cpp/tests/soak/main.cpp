/// Random motion over every kind of mesh, by all methods, with every invariant checked in every frame.
///
/// Usage: pucker_soak [FRAMES]             as many frames, in episodes from number 0 on
///        pucker_soak --from N FRAMES      from episode N on
///        pucker_soak --episode N          that episode alone
///        pucker_soak --memory FRAMES      one run of each method of so many frames; --leak BYTES a frame, to be found
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iostream>
#include <string>
#include <thread>

#include "pucker/errors.h"
#include "soak/c_episode.h"
#include "soak/checks.h"
#include "soak/episode.h"
#include "soak/memory.h"

namespace {

using namespace pucker::soak;
using Clock = std::chrono::steady_clock;

constexpr double kPatience = 120;  ///< seconds of computing a frame may take
/// One episode of so many is followed by one through the C interface; shares no divisor with the number of cloths.
constexpr std::uint64_t kEpisodesToC = 7;

// Read by signal handlers and by the thread that watches.
std::atomic<std::uint64_t> episode = 0;
std::atomic<std::int64_t> frame = 0;
std::atomic<std::int64_t> frames_before = 0;  ///< of the episodes before it
std::int64_t frames_through_c = 0;
volatile std::sig_atomic_t asked_to_end = 0;

/// What replays the episode under way; safe in a signal handler.
void tell_replay(const char* what) {
  std::array<char, 256> line{};
  const int size = std::snprintf(line.data(), line.size(),
                                 "soak: after %lld frames, %s in frame %lld; replay: ./run soak --episode %llu\n",
                                 static_cast<long long>(frames_before.load()), what,
                                 static_cast<long long>(frame.load()), static_cast<unsigned long long>(episode.load()));
  if (size > 0 && write(STDERR_FILENO, line.data(), std::size_t(size)) < 0) std::_Exit(3);
}

void on_signal(int number) {
  tell_replay(number == SIGSEGV ? "SIGSEGV" : number == SIGABRT ? "SIGABRT" : number == SIGFPE ? "SIGFPE" : "a signal");
  std::_Exit(2);
}

/// Seconds that this process has computed: on a busy machine by far fewer than have passed.
double computed() { return double(std::clock()) / CLOCKS_PER_SEC; }

/// Ends the process if one frame takes for ever.
void watch() {
  std::thread([] {
    std::uint64_t last_episode = 0;
    std::int64_t last_frame = -1;
    double since = computed();
    for (;;) {
      std::this_thread::sleep_for(std::chrono::seconds(1));
      if (episode != last_episode || frame != last_frame) {
        last_episode = episode;
        last_frame = frame;
        since = computed();
      } else if (computed() - since > kPatience) {
        tell_replay("a frame without end");
        std::_Exit(2);
      }
    }
  }).detach();
}

/// Whether the episode went well; tells if not.
bool run(const std::vector<Source>& cloths, std::uint64_t number, Tally& tally) {
  episode = number;
  frame = 0;
  frames_before = tally.frames;
  const char* kind = "broken";
  std::string what;
  try {
    tally.add(run_episode(cloths, number, frame));
    if (number % kEpisodesToC == 0) {
      const Tally through_c = run_c_episode(cloths, number, frame);
      frames_through_c += through_c.frames;
      tally.add(through_c);
    }
    return true;
  } catch (const Broken& error) {
    what = error.what();
  } catch (const std::exception& error) {
    kind = "thrown";
    what = error.what();
  }
  std::cerr << "soak: " << cloths[std::size_t(number % cloths.size())].name << ", frame " << frame << ": " << kind
            << ": " << what << "; replay: ./run soak --episode " << number << '\n';
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t first = 0;
  std::int64_t frames = 20'000;
  std::int64_t memory = 0;
  std::size_t leak = 0;
  bool one = false;
  for (int k = 1; k < argc; ++k) {
    const bool named = std::strncmp(argv[k], "--", 2) == 0;
    if (named && k + 1 == argc) {
      std::cerr << "Usage: soak [--from EPISODE | --episode EPISODE] [FRAMES]\n       soak --memory FRAMES\n";
      return 1;
    }
    one = one || std::strcmp(argv[k], "--episode") == 0;
    if (std::strcmp(argv[k], "--memory") == 0) {
      memory = std::strtoll(argv[++k], nullptr, 10);
    } else if (std::strcmp(argv[k], "--leak") == 0) {
      leak = std::strtoull(argv[++k], nullptr, 10);
    } else if (named) {
      first = std::strtoull(argv[++k], nullptr, 10);
    } else {
      frames = std::strtoll(argv[k], nullptr, 10);
    }
  }
  if (memory != 0) {
    try {
      return run_memory(memory, leak) ? 0 : 1;
    } catch (const std::exception& error) {
      std::cerr << "soak: " << error.what() << '\n';
      return 1;
    }
  }
  for (const int number : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS}) std::signal(number, on_signal);
  for (const int number : {SIGINT, SIGTERM}) std::signal(number, [](int) { asked_to_end = 1; });
  const auto begin = Clock::now();
  std::vector<Source> cloths = made_cloths();
  const std::vector<Source> clips = clip_cloths(PUCKER_DATA_DIR);
  cloths.insert(cloths.end(), clips.begin(), clips.end());
  watch();

  Tally tally;
  constexpr std::int64_t most_failures = 20;
  std::int64_t failures = 0;
  std::int64_t early = 0;
  std::uint64_t number = first;
  for (; one ? number == first : tally.frames < frames && asked_to_end == 0; ++number) {
    if (!run(cloths, number, tally)) ++failures;
    if (failures == most_failures) break;
    if (number == first + cloths.size()) early = in_use();
  }
  const std::int64_t late = in_use();
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  std::cout << tally.frames << " frames of " << number - first << " episodes on " << cloths.size() << " cloths in "
            << seconds << " s: " << tally.wrinkles << " wrinkles, " << tally.restored << " runs restored, "
            << tally.threaded << " frames on two threads, " << frames_through_c << " frames through C, "
            << tally.refused_frames << " frames and " << tally.refused_runs << " runs refused, " << failures
            << " failures; " << late << " bytes in use, after the first round " << early << '\n';
  if (early > 0 && late > early + kGrowth) {
    std::cerr << "soak: memory in use grew from " << early << " to " << late << " bytes\n";
    return 1;
  }
  return failures == 0 ? 0 : 1;
}
