/// JSON files whose errors name the file.
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "pucker/errors.h"

namespace pucker::viewer {

/// Calls `take` with the content of a file. Throws Error if it cannot be read, is not JSON, or `take` misses a value.
template <class Take>
void read_json(const std::filesystem::path& path, const Take& take) {
  std::ifstream file(path);
  if (!file) throw Error(message(path.string(), " cannot be read"));
  try {
    take(nlohmann::json::parse(file));
  } catch (const nlohmann::json::exception& error) {
    throw Error(message(path.string(), ": ", error.what()));
  }
}

}  // namespace pucker::viewer
