/// A file of the format that the variable PUCKER_FUZZ_FORMAT names: what its reader throws must be pucker's own.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <string_view>

#include "pucker/errors.h"
#include "pucker/io/load.h"
#include "pucker/io/source.h"

namespace {

using namespace pucker;

constexpr std::size_t kMostClips = 3;

const std::string& format() {
  static const std::string name = [] {
    const char* variable = std::getenv("PUCKER_FUZZ_FORMAT");
    if (variable == nullptr) std::abort();
    return std::string(variable);
  }();
  return name;
}

/// A folder of this process in memory.
const std::filesystem::path& folder() {
  static const std::filesystem::path made = [] {
    std::array<char, 64> name{"/dev/shm/pucker-fuzz-XXXXXX"};
    if (mkdtemp(name.data()) == nullptr) std::abort();
    std::atexit([] {
      std::error_code ignored;
      std::filesystem::remove_all(folder(), ignored);
    });
    return std::filesystem::path(name.data());
  }();
  return made;
}

void write(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
}

/// What a cache of four points moves.
constexpr std::string_view kQuad = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";

/// An MD3 of one surface and one frame, so that a .skin beside it is looked at: header, frame, surface.
std::string small_md3() {
  std::string out;
  const auto number = [&](std::int32_t value) { out.append(reinterpret_cast<const char*>(&value), sizeof value); };
  const auto text = [&](std::string_view value, std::size_t size) {
    out.append(value);
    out.append(size - value.size(), '\0');
  };
  constexpr std::int32_t header = 108;
  constexpr std::int32_t frame = 56;
  constexpr std::int32_t surface = 108 + 68 + 12 + 3 * 8 + 3 * 8;
  text("IDP3", 4);
  number(15);
  text("cloth", 64);
  for (const std::int32_t value : {0, 1, 0, 1, 0, header, header + frame, header + frame, header + frame + surface})
    number(value);
  text("", frame);
  text("IDP3", 4);
  text("part", 64);
  for (const std::int32_t value : {0, 1, 1, 3, 1, 108 + 68, 108, 108 + 68 + 12, 108 + 68 + 12 + 24, surface})
    number(value);
  text("part.tga", 64);
  number(0);
  for (const std::int32_t value : {0, 1, 2}) number(value);
  text("", 24);
  for (const std::int16_t value : std::initializer_list<std::int16_t>{0, 0, 0, 0, 640, 0, 0, 0, 0, 640, 0, 0})
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  return out;
}

/// Lays the bytes out as the reader expects them; the path to open.
std::filesystem::path lay_out(std::string_view bytes) {
  if (format() == "mdd" || format() == "pc2") {
    write(folder() / "cloth.obj", kQuad);
  } else if (format() == "skin") {
    write(folder() / "cloth.md3", small_md3());
    write(folder() / "cloth_default.skin", bytes);
    return folder() / "cloth.md3";
  } else if (format() == "obj") {
    // Frames of a sequence, between file separators.
    std::filesystem::remove_all(folder() / "frames");
    std::filesystem::create_directory(folder() / "frames");
    constexpr int most = 4;
    for (int frame = 0; frame < most; ++frame) {
      const std::size_t end = std::min(bytes.find('\x1c'), bytes.size());
      write(folder() / "frames" / (std::to_string(frame) + ".obj"), bytes.substr(0, end));
      if (end == bytes.size()) break;
      bytes.remove_prefix(end + 1);
    }
    return folder() / "frames";
  }
  const std::filesystem::path path = folder() / ("cloth." + format());
  write(path, bytes);
  return path;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::filesystem::path path = lay_out({reinterpret_cast<const char*>(data), size});
  try {
    io::OpenOptions open;
    // What is packed may well unpack to more than the file is long; here to no more than is looked for.
    if (format() == "zip") open.limits.memory = std::int64_t(16) << 20;
    const auto source = io::open_source(path, open);
    const io::FileInfo info = io::inspect(*source);
    std::size_t clips = 0;
    for (const io::ClipInfo& clip : info.clips) {
      if (++clips > kMostClips) break;
      io::LoadOptions options;
      options.clip = clip.name;
      options.limits.frames = 1000;
      options.limits.memory = std::int64_t(16) << 20;
      try {
        io::load(*source, options);
      } catch (const Error&) {
      } catch (const InvalidArgument&) {
      }
    }
    for (const io::PartInfo& part : info.materials) io::select(*source, {part.name});
  } catch (const Error&) {
  } catch (const InvalidArgument&) {
  }
  return 0;
}
