#include "files.h"

#include <unistd.h>

#include <system_error>

#include "pucker/errors.h"

namespace pucker::viewer {

void write_complete(const std::filesystem::path& path, const std::function<bool(const std::filesystem::path&)>& write) {
  const std::filesystem::path temporary =
      path.parent_path() / message(".", path.stem().string(), "-", getpid(), path.extension().string());
  std::error_code error;
  if (write(temporary)) {
    std::filesystem::rename(temporary, path, error);
    if (!error) return;
  }
  const std::string reason = error ? error.message() : "the folder takes no files or is full";
  std::filesystem::remove(temporary, error);
  throw Error(message(path.string(), " cannot be written: ", reason));
}

}  // namespace pucker::viewer
