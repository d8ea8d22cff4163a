/// Does what a sanitizer must report: one that says nothing of it does not look at all.
///
/// Usage: pucker_planted FAULT
#include <array>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

namespace {

/// Reads beside a block of memory.
int read_beside(int from) {
  const std::vector<int> numbers(std::size_t(from), 1);
  const volatile int* first = numbers.data();
  return first[from];
}

/// Takes a number for more than it can be.
int overflow(int by) {
  volatile int most = INT_MAX;
  return most + by;
}

/// Counts in two threads without a lock.
int race() {
  int count = 0;
  const auto add = [&] { ++count; };
  std::thread other(add);
  add();
  other.join();
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view fault = argc == 2 ? argv[1] : "";
  if (fault == "address") {
    std::printf("%d\n", read_beside(argc));
  } else if (fault == "undefined") {
    std::printf("%d\n", overflow(argc));
  } else if (fault == "race") {
    std::printf("%d\n", race());
  } else {
    std::fputs("Usage: pucker_planted address | undefined | race\n", stderr);
  }
  return 0;
}
