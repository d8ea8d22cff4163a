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

/// A linked program.
class Program {
 public:
  /// Compiles and links a program of the library. Throws Error with the file and line the author wrote.
  Program(const draw::ShaderLibrary& shaders, const std::string& name, std::span<const draw::Constant> constants);

  GLuint name() const { return handle_.name(); }

 private:
  Handle<delete_program> handle_;
};

/// The shader folder: `asked` if given, else the one installed with the program, else that of the source tree.
/// Throws Error if there is none.
std::filesystem::path find_shaders(const std::optional<std::filesystem::path>& asked);
/// The shaders of a folder. Throws Error if its manifest is missing or damaged.
draw::ShaderLibrary read_shaders(const std::filesystem::path& folder);

}  // namespace pucker::viewer
