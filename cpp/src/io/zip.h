/// Files in a .zip.
#pragma once

#include <zip.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pucker/errors.h"
#include "pucker/io/limits.h"

namespace pucker::io {

class ZipFile {
 public:
  /// `heading` is what all errors begin with. Throws Error if the file is no .zip.
  ZipFile(const std::filesystem::path& path, std::string heading, const Limits& limits);

  /// Of all entries, folders too, in their order. Throws Error for one without a name.
  std::vector<std::string> names() const;
  /// What an entry unpacks to. Throws Error if it is damaged, or would take more memory than the limit with what is
  /// made of it.
  std::string read(const std::string& name) const;

 private:
  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    throw Error(message(heading_, parts...));
  }

  std::string heading_;
  Limits limits_;
  std::unique_ptr<zip_t, decltype(&zip_discard)> zip_;
};

/// The bytes of a .zip of entries that are not compressed, each with its name; without times, so that the same entries
/// give the same bytes. Throws Error if there is no memory for it.
std::string zip_of(const std::vector<std::pair<std::string, std::string>>& entries);

}  // namespace pucker::io
