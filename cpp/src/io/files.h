/// Reading bytes, with errors that name the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pucker/errors.h"
#include "pucker/io/limits.h"

namespace pucker::io {

using Bytes = std::vector<std::uint8_t>;

/// Throws Error if the file cannot be read or is larger than the limit.
Bytes read_bytes(const std::filesystem::path& path, const Limits& limits);

/// Bytes as characters.
std::string_view text_of(const Bytes& bytes);

/// The text without the characters of `blank` at both its ends.
std::string_view trimmed(std::string_view text, std::string_view blank);

/// The text with ASCII's letters in lower case.
std::string lower(std::string_view text);

/// The extension in lower case, without the dot.
std::string lower_extension(const std::filesystem::path& path);

/// The text if it is UTF-8, else each of its bytes taken as a character of Latin-1, which any bytes are.
std::string utf8(std::string text);

/// Whether a file lies in the folder of the model or below, links followed.
bool lies_beside(const std::filesystem::path& model, const std::filesystem::path& file);

/// Throws Error unless a file that belongs to the model lies in its folder or below, links followed, or any may.
void require_beside(const std::filesystem::path& model, const std::filesystem::path& file, bool anywhere);

/// The picture a model names: at the relative path given, or under the longest end of the path that there is next to
/// the model, as of absolute paths on another machine, or under its bare file name in a folder next to the model, the
/// first by name; with `anywhere`, absolute paths and those that leave the model's folder are followed too. Empty if
/// there is none, as a model is still worth loading without its pictures.
Bytes read_texture(const std::filesystem::path& model, const std::string& name, bool anywhere, const Limits& limits);

/// Throws Error if a file has more bytes than the limit.
void check_size(const std::filesystem::path& path, std::uintmax_t size, const Limits& limits);

/// Says what the limit of memory is, and what lifts it.
std::string limit_of_memory(const Limits& limits);

/// Throws Error if the frames of a clip are more than allowed, or their positions take more memory; `advice` is the end
/// of what the latter says.
void check_frames(const std::filesystem::path& path, double frames, std::int64_t vertices, const Limits& limits,
                  std::string_view advice = {});

/// How many frames of so many vertices the limit of memory has room for, not rounded.
double frames_within(std::int64_t vertices, const Limits& limits);

/// Throws an Error that starts with the file's path.
template <class... Parts>
[[noreturn]] void fail(const std::filesystem::path& path, const Parts&... parts) {
  throw Error(message(path.string(), ": ", parts...));
}

/// "a, b, c" of the items' names; of more than `most`, the first ones and how many more there are.
template <class Items, class Name>
std::string join(const Items& items, Name name, std::size_t most = 200) {
  std::string text;
  std::size_t count = 0;
  for (const auto& item : items)
    if (++count <= most) text += (text.empty() ? "" : ", ") + std::string(name(item));
  return count > most ? message(text, " and ", count - most, " more") : text;
}

}  // namespace pucker::io
