#include "pucker/draw/shaders.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "pucker/errors.h"

namespace pucker::draw {

namespace {

constexpr const char* kManifest = "programs.json";
constexpr const char* kDetail = "method/detail.glsl";  // as shaders of every method include that of their own

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string lower(std::string text) {
  for (char& letter : text) letter = char(std::tolower(static_cast<unsigned char>(letter)));
  return text;
}

/// Puts includes in.
class Expansion {
 public:
  Expansion(const ShaderLibrary::ReadFile& read, const std::string& detail, Source& out)
      : read_(read), detail_(detail), out_(out) {}

  void append(const std::string& path, const std::string& text) {
    static const std::regex include(R"re(^\s*#\s*include\s+"([^"]+)"\s*(?://.*)?$)re");
    seen_.push_back(path);
    std::istringstream lines(text);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      std::smatch found;
      if (!std::regex_match(line, found, include)) {
        out_.lines.push_back(line);
        out_.origins.push_back({file_name(path), number});
        continue;
      }
      const std::string included = found[1].str() == kDetail && !detail_.empty() ? detail_ : found[1].str();
      if (std::find(seen_.begin(), seen_.end(), included) != seen_.end()) continue;
      const std::optional<std::string> inner = read_(included);
      if (!inner)
        throw Error(message(file_name(path), ":", number, ": include \"", included, "\" is not in the shader folder"));
      append(included, *inner);
    }
  }

 private:
  const ShaderLibrary::ReadFile& read_;
  const std::string& detail_;
  Source& out_;
  std::vector<std::string> seen_;
};

/// Whole numbers in the place of uniforms of their names.
void fix(Source& source, std::span<const Constant> constants) {
  static const std::regex uniform(R"(^uniform int (\w+);(.*)$)");
  for (std::string& line : source.lines) {
    std::smatch found;
    if (!std::regex_match(line, found, uniform)) continue;
    const std::string name = found[1].str();
    const auto constant =
        std::find_if(constants.begin(), constants.end(), [&](const Constant& c) { return c.name == name; });
    if (constant != constants.end()) line = message("const int ", name, " = ", constant->value, ";", found[2].str());
  }
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

ShaderLibrary::ShaderLibrary(ReadFile read) : read_(std::move(read)) {
  const std::optional<std::string> text = read_(kManifest);
  if (!text) throw Error(message(kManifest, " cannot be read"));
  const auto add = [&](const std::string& prefix, const nlohmann::json& programs, const std::string& detail) {
    for (const auto& [name, stages] : programs.items()) {
      Files& files = programs_[prefix + name];
      files.detail = detail;
      for (const auto& [stage, file] : stages.items()) {
        if (stage == "detail") {
          files.detail = file.get<std::string>();
        } else {
          files.stages.emplace_back(stage, file.get<std::string>());
        }
      }
    }
  };
  try {
    const auto manifest = nlohmann::json::parse(*text);
    add("", manifest.at("programs"), "");
    for (const auto& [method, own] : manifest.at("methods").items()) {
      // A method that tessellates nothing, but makes a mesh of its own, is drawn as what has no detail is.
      const auto detail = own.value("detail", "");
      if (!detail.empty()) add(method + "/", manifest.at("programs_of_each_method"), detail);
      add(method + "/", own.at("programs"), detail);
    }
  } catch (const nlohmann::json::exception& error) {
    throw Error(message(kManifest, ": ", error.what()));
  }
}

std::vector<std::string> ShaderLibrary::programs() const {
  std::vector<std::string> names;
  for (const auto& [name, files] : programs_) names.push_back(name);
  return names;
}

std::vector<ShaderStage> ShaderLibrary::stages(const std::string& program, std::span<const Constant> constants) const {
  const auto found = programs_.find(program);
  if (found == programs_.end()) throw Error(message(kManifest, " has no program '", program, "'"));
  std::vector<ShaderStage> out;
  for (const auto& [name, file] : found->second.stages) {
    out.push_back({name, expand(file, found->second.detail)});
    fix(out.back().source, constants);
  }
  return out;
}

Source ShaderLibrary::expand(const std::string& path, const std::string& detail) const {
  const std::optional<std::string> text = read_(path);
  if (!text) throw Error(message("shader ", path, " does not exist"));
  Source source;
  Expansion(read_, detail, source).append(path, *text);
  return source;
}

StorageLimits ShaderLibrary::needed_storage() const {
  static const std::regex block(R"(layout\(std430, binding = (\d+)\)[\w ]* buffer (\w+))");
  StorageLimits needed;
  for (const std::string& program : programs()) {
    int combined = 0;
    for (const ShaderStage& stage : stages(program)) {
      const std::string text = stage.source.text();
      int count = 0;
      for (std::sregex_iterator at(text.begin(), text.end(), block), end; at != end; ++at, ++count)
        needed.bindings = std::max(needed.bindings, std::stoi((*at)[1].str()) + 1);
      needed.stages[stage.name] = std::max(needed.stages[stage.name], count);
      combined += count;
    }
    needed.combined = std::max(needed.combined, combined);
  }
  return needed;
}

std::string missing_storage(const StorageLimits& needed, const StorageLimits& offered) {
  const auto lacks = [](const std::string& what, int wanted, int found) {
    return message("the device offers ", found, " storage blocks ", what, ", ", wanted, " are needed");
  };
  if (offered.bindings < needed.bindings) return lacks("bound at once", needed.bindings, offered.bindings);
  for (const auto& [stage, count] : needed.stages) {
    const auto found = offered.stages.find(stage);
    const int most = found == offered.stages.end() ? 0 : found->second;
    if (most < count) return lacks("in a " + stage + " shader", count, most);
  }
  if (offered.combined < needed.combined) return lacks("in all stages of a program", needed.combined, offered.combined);
  return "";
}

}  // namespace pucker::draw
