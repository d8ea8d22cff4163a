#include "programs.h"

#include <array>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <system_error>

#include "json_file.h"
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

void expand_into(const fs::path& path, const fs::path& include_dir, std::set<fs::path>& seen, Source& out) {
  static const std::regex include(R"re(^\s*#\s*include\s+"([^"]+)"\s*(?://.*)?$)re");
  seen.insert(path);
  std::ifstream file(path);
  if (!file) throw Error(message("shader ", path.string(), " cannot be read"));
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    std::smatch found;
    if (!std::regex_match(line, found, include)) {
      out.lines.push_back(line);
      out.origins.push_back({path.filename().string(), number});
      continue;
    }
    const fs::path included = include_dir / found[1].str();
    if (!fs::is_regular_file(included))
      throw Error(message(path.filename().string(), ":", number, ": include \"", found[1].str(), "\" is not in ",
                          include_dir.string()));
    if (!seen.contains(included)) expand_into(included, include_dir, seen, out);
  }
}

std::string lower(std::string text) {
  for (char& letter : text) letter = char(std::tolower(static_cast<unsigned char>(letter)));
  return text;
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

Shader compile_stage(const std::string& program, const std::string& stage, const Source& source) {
  Shader shader(glCreateShader(stage_type(stage)));
  const std::string text = source.text();
  const char* pointer = text.c_str();
  glShaderSource(shader.name(), 1, &pointer, nullptr);
  glCompileShader(shader.name());
  GLint compiled = GL_FALSE;
  glGetShaderiv(shader.name(), GL_COMPILE_STATUS, &compiled);
  if (compiled == GL_TRUE) return shader;
  const std::string log = info_log(shader.name(), glGetShaderiv, glGetShaderInfoLog);
  throw Error(message("program ", program, ", stage ", stage, ": ", source.explain(log)));
}

}  // namespace

std::string Source::text() const {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

std::string Source::explain(std::string_view log) const {
  // Mesa writes "0:line(column): error: text", NVIDIA "0(line) : error C0000: text", others "ERROR: 0:line: text".
  struct Pattern {
    std::regex form;
    std::size_t line, kind, text;
  };
  static const std::array<Pattern, 3> patterns{{{std::regex(R"(^0:(\d+)\(\d+\): (error|warning): (.*)$)"), 1, 2, 3},
                                                {std::regex(R"(^0\((\d+)\) : (error|warning) (.*)$)"), 1, 2, 3},
                                                {std::regex(R"(^(ERROR|WARNING): (?:0|.*\D):(\d+): (.*)$)"), 2, 1, 3}}};
  std::istringstream text{std::string(log)};
  std::string out;
  for (std::string line; std::getline(text, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    for (const Pattern& pattern : patterns) {
      std::smatch found;
      if (!std::regex_match(line, found, pattern.form)) continue;
      const std::size_t number = std::stoul(found[pattern.line].str());
      if (number < 1 || number > origins.size()) break;
      const Origin& origin = origins[number - 1];
      line = message(origin.file, ":", origin.line, ": ", lower(found[pattern.kind].str()), ": ",
                     found[pattern.text].str());
      break;
    }
    out += (out.empty() ? "" : "\n") + line;
  }
  return out;
}

Source expand(const fs::path& path, const fs::path& include_dir) {
  Source source;
  std::set<fs::path> seen;
  expand_into(path, include_dir, seen, source);
  return source;
}

ShaderLibrary::ShaderLibrary(fs::path folder) : folder_(std::move(folder)) {
  read_json(folder_ / kManifest, [&](const nlohmann::json& manifest) {
    include_dir_ = folder_ / manifest.at("include").get<std::string>();
    stages_ = manifest.at("programs").get<decltype(stages_)>();
    bindings_ = manifest.at("storage_blocks").get<decltype(bindings_)>();
    for (const auto& [block, number] : manifest.at("uniform_blocks").items()) bindings_[block] = number.get<GLuint>();
  });
  static const std::regex constant(R"(^const int (\w+) = (\d+);.*$)");
  for (const std::string& line : expand(include_dir_ / "constants.glsl", include_dir_).lines) {
    std::smatch found;
    if (std::regex_match(line, found, constant)) constants_[found[1].str()] = std::stoi(found[2].str());
  }
}

Program ShaderLibrary::compile(const std::string& program) const {
  Program linked(glCreateProgram());
  const auto stages = stages_.find(program);
  if (stages == stages_.end()) throw Error(message(kManifest, " has no program '", program, "'"));
  for (const auto& [stage, file] : stages->second) {
    // A shader marked for deletion lives as long as the program it is attached to.
    const Shader shader = compile_stage(program, stage, expand(folder_ / file, include_dir_));
    glAttachShader(linked.name(), shader.name());
  }
  glLinkProgram(linked.name());
  GLint status = GL_FALSE;
  glGetProgramiv(linked.name(), GL_LINK_STATUS, &status);
  if (status != GL_TRUE)
    throw Error(message("program ", program, ": ", info_log(linked.name(), glGetProgramiv, glGetProgramInfoLog)));
  return linked;
}

GLuint ShaderLibrary::binding(const std::string& block) const {
  const auto found = bindings_.find(block);
  if (found == bindings_.end()) throw Error(message(kManifest, " has no block '", block, "'"));
  return found->second;
}

int ShaderLibrary::constant(const std::string& name) const {
  const auto found = constants_.find(name);
  if (found == constants_.end()) throw Error(message("constants.glsl has no constant '", name, "'"));
  return found->second;
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

}  // namespace pucker::viewer
