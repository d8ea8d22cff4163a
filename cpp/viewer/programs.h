/// The shader folder, and its programs compiled.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "gl.h"
#include "pucker/draw/picture.h"
#include "pucker/draw/shaders.h"

namespace pucker::viewer {

/// A linked program with its uniforms by name.
class Program {
 public:
  /// Compiles and links a program of the library. Throws Error with the file and line the author wrote.
  Program(const draw::ShaderLibrary& shaders, const std::string& name, std::span<const draw::Constant> constants);

  void use() const { glUseProgram(handle_.name()); }
  /// Sets a uniform of the program, which must be in use; one the compiler removed is left out.
  void set(const draw::Uniform& uniform) const;

 private:
  Handle<delete_program> handle_;
};

/// The shader folder: `asked` if given, else the one installed with the program, else that of the source tree.
/// Throws Error if there is none.
std::filesystem::path find_shaders(const std::optional<std::filesystem::path>& asked);
/// The shaders of a folder. Throws Error if its manifest is missing or damaged.
draw::ShaderLibrary read_shaders(const std::filesystem::path& folder);

}  // namespace pucker::viewer
