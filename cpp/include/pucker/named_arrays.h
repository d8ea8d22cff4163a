/// Arrays as files hold them, by name: what a method is given of a file that its parameters name.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pucker {

/// An array of real numbers, or one text.
struct NamedArray {
  std::vector<std::int64_t> shape;
  std::vector<double> values;  ///< row-major, as many as the shape says; none of a text
  std::string text;            ///< UTF-8
  bool is_text = false;
  bool is_whole = false;  ///< a file is to keep the numbers as whole ones of 32 bits
};

using NamedArrays = std::map<std::string, NamedArray, std::less<>>;

/// Those of the names that a file holds. Throws Error naming the file if it cannot be read.
using ReadArrays = std::function<NamedArrays(const std::string& path, std::span<const std::string_view> names)>;

/// The one array of a file: of an .npy, or the grey values of a picture, (rows, columns) from top to bottom with white
/// as 1. Throws Error naming the file if it cannot be read.
using ReadArray = std::function<NamedArray(const std::string& path)>;

}  // namespace pucker
