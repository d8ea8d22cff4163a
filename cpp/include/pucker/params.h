/// What the parameters of all methods have in common: a tree of structs whose fields stand in one list,
/// `visit_params(tree, visit)`, beside each struct. It calls `visit.field(name, value, range, doc)` for a number,
/// `visit.choice(name, value, doc)` for an enum, a switch or a text, `visit.node(name, node, doc)` for a node. A number
/// that may be left out is a std::optional. Binding, text form, pickling and validation use that list. Beside the tree
/// of a method stands `common_params(tree)`, the dotted names of the parameters that most users change.
#pragma once

#include <cmath>
#include <optional>
#include <string>

#include "pucker/errors.h"

namespace pucker {

/// Values a number may take.
struct Range {
  double low;
  double high;
  bool low_included = true;
  bool holds(double value) const { return (low_included ? value >= low : value > low) && value <= high; }
};
/// The range as an interval is written: "(0, inf)", "[0, 0.5]".
std::string to_string(const Range& range);

/// Visitor that throws InvalidArgument naming the first parameter out of its range.
class ParamValidator {
 public:
  template <class T>
  void field(const char* name, const T& value, const Range& range, const char* doc) {
    const double number = double(value);
    require(std::isfinite(number) && range.holds(number), "params.", path_, name, " (", doc, ") must lie in ",
            to_string(range), ", got ", value);
  }
  template <class T>
  void field(const char* name, const std::optional<T>& value, const Range& range, const char* doc) {
    if (value) field(name, *value, range, doc);
  }
  template <class T>
  void choice(const char*, const T&, const char*) {}
  template <class Node>
  void node(const char* name, const Node& node, const char*) {
    path_ = std::string(name) + ".";
    visit_params(node, *this);
    path_.clear();
  }

 private:
  std::string path_;
};

}  // namespace pucker
