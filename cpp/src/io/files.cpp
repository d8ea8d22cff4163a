#include "files.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <string_view>
#include <vector>

namespace pucker::io {

Bytes read_bytes(const std::filesystem::path& path, const Limits& limits) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) fail(path, "cannot be opened");
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (!error) check_size(path, size, limits);
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path, "cannot be opened");
  Bytes bytes(error ? 0 : std::size_t(size));
  file.read(reinterpret_cast<char*>(bytes.data()), std::streamsize(bytes.size()));
  if (file.bad() || std::size_t(file.gcount()) != bytes.size()) fail(path, "cannot be read");
  return bytes;
}

std::string_view text_of(const Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

std::string_view trimmed(std::string_view text, std::string_view blank) {
  text.remove_prefix(std::min(text.find_first_not_of(blank), text.size()));
  text.remove_suffix(text.size() - std::min(text.find_last_not_of(blank) + 1, text.size()));
  return text;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return result;
}

std::string lower_extension(const std::filesystem::path& path) {
  const std::string text = path.extension().string();
  return lower(std::string_view(text).substr(text.empty() ? 0 : 1));
}

namespace {

// Bytes of the character that starts at `at`, 0 if none does (Unicode 15, table 3-7).
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t k) { return at + k < text.size() ? std::uint8_t(text[at + k]) : std::uint8_t(0); };
  const auto follows = [&](std::size_t k) { return (byte(k) & 0xC0U) == 0x80U; };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool shortest = first != 0xE0 || byte(1) >= 0xA0;
    const bool no_surrogate = first != 0xED || byte(1) <= 0x9F;
    return follows(1) && follows(2) && shortest && no_surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool shortest = first != 0xF0 || byte(1) >= 0x90;
    const bool in_range = first != 0xF4 || byte(1) <= 0x8F;
    return follows(1) && follows(2) && follows(3) && shortest && in_range ? 4 : 0;
  }
  return 0;
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

// As positions are sampled, and as they are handed on.
double frame_bytes(std::int64_t vertices) { return 2.0 * double(vertices) * 3.0 * double(sizeof(double)); }

}  // namespace

std::string utf8(std::string text) {
  if (is_utf8(text)) return text;
  std::string result;
  for (const char c : text) {
    const auto byte = std::uint8_t(c);
    if (byte < 0x80) {
      result += c;
    } else {
      result += char(0xC0U | (byte >> 6U));
      result += char(0x80U | (byte & 0x3FU));
    }
  }
  return result;
}

bool lies_beside(const std::filesystem::path& model, const std::filesystem::path& file) {
  std::error_code error;
  const std::filesystem::path folder = model.parent_path().empty() ? "." : model.parent_path();
  const std::filesystem::path home = std::filesystem::weakly_canonical(folder, error);
  if (error) return false;
  const std::filesystem::path place = std::filesystem::weakly_canonical(file, error);
  return !error && std::ranges::mismatch(home, place).in1 == home.end();
}

void require_beside(const std::filesystem::path& model, const std::filesystem::path& file, bool anywhere) {
  if (!anywhere && !lies_beside(model, file))
    fail(model, "takes ", file.string(), " from outside its folder; anywhere=True allows it");
}

Bytes read_texture(const std::filesystem::path& model, const std::string& name, bool anywhere, const Limits& limits) {
  std::string unified = name;
  std::ranges::replace(unified, '\\', '/');
  // A file name holds no zero byte, and the system would read one up to there.
  if (unified.find('\0') != std::string::npos) return {};
  const std::filesystem::path named(unified);
  const std::filesystem::path folder = model.parent_path();
  // The ends of the path, from the bare file name to what a few folders stand before.
  constexpr std::size_t longest = 6;
  std::vector<std::filesystem::path> ends;
  std::filesystem::path end;
  for (auto part = named.end(); part != named.begin() && ends.size() < longest;) {
    end = end.empty() ? *--part : *--part / end;
    if (end.is_relative()) ends.push_back(folder / end);
  }
  ends.push_back(folder / named);
  const auto is_there = [&](const std::filesystem::path& file) {
    std::error_code error;
    return (anywhere || lies_beside(model, file)) && std::filesystem::is_regular_file(file, error);
  };
  if (const auto found = std::find_if(ends.rbegin(), ends.rend(), is_there); found != ends.rend())
    return read_bytes(*found, limits);
  std::vector<std::filesystem::path> deeper;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder.empty() ? "." : folder, error), none; !error && entry != none;
       entry.increment(error))
    if (std::error_code unread; entry->is_directory(unread)) deeper.push_back(entry->path() / named.filename());
  std::ranges::sort(deeper);
  const auto found = std::ranges::find_if(deeper, is_there);
  return found != deeper.end() ? read_bytes(*found, limits) : Bytes{};
}

void check_size(const std::filesystem::path& path, std::uintmax_t size, const Limits& limits) {
  if (size > std::uintmax_t(limits.memory)) fail(path, "has ", size, " bytes; ", limit_of_memory(limits));
}

std::string limit_of_memory(const Limits& limits) {
  return message("the limit of memory is ", limits.memory, " bytes, which PUCKER_MAX_MEMORY=BYTES lifts");
}

void check_frames(const std::filesystem::path& path, double frames, std::int64_t vertices, const Limits& limits,
                  std::string_view advice) {
  if (!(frames <= double(limits.frames))) fail(path, "has ", frames, " frames, the limit of frames is ", limits.frames);
  if (!(frames <= frames_within(vertices, limits)))
    fail(path, "has ", frames, " frames of ", vertices, " vertices, which take ", frames * frame_bytes(vertices),
         " bytes; ", limit_of_memory(limits), advice);
}

double frames_within(std::int64_t vertices, const Limits& limits) {
  return double(limits.memory) / frame_bytes(vertices);
}

}  // namespace pucker::io
