#include "pucker/dynamic/junctions.h"

#include "dynamic.h"

namespace pucker::bindings {

void register_junctions(py::module_& m) {
  m.def(
      "junctions",
      [](const OwnedField& field, const std::vector<PlacedWrinkle>& wrinkles, const Params& params) {
        const std::vector<Wrinkle> list = plain(*field.mesh, wrinkles);
        const Unlocked unlocked;
        const std::vector<PathCurve> curves = curves_of(list, field);
        CurveIndex index;
        index.reset(index_radius(params));
        insert_living(list, curves, index);
        std::vector<EndHeights> ends;
        Junctions(params).find(index, list, curves, ends);
        std::vector<std::array<double, 2>> out;
        out.reserve(ends.size());
        for (const EndHeights& each : ends) out.push_back({each.first, each.last});
        return out;
      },
      py::arg("field"), py::arg("wrinkles"), py::arg("params"),
      "Heights that the two ends of each of the wrinkles keep because they run into another of them, as "
      "params.shape.junctions says; 0 for ends that are free.");
}

}  // namespace pucker::bindings
