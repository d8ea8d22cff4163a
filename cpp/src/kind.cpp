#include "pucker/kind.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <variant>

#include "pucker/errors.h"

namespace pucker {

// One stands in the folder of each method.
const Kind& dynamic_kind();
const Kind& waves_kind();
const Kind& byexample_kind();

namespace {

struct Choice {
  std::size_t* value;
  std::span<const std::string> names;
};
using Leaf = std::variant<double*, std::optional<double>*, std::int32_t*, std::uint64_t*, bool*, std::string*, Choice>;

/// Calls a function with the dotted name of each parameter.
class Walk final : public ParamVisitor {
 public:
  using Function = std::function<void(const std::string& path, const Leaf& leaf)>;
  explicit Walk(Function function) : function_(std::move(function)) {}

  void number(const char* name, double& value, const Range&, const char*) override { meet(name, &value); }
  void number(const char* name, std::optional<double>& value, const Range&, const char*) override {
    meet(name, &value);
  }
  void number(const char* name, std::int32_t& value, const Range&, const char*) override { meet(name, &value); }
  void number(const char* name, std::uint64_t& value, const Range&, const char*) override { meet(name, &value); }
  void flag(const char* name, bool& value, const char*) override { meet(name, &value); }
  void choice(const char* name, std::size_t& value, std::span<const std::string> names, const char*) override {
    meet(name, Choice{&value, names});
  }
  void text(const char* name, std::string& value, const char*) override { meet(name, &value); }
  bool enter(const char* name, const char*) override {
    nodes_.push_back(name);
    return true;
  }
  void leave() override { nodes_.pop_back(); }

 private:
  void meet(const char* name, const Leaf& leaf) const {
    std::string path;
    for (const std::string& node : nodes_) path += node + ".";
    function_(path + name, leaf);
  }

  Function function_;
  std::vector<std::string> nodes_;
};

std::string listed(std::span<const std::string> names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

/// Whether a dotted name has a longer one's last parts.
bool ends(const std::string& path, std::string_view name) {
  return path.size() > name.size() && path.ends_with(name) && path[path.size() - name.size() - 1] == '.';
}

/// The one parameter that a name or the end of one means.
std::string path_named(AnyParams& params, std::string_view name) {
  std::vector<std::string> all;
  std::vector<std::string> ending;
  Walk walk([&](const std::string& path, const Leaf&) {
    all.push_back(path);
    if (ends(path, name)) ending.push_back(path);
  });
  params.visit(walk);
  if (std::find(all.begin(), all.end(), name) != all.end()) return std::string(name);
  require(!ending.empty(), "params has no '", name, "'; there are ", listed(all));
  require(ending.size() == 1, "'", name, "' may be each of ", listed(ending));
  return ending.front();
}

/// Sets a parameter from text.
struct Set {
  const std::string& text;
  const std::string& what;

  void operator()(double* value) const { *value = parsed<std::remove_pointer_t<decltype(value)>>(); }
  void operator()(std::int32_t* value) const { *value = parsed<std::remove_pointer_t<decltype(value)>>(); }
  void operator()(std::uint64_t* value) const { *value = parsed<std::remove_pointer_t<decltype(value)>>(); }
  void operator()(std::optional<double>* value) const { *value = parsed<double>(); }
  void operator()(bool* value) const {
    require(text == "true" || text == "false", what, " must be true or false, not '", text, "'");
    *value = text == "true";
  }
  void operator()(std::string* value) const { *value = text; }
  void operator()(const Choice& choice) const {
    const auto found = std::find(choice.names.begin(), choice.names.end(), text);
    require(found != choice.names.end(), what, " must be one of ", listed(choice.names), ", not '", text, "'");
    *choice.value = std::size_t(found - choice.names.begin());
  }

 private:
  template <class T>
  T parsed() const {
    T value{};
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    require(error == std::errc() && stop == end, what,
            std::is_integral_v<T> ? " must be a whole number" : " must be a number", ", not '", text, "'");
    return value;
  }
};

}  // namespace

void set_param(AnyParams& params, std::string_view name, const std::string& text, const std::string& what) {
  const std::string wanted = path_named(params, name);
  Walk walk([&](const std::string& path, const Leaf& leaf) {
    if (path == wanted) std::visit(Set{text, what}, leaf);
  });
  params.visit(walk);
}

bool next_choice(AnyParams& params, std::string_view name) {
  bool found = false;
  Walk walk([&](const std::string& path, const Leaf& leaf) {
    const auto* choice = std::get_if<Choice>(&leaf);
    if (choice == nullptr || found || (path != name && !ends(path, name))) return;
    *choice->value = (*choice->value + 1) % choice->names.size();
    found = true;
  });
  params.visit(walk);
  return found;
}

std::span<const Kind* const> kinds() {
  static const std::array<const Kind*, 3> all{&dynamic_kind(), &waves_kind(), &byexample_kind()};
  return all;
}

const Kind& kind_named(std::string_view name, const std::string& what) {
  std::string known;
  for (const Kind* kind : kinds()) {
    if (kind->name() == name) return *kind;
    known.append(known.empty() ? "" : ", ").append(kind->name());
  }
  refuse(what, " must be one of ", known, ", not '", name, "'");
}

}  // namespace pucker
