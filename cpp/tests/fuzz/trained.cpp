/// A trained set as the programs read it: an .npz, the arrays in it, and the synthesis of them.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "pucker/byexample/trained.h"
#include "pucker/errors.h"
#include "pucker/io/npz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pucker;
  static const std::string path = [] {
    std::array<char, 64> name{"/dev/shm/pucker-fuzz-XXXXXX"};
    if (mkdtemp(name.data()) == nullptr) std::abort();
    return std::string(name.data()) + "/set.npz";
  }();
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(data), std::streamsize(size));
  io::Limits limits;
  limits.memory = std::int64_t(16) << 20;
  const auto read = [&](const std::string& file, std::span<const std::string_view> names) {
    return io::read_npz(file, names, limits);
  };
  try {
    const byexample::TrainedSet set = byexample::read_trained(path, read);
    byexample::synthesis_of(set, std::make_shared<const Mesh>(set.faces, set.rest.rows()));
  } catch (const Error&) {
  } catch (const InvalidArgument&) {
  }
  return 0;
}
