/// The files that waves begin with, for a sheet of two triangles: PUCKER_FUZZ_FORMAT says whether the bytes are a
/// painting or wavelengths.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "pucker/errors.h"
#include "pucker/io/npz.h"
#include "pucker/vertex_factors.h"
#include "pucker/waves/painting.h"

namespace {

using namespace pucker;

void read_painting(const std::string& path, const std::shared_ptr<const Mesh>& mesh, const Array3& rest,
                   const io::Limits& limits) {
  const auto read = [&](const std::string& file, std::span<const std::string_view> names) {
    return io::read_npz(file, names, limits);
  };
  waves::Painting painting = waves::Painting::read(path, mesh, rest, read);
  // What was read can be painted on, and written again.
  painting.erase({.triangle = 0, .barycentric = Eigen::Vector3d(0.25, 0.25, 0.5), .radius = 0.5, .strength = 0.5});
  painting.undo();
  const std::string packed = io::pack_npz(painting.arrays());
  std::ofstream(path, std::ios::binary).write(packed.data(), std::streamsize(packed.size()));
  if (waves::Painting::read(path, mesh, rest, read).vectors() != painting.vectors()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool wavelengths = std::string_view(std::getenv("PUCKER_FUZZ_FORMAT")) == "wavelengths";
  static const std::string path = [] {
    std::array<char, 64> name{"/dev/shm/pucker-fuzz-XXXXXX"};
    if (mkdtemp(name.data()) == nullptr) std::abort();
    return std::string(name.data()) + (wavelengths ? "/factors.npy" : "/painting.npz");
  }();
  static const auto mesh = [] {
    Index3 faces(2, 3);
    faces << 0, 1, 2, 0, 2, 3;
    return std::make_shared<const Mesh>(faces, 4);
  }();
  Array3 rest(4, 3);
  rest << 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0.2;
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(data), std::streamsize(size));
  io::Limits limits;
  limits.memory = std::int64_t(16) << 20;
  try {
    if (wavelengths)
      vertex_factors(path, "wavelengths", *mesh, {},
                     [&](const std::string& file) { return io::read_npy(file, limits); });
    else
      read_painting(path, mesh, rest, limits);
  } catch (const Error&) {
  } catch (const InvalidArgument&) {
  }
  return 0;
}
