/// The shader files: which make up a program, how their includes are put in, and what they ask of a device.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pucker/draw/content.h"

namespace pucker::draw {

/// One stage with its includes put in: its lines, and the file and line number each was written in.
///
/// An include is `#include "folder/name.glsl"` on a line of its own; each file enters a stage once, and
/// "method/detail.glsl" stands for the file of the program's method. (`#line` with a source-string number would keep
/// the author's lines too, if Mesa did not report every string as number 0.)
struct Source {
  struct Origin {
    std::string file;
    int line;
  };
  std::vector<std::string> lines;
  std::vector<Origin> origins;

  /// What a compiler gets.
  std::string text() const;
  /// A compiler's log with the author's files and lines in place of those of the expanded source.
  std::string explain(std::string_view log) const;
};

struct ShaderStage {
  std::string name;  ///< "vertex", "tess_control", "tess_evaluation", "fragment" or "compute"
  Source source;
};

/// Numbers of storage blocks: the highest binding plus one, those of one stage, and those of all stages of a program.
struct StorageLimits {
  int bindings = 0;
  std::map<std::string, int> stages;
  int combined = 0;
};

/// Bindings of the storage blocks that are no surface's, after those of draw::Surface and no program having both, and
/// of the uniform block Frame.
inline constexpr int kCapturedBinding = 15;
inline constexpr int kLinesBinding = 15;
inline constexpr int kFrameBinding = 0;

class ShaderLibrary {
 public:
  /// Gives the text of a file of the shader folder by its path in there, nothing if there is no such file.
  using ReadFile = std::function<std::optional<std::string>(const std::string& path)>;

  /// Throws Error if the manifest `programs.json` is missing or damaged.
  explicit ShaderLibrary(ReadFile read);

  /// Names of the programs: "line", and "METHOD/surface" for a program of a method.
  std::vector<std::string> programs() const;
  /// The stages of a program, with constants in the place of uniforms; what it has no uniform for is left out.
  /// Throws Error for a program there is not, and naming the line of an include there is not.
  std::vector<ShaderStage> stages(const std::string& program, std::span<const Constant> constants = {}) const;
  /// A file of the folder with its includes put in, as stages() does; `detail` is the file of its method.
  Source expand(const std::string& path, const std::string& detail = "") const;
  /// What a device must offer for all programs.
  StorageLimits needed_storage() const;

 private:
  struct Files {
    std::vector<std::pair<std::string, std::string>> stages;  ///< names and files
    std::string detail;                                       ///< file of the method, empty for none
  };

  ReadFile read_;
  std::map<std::string, Files> programs_;
};

/// The sentence for a device that offers less than is needed; empty for one that is enough.
std::string missing_storage(const StorageLimits& needed, const StorageLimits& offered);

}  // namespace pucker::draw
