#include "pucker/drape/params.h"

namespace pucker::drape {

void Params::validate() const { visit_params(*this, ParamValidator{}); }

bool keeps_mesh(const Params& params) {
  const auto of_vertices = [](std::string_view file) { return file.ends_with(".npy"); };
  const bool read = !params.cut.empty() && params.cut != "rest" && params.cut != "first";
  return params.levels >= 0 || read || of_vertices(params.stiffness_map) || of_vertices(params.tightness_map);
}

}  // namespace pucker::drape
