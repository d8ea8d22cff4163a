/// Packed wrinkles as an argument.
#pragma once

#include <vector>

#include "arrays.h"
#include "pucker/dynamic/packing.h"

namespace pucker::bindings {

/// Packed wrinkles of the core, or the arrays of anything else, copied.
class PackedInput {
 public:
  explicit PackedInput(const py::handle& packed) {
    if (packed.is_none()) throw py::type_error("packed must be packed wrinkles, got None");
    if (py::isinstance<PackedWrinkles>(packed)) {
      packed_ = &py::cast<const PackedWrinkles&>(packed);
      owner_ = py::reinterpret_borrow<py::object>(packed);
      return;
    }
    copy_numbers(packed.attr("triangles"), "packed triangles", copy_.triangles);
    copy_numbers(packed.attr("overlaps"), "packed overlaps", copy_.overlaps);
    const auto points = input<float>(packed.attr("points"), "packed points");
    constexpr py::ssize_t columns = sizeof(PackedPoint) / sizeof(float);
    if (points.size() > 0) {
      require_shape(points, {-1, columns}, "packed points");
      const auto* rows = reinterpret_cast<const PackedPoint*>(points.data());
      copy_.points.assign(rows, rows + points.shape(0));
    }
    if (py::hasattr(packed, "origin"))
      copy_.origin = input_array3(py::make_tuple(packed.attr("origin")), 1, "packed origin").row(0);
  }

  const PackedWrinkles& packed() const { return packed_ == nullptr ? copy_ : *packed_; }

 private:
  static void copy_numbers(const py::object& object, const char* name, std::vector<std::uint32_t>& out) {
    const auto array = input_indices(object, name);
    if (array.size() == 0) return;
    require_shape(array, {-1, 2}, name);
    for (py::ssize_t i = 0; i < array.size(); ++i) {
      require(array.data()[i] >= 0, name, " must be at least 0, but row ", i / 2, " has ", array.data()[i]);
      out.push_back(std::uint32_t(array.data()[i]));
    }
  }

  PackedWrinkles copy_;
  const PackedWrinkles* packed_ = nullptr;
  py::object owner_;  ///< of what that points to
};

}  // namespace pucker::bindings
