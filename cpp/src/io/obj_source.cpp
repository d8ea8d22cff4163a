// Sequences of OBJ files, from a folder or a .zip.
#include <algorithm>
#include <cctype>
#include <map>
#include <memory>

#include "files.h"
#include "formats.h"
#include "mtl.h"
#include "obj.h"
#include "zip.h"

namespace pucker::io {
namespace {

// By name, with runs of digits by value: 2.obj comes before 10.obj.
bool natural_less(const std::string& a, const std::string& b) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (!digit(a[i]) || !digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
      continue;
    }
    const auto number = [&](const std::string& name, std::size_t& at) {
      while (at < name.size() && name[at] == '0') ++at;
      const std::size_t start = at;
      while (at < name.size() && digit(name[at])) ++at;
      return name.substr(start, at - start);
    };
    const std::string first = number(a, i);
    const std::string second = number(b, j);
    if (first.size() != second.size()) return first.size() < second.size();
    if (first != second) return first < second;
  }
  if (i < a.size() || j < b.size()) return i >= a.size();
  return a < b;  // the same up to leading zeros
}

// Where the frames come from.
class Archive {
 public:
  virtual ~Archive() = default;
  /// Names of the frames, sorted.
  virtual std::vector<std::string> names() const = 0;
  virtual std::string read(const std::string& name) const = 0;
  /// What a frame names that lies beside it, empty if there is none.
  virtual Bytes read_beside(const std::string& frame, const std::string& name) const = 0;
};

class Folder : public Archive {
 public:
  Folder(std::filesystem::path path, const OpenOptions& options) : path_(std::move(path)), options_(options) {}

  std::vector<std::string> names() const override {
    std::vector<std::string> result;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      if (entry.is_regular_file() && lower_extension(entry.path()) == "obj")
        result.push_back(entry.path().filename().string());
    if (result.empty()) fail(path_, "the folder holds no OBJ file");
    std::ranges::sort(result, natural_less);
    return result;
  }

  std::string read(const std::string& name) const override {
    require_beside(path_ / "", path_ / name, options_.anywhere);
    const Bytes bytes = read_bytes(path_ / name, options_.limits);
    return {bytes.begin(), bytes.end()};
  }

  Bytes read_beside(const std::string& frame, const std::string& name) const override {
    return read_texture(path_ / frame, name, options_.anywhere, options_.limits);
  }

 private:
  std::filesystem::path path_;
  OpenOptions options_;
};

class Zip : public Archive {
 public:
  Zip(const std::filesystem::path& path, const Limits& limits)
      : path_(path), zip_(path, path.string() + ": ", limits) {}

  std::vector<std::string> names() const override {
    std::map<std::string, std::vector<std::string>> folders;
    for (const std::string& name : zip_.names()) {
      const std::filesystem::path entry(name);
      if (lower_extension(entry) == "obj") folders[entry.parent_path().string()].push_back(name);
    }
    if (folders.empty()) fail(path_, "the archive holds no OBJ file");
    if (folders.size() > 1) std::erase_if(folders, [](const auto& folder) { return folder.second.size() == 1; });
    if (folders.size() != 1)
      fail(path_, "the archive must hold one folder with several OBJ files, it holds ", folders.size());
    std::vector<std::string> result = folders.begin()->second;
    std::ranges::sort(result, natural_less);
    return result;
  }

  std::string read(const std::string& name) const override { return zip_.read(name); }

  Bytes read_beside(const std::string& frame, const std::string& name) const override {
    const std::string entry = (std::filesystem::path(frame).parent_path() / name).string();
    const std::vector<std::string> known = zip_.names();
    if (std::ranges::find(known, entry) == known.end()) return {};
    const std::string content = zip_.read(entry);
    return {content.begin(), content.end()};
  }

 private:
  std::filesystem::path path_;
  ZipFile zip_;
};

std::unique_ptr<Archive> open_archive(const std::filesystem::path& path, const OpenOptions& options) {
  if (std::filesystem::is_directory(path)) return std::make_unique<Folder>(path, options);
  return std::make_unique<Zip>(path, options.limits);
}

}  // namespace

std::unique_ptr<Source> open_obj_sequence(const std::filesystem::path& path, const OpenOptions& options) {
  const std::unique_ptr<Archive> archive = open_archive(path, options);
  const std::vector<std::string> names = archive->names();
  const auto file = [&](const std::string& name) { return (path / name).string(); };

  const Obj first = read_obj(archive->read(names.front()), file(names.front()));
  check_frames(path, double(names.size()), first.character.vertices, options.limits);
  FrameAnimation animation;
  animation.format = "obj";
  animation.character = first.character;
  read_libraries(
      first.libraries, [&](const std::string& name) { return archive->read_beside(names.front(), name); },
      options.limits, animation.character.materials);
  for (const std::string& name : names) {
    const Obj obj = read_obj(archive->read(name), file(name));
    if (obj.character.faces.rows() != first.character.faces.rows() || obj.character.faces != first.character.faces ||
        obj.vertex_rows != first.vertex_rows)
      throw Error(message(file(name), ": its faces differ from those of ", names.front()));
    animation.frames.push_back(obj.points(obj.vertex_rows, Eigen::all));
  }
  return open_frames(path, std::move(animation));
}

}  // namespace pucker::io
