/// Reading bytes, with errors that name the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "pucker/errors.h"

namespace pucker::io {

using Bytes = std::vector<std::uint8_t>;

/// Throws Error if the file cannot be read.
Bytes read_bytes(const std::filesystem::path& path);

/// The extension in lower case, without the dot.
std::string lower_extension(const std::filesystem::path& path);

/// The picture a model names: at the relative path given, or under its bare file name next to the model. Empty if there
/// is none, as a model is still worth loading without its pictures.
Bytes read_texture(const std::filesystem::path& model, const std::string& name);

/// Throws an Error that starts with the file's path.
template <class... Parts>
[[noreturn]] void fail(const std::filesystem::path& path, const Parts&... parts) {
  throw Error(message(path.string(), ": ", parts...));
}

/// "a, b, c" of the items' names.
template <class Items, class Name>
std::string join(const Items& items, Name name) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : ", ") + std::string(name(item));
  return text;
}

}  // namespace pucker::io
