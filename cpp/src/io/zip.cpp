#include "zip.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "files.h"

namespace pucker::io {

ZipFile::ZipFile(const std::filesystem::path& path, std::string heading, const Limits& limits)
    : heading_(std::move(heading)), limits_(limits), zip_(nullptr, zip_discard) {
  int code = 0;
  zip_.reset(zip_open(path.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &code));
  if (zip_) return;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::string reason = zip_error_strerror(&error);
  zip_error_fini(&error);
  fail("cannot be opened as a .zip: ", reason);
}

std::vector<std::string> ZipFile::names() const {
  std::vector<std::string> out;
  for (std::int64_t k = 0; k < zip_get_num_entries(zip_.get(), 0); ++k) {
    const char* name = zip_get_name(zip_.get(), zip_uint64_t(k), 0);
    if (name == nullptr) fail("entry ", k, " has no name");
    out.emplace_back(name);
  }
  return out;
}

std::string ZipFile::read(const std::string& name) const {
  zip_stat_t status;
  zip_stat_init(&status);
  const std::unique_ptr<zip_file_t, decltype(&zip_fclose)> file(zip_fopen(zip_.get(), name.c_str(), 0), zip_fclose);
  if (!file || zip_stat(zip_.get(), name.c_str(), 0, &status) != 0 || (status.valid & ZIP_STAT_SIZE) == 0)
    fail("cannot read ", name, ": ", zip_strerror(zip_.get()));
  // An archive may unpack to a thousand times its size; what is made of the text takes about three times as much.
  constexpr std::uint64_t copies = 4;
  if (status.size > std::uint64_t(limits_.memory) / copies)
    fail(name, " unpacks to ", status.size, " bytes, which with what is made of them is too much; ",
         limit_of_memory(limits_));
  // Read in blocks, as a damaged archive may promise any size.
  constexpr std::size_t block = std::size_t(1) << 16;
  std::string text;
  while (text.size() < status.size) {
    const std::size_t start = text.size();
    text.resize(start + std::min<std::size_t>(block, status.size - start));
    const std::int64_t got = zip_fread(file.get(), text.data() + start, text.size() - start);
    if (got <= 0) fail("cannot read ", name, ": ", zip_file_strerror(file.get()));
    text.resize(start + std::size_t(got));
  }
  // Reading past the end makes libzip compare the checksum.
  if (char rest = 0; zip_fread(file.get(), &rest, 1) != 0)
    fail("cannot read ", name, ": ", zip_file_strerror(file.get()));
  return text;
}

std::string zip_of(const std::vector<std::pair<std::string, std::string>>& entries) {
  zip_error_t error;
  zip_error_init(&error);
  const auto require_done = [&](bool done) {
    if (done) return;
    const std::string reason = zip_error_strerror(&error);
    zip_error_fini(&error);
    throw Error("a .zip cannot be made: " + reason);
  };
  zip_source_t* made = zip_source_buffer_create(nullptr, 0, 0, &error);
  require_done(made != nullptr);
  const std::unique_ptr<zip_source_t, decltype(&zip_source_free)> buffer(made, zip_source_free);
  std::unique_ptr<zip_t, decltype(&zip_discard)> zip(zip_open_from_source(made, ZIP_TRUNCATE, &error), zip_discard);
  require_done(zip != nullptr);
  // The archive gives its share of the buffer back when it is closed; this one is kept.
  zip_source_keep(made);
  for (const auto& [name, content] : entries) {
    zip_source_t* from = zip_source_buffer_create(content.data(), content.size(), 0, &error);
    require_done(from != nullptr);
    const std::int64_t index = zip_file_add(zip.get(), name.c_str(), from, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(from);
      throw Error(message("a .zip cannot be made: ", zip_strerror(zip.get())));
    }
    // The first day of DOS, as NumPy has it.
    constexpr std::uint16_t first_day = (1U << 5U) + 1U;
    if (zip_set_file_compression(zip.get(), zip_uint64_t(index), ZIP_CM_STORE, 0) != 0 ||
        zip_file_set_dostime(zip.get(), zip_uint64_t(index), 0, first_day, 0) != 0)
      throw Error(message("a .zip cannot be made: ", zip_strerror(zip.get())));
  }
  if (zip_close(zip.get()) != 0) throw Error(message("a .zip cannot be made: ", zip_strerror(zip.get())));
  static_cast<void>(zip.release());  // closing has freed it

  zip_stat_t status;
  zip_stat_init(&status);
  std::string out;
  if (zip_source_stat(made, &status) == 0 && zip_source_open(made) == 0) {
    out.resize(status.size);
    const std::int64_t got = zip_source_read(made, out.data(), out.size());
    zip_source_close(made);
    if (got == std::int64_t(out.size())) return out;
  }
  throw Error("a .zip cannot be made: it cannot be read back");
}

}  // namespace pucker::io
