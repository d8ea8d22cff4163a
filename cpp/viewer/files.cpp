#include "files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace pucker::viewer {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const std::error_code& cause) {
  throw WriteError(message(path.string(), " cannot be written: ", cause.message()));
}

fs::path beside(const fs::path& path) {
  return path.parent_path() / message(".", path.stem().string(), "-", getpid(), path.extension().string());
}

std::error_code last_error() { return {errno, std::generic_category()}; }

std::error_code write_all(int file, std::span<const char> content) {
  while (!content.empty()) {
    const ssize_t count = ::write(file, content.data(), content.size());
    if (count < 0 && errno != EINTR) return last_error();
    if (count > 0) content = content.subspan(std::size_t(count));
  }
  // Some disks tell only then that they are full.
  return fsync(file) == 0 ? std::error_code() : last_error();
}

std::error_code write_new(const fs::path& path, std::span<const char> content) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return last_error();
  const std::error_code written = write_all(file, content);
  return close(file) == 0 || written ? written : last_error();
}

}  // namespace

void write_file(const fs::path& path, std::span<const char> content) {
  const fs::path temporary = beside(path);
  std::error_code error = write_new(temporary, content);
  if (!error) fs::rename(temporary, path, error);
  if (!error) return;
  std::error_code ignored;
  fs::remove(temporary, ignored);
  fail(path, error);
}

PendingFolder::PendingFolder(const fs::path& folder) : folder_(folder), temporary_(beside(fs::absolute(folder) / "x")) {
  std::error_code error;
  made_ = fs::create_directories(folder_, error);
  if (!error) fs::create_directory(temporary_, error);
  if (error) throw Error(message(folder_.string(), " takes no files: ", error.message()));
}

PendingFolder::~PendingFolder() {
  std::error_code ignored;
  fs::remove_all(temporary_, ignored);
  // Of a folder with files in it nothing is removed.
  if (made_) fs::remove(folder_, ignored);
}

void PendingFolder::write(const std::string& name, std::span<const char> content) const {
  if (const std::error_code error = write_new(temporary_ / name, content)) fail(folder_ / name, error);
}

void PendingFolder::hand_over() const {
  for (const fs::directory_entry& file : fs::directory_iterator(temporary_)) {
    const fs::path place = folder_ / file.path().filename();
    std::error_code error;
    fs::rename(file.path(), place, error);
    if (error) fail(place, error);
  }
}

}  // namespace pucker::viewer
