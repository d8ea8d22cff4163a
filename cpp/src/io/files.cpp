#include "files.h"

#include <algorithm>
#include <cctype>
#include <fstream>

namespace pucker::io {

Bytes read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path, "cannot be opened");
  Bytes bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) fail(path, "cannot be read");
  return bytes;
}

std::string lower_extension(const std::filesystem::path& path) {
  std::string text = path.extension().string();
  if (!text.empty()) text.erase(0, 1);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return text;
}

Bytes read_texture(const std::filesystem::path& model, const std::string& name) {
  std::string unified = name;
  std::ranges::replace(unified, '\\', '/');
  const std::filesystem::path relative(unified);
  for (const auto& candidate : {model.parent_path() / relative, model.parent_path() / relative.filename()})
    if (std::error_code error; std::filesystem::is_regular_file(candidate, error)) return read_bytes(candidate);
  return {};
}

}  // namespace pucker::io
