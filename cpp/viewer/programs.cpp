#include "programs.h"

#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <system_error>
#include <variant>

#include "pucker/errors.h"

namespace pucker::viewer {

namespace {

namespace fs = std::filesystem;

constexpr const char* kManifest = "programs.json";

GLenum stage_type(const std::string& stage) {
  static const std::map<std::string, GLenum> types{{"compute", GL_COMPUTE_SHADER},
                                                   {"vertex", GL_VERTEX_SHADER},
                                                   {"tess_control", GL_TESS_CONTROL_SHADER},
                                                   {"tess_evaluation", GL_TESS_EVALUATION_SHADER},
                                                   {"fragment", GL_FRAGMENT_SHADER}};
  const auto found = types.find(stage);
  if (found == types.end()) throw Error(message(kManifest, " names an unknown stage '", stage, "'"));
  return found->second;
}

/// The info log of a shader or a program.
template <class GetLength, class GetLog>
std::string info_log(GLuint name, const GetLength& get_length, const GetLog& get_log) {
  GLint length = 0;
  get_length(name, GL_INFO_LOG_LENGTH, &length);
  std::string log(std::size_t(length), '\0');
  GLsizei written = 0;
  get_log(name, length, &written, log.data());
  log.resize(std::size_t(written));
  return log;
}

Shader compile_stage(const std::string& program, const draw::ShaderStage& stage) {
  Shader shader(glCreateShader(stage_type(stage.name)));
  const std::string text = stage.source.text();
  const char* pointer = text.c_str();
  glShaderSource(shader.name(), 1, &pointer, nullptr);
  glCompileShader(shader.name());
  GLint compiled = GL_FALSE;
  glGetShaderiv(shader.name(), GL_COMPILE_STATUS, &compiled);
  if (compiled == GL_TRUE) return shader;
  const std::string log = info_log(shader.name(), glGetShaderiv, glGetShaderInfoLog);
  throw Error(message("program ", program, ", stage ", stage.name, ": ", stage.source.explain(log)));
}

}  // namespace

Program::Program(const draw::ShaderLibrary& shaders, const std::string& name, std::span<const draw::Constant> constants)
    : handle_(glCreateProgram()) {
  for (const draw::ShaderStage& stage : shaders.stages(name, constants)) {
    // A shader marked for deletion lives as long as the program it is attached to.
    const Shader shader = compile_stage(name, stage);
    glAttachShader(handle_.name(), shader.name());
  }
  glLinkProgram(handle_.name());
  GLint status = GL_FALSE;
  glGetProgramiv(handle_.name(), GL_LINK_STATUS, &status);
  if (status != GL_TRUE)
    throw Error(message("program ", name, ": ", info_log(handle_.name(), glGetProgramiv, glGetProgramInfoLog)));
}

fs::path find_shaders(const std::optional<fs::path>& asked) {
  if (asked) return *asked;
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  const std::array<fs::path, 3> candidates{program / "../shaders", program / "../share/pucker/shaders",
                                           PUCKER_SHADER_DIR};
  std::string tried;
  for (const fs::path& candidate : candidates) {
    if (fs::is_regular_file(candidate / kManifest)) return candidate;
    tried += (tried.empty() ? "" : " or ") + candidate.string();
  }
  throw Error(message("no ", kManifest, " in ", tried, ": the shaders were not installed"));
}

draw::ShaderLibrary read_shaders(const fs::path& folder) {
  if (!fs::is_regular_file(folder / kManifest)) throw Error(message((folder / kManifest).string(), " cannot be read"));
  return draw::ShaderLibrary([folder](const std::string& name) -> std::optional<std::string> {
    std::ifstream file(folder / name);
    if (!file) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(file), {});
  });
}

}  // namespace pucker::viewer
