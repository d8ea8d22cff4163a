#include "pucker/kind.h"

#include <array>

#include "pucker/errors.h"
#include "pucker/nearest.h"

namespace pucker {

// One stands in the folder of each method.
const Kind& dynamic_kind();
const Kind& waves_kind();
const Kind& byexample_kind();
const Kind& drape_kind();

std::span<const Kind* const> kinds() {
  static const std::array<const Kind*, 4> all{&dynamic_kind(), &waves_kind(), &byexample_kind(), &drape_kind()};
  return all;
}

const Kind& kind_named(std::string_view name, const std::string& what) {
  std::string known;
  std::vector<std::string> names;
  for (const Kind* kind : kinds()) {
    if (kind->name() == name) return *kind;
    names.emplace_back(kind->name());
    known.append(known.empty() ? "" : ", ").append(kind->name());
  }
  refuse(what, " must be one of ", known, ", not '", name, "'", did_you_mean(name, names));
}

}  // namespace pucker
