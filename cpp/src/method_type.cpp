#include "pucker/method_type.h"

#include <array>

#include "pucker/errors.h"
#include "pucker/nearest.h"

namespace pucker {

// One stands in the folder of each method.
const MethodType& dynamic_method();
const MethodType& waves_method();
const MethodType& byexample_method();
const MethodType& drape_method();

std::span<const MethodType* const> methods() {
  static const std::array<const MethodType*, 4> all{&dynamic_method(), &waves_method(), &byexample_method(),
                                                    &drape_method()};
  return all;
}

const MethodType& method_named(std::string_view name, const std::string& what) {
  std::string known;
  std::vector<std::string> names;
  for (const MethodType* type : methods()) {
    if (type->name() == name) return *type;
    names.emplace_back(type->name());
    known.append(known.empty() ? "" : ", ").append(type->name());
  }
  refuse(what, " must be one of ", known, ", not '", name, "'", did_you_mean(name, names));
}

}  // namespace pucker
