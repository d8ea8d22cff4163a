/// Shader files: where they are, how includes are put in, how a program is compiled.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gl.h"
#include "pucker/types.h"

namespace pucker::viewer {

/// One stage with its includes put in: its lines, and the file and line number each was written in.
///
/// An include is `#include "name.glsl"` on a line of its own and names a file of the include folder; each file enters a
/// stage once. (`#line` with a source-string number would keep the author's lines too, if Mesa did not report every
/// string as number 0.)
struct Source {
  struct Origin {
    std::string file;
    int line;
  };
  std::vector<std::string> lines;
  std::vector<Origin> origins;

  std::string text() const;
  /// The compiler's log with the author's files and lines in place of those of the expanded source.
  std::string explain(std::string_view log) const;
};

/// Reads a stage and puts its includes in. Throws Error naming the line of an include that does not exist.
Source expand(const std::filesystem::path& path, const std::filesystem::path& include_dir);

/// A linked program with its uniforms by name.
class Program {
 public:
  explicit Program(GLuint name) : handle_(name) {}

  GLuint name() const { return handle_.name(); }
  void use() const { glUseProgram(handle_.name()); }
  /// Sets a uniform of the program, which must be in use; one the compiler removed is left out.
  void set(const char* uniform, int value) const { glUniform1i(location(uniform), value); }
  void set(const char* uniform, unsigned value) const { glUniform1ui(location(uniform), value); }
  void set(const char* uniform, float value) const { glUniform1f(location(uniform), value); }
  void set(const char* uniform, const Vector3& value) const {
    glUniform3f(location(uniform), float(value.x()), float(value.y()), float(value.z()));
  }

 private:
  GLint location(const char* uniform) const { return glGetUniformLocation(handle_.name(), uniform); }

  Handle<delete_program> handle_;
};

/// The shader folder with its manifest `programs.json`, shared with the Python renderer.
class ShaderLibrary {
 public:
  /// Throws Error if the folder's manifest is missing or damaged.
  explicit ShaderLibrary(std::filesystem::path folder);

  /// Compiles and links a program of the manifest. Throws Error with the file and line the author wrote.
  Program compile(const std::string& program) const;
  /// Binding number of a storage or uniform block.
  GLuint binding(const std::string& block) const;
  /// An integer constant of `constants.glsl`, so that no number is written down twice.
  int constant(const std::string& name) const;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  std::filesystem::path include_dir_;
  std::map<std::string, std::map<std::string, std::string>> stages_;
  std::map<std::string, GLuint> bindings_;
  std::map<std::string, int> constants_;
};

/// The shader folder: `asked` if given, else the one installed with the program, else that of the source tree.
/// Throws Error if there is none.
std::filesystem::path find_shaders(const std::optional<std::filesystem::path>& asked);

}  // namespace pucker::viewer
