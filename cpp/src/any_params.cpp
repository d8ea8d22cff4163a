#include "pucker/any_params.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "pucker/errors.h"
#include "pucker/nearest.h"

namespace pucker {

namespace {

/// Keeps account of the nodes.
class Walk final : public ParamVisitor {
 public:
  using Function = std::function<void(const std::string& path, const Parameter& parameter)>;
  explicit Walk(const Function& function) : function_(function) {}

  void parameter(const Parameter& parameter) override {
    std::string path;
    for (const std::string& node : nodes_) path += node + ".";
    function_(path + parameter.name, parameter);
  }
  bool enter(const char* name, const char*) override {
    nodes_.emplace_back(name);
    return true;
  }
  void leave() override { nodes_.pop_back(); }

 private:
  const Function& function_;
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
  for_each_param(params, [&](const std::string& path, const Parameter&) {
    all.push_back(path);
    if (ends(path, name)) ending.push_back(path);
  });
  if (std::find(all.begin(), all.end(), name) != all.end()) return std::string(name);
  require(!ending.empty(), "params has no '", name, "'", did_you_mean(name, all), "; there are ", listed(all));
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
  void operator()(const Parameter::Choice& choice) const {
    const auto found = std::find(choice.names.begin(), choice.names.end(), text);
    require(found != choice.names.end(), what, " must be one of ", listed(choice.names), ", not '", text, "'",
            did_you_mean(text, choice.names));
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

void for_each_param(AnyParams& params,
                    const std::function<void(const std::string& path, const Parameter& parameter)>& use) {
  Walk walk(use);
  params.visit(walk);
}

void set_param(AnyParams& params, std::string_view name, const std::string& text, const std::string& what) {
  const std::string wanted = path_named(params, name);
  for_each_param(params, [&](const std::string& path, const Parameter& parameter) {
    if (path == wanted) std::visit(Set{text, what}, parameter.value);
  });
}

bool next_choice(AnyParams& params, std::string_view name) {
  bool found = false;
  for_each_param(params, [&](const std::string& path, const Parameter& parameter) {
    const auto* choice = std::get_if<Parameter::Choice>(&parameter.value);
    if (choice == nullptr || found || (path != name && !ends(path, name))) return;
    *choice->value = (*choice->value + 1) % choice->names.size();
    found = true;
  });
  return found;
}

}  // namespace pucker
