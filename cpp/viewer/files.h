/// Files that appear under their names only when they are complete.
#pragma once

#include <filesystem>
#include <span>

#include "pucker/errors.h"

namespace pucker::viewer {

/// A file could not be written; the message names it and the cause. What was there before is as it was.
class WriteError : public Error {
 public:
  using Error::Error;
};

/// Writes a file in the place of an earlier one. Throws WriteError, and leaves nothing behind, if that fails.
void write_file(const std::filesystem::path& path, std::span<const char> content);

/// A folder inside another one, for files that belong there once all are complete.
class PendingFolder {
 public:
  /// `folder` need not exist. Throws Error if it takes no files.
  explicit PendingFolder(const std::filesystem::path& folder);
  /// Deletes what was not handed over.
  ~PendingFolder();
  PendingFolder(const PendingFolder&) = delete;
  PendingFolder& operator=(const PendingFolder&) = delete;

  /// Writes a file. Throws WriteError.
  void write(const std::string& name, std::span<const char> content) const;

  /// Puts all files into the folder, where they replace those of the same name. Throws WriteError.
  void hand_over() const;

 private:
  std::filesystem::path folder_;
  bool made_ = false;
  std::filesystem::path temporary_;
};

}  // namespace pucker::viewer
