// Prints the samples of one measurement as JSON. Heap allocations are counted by standing in for malloc, which the
// standard library's operator new and all libraries call.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

#include "runs.h"

extern "C" void* __libc_malloc(std::size_t size);  // NOLINT: glibc's name

namespace {
std::atomic<std::int64_t> allocations = 0;
}  // namespace

extern "C" void* malloc(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}

std::int64_t pucker::bench::allocation_count() { return allocations.load(std::memory_order_relaxed); }

namespace {

nlohmann::json measure(std::string_view name, const std::string& folder) {
  using namespace pucker::bench;
  if (name == "frames") return run_frames(folder);
  if (name == "scale") return run_scale();
  if (name == "shared") return run_shared_scale();
  if (name == "cores") return run_cores();
  if (name == "persistence") return run_persistence(folder);
  if (name == "crowd") return run_crowd(folder);
  if (name == "waves") return run_waves();
  if (name == "wave_allocations") return run_wave_allocations();
  if (name == "fixed") return run_fixed(folder);
  throw std::invalid_argument("no such measurement: " + std::string(name));
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(
        stderr,
        "usage: pucker_bench frames|scale|shared|cores|persistence|crowd|waves|wave_allocations|fixed DATA_FOLDER\n");
    return 2;
  }
  try {
    std::printf("%s\n", measure(arguments[1], arguments[2]).dump().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "pucker_bench: %s\n", error.what());
    return 2;
  }
}
