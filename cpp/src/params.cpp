#include "pucker/params.h"

#include <cmath>
#include <numbers>
#include <string>

#include "pucker/errors.h"

namespace pucker {

namespace {

class Validator {
 public:
  template <class T>
  void field(const char* name, const T& value, const Range& range, const char* doc) {
    const double number = double(value);
    require(std::isfinite(number) && range.holds(number), "params.", path_, name, " (", doc, ") must lie in ",
            to_string(range), ", got ", value);
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

}  // namespace

std::string to_string(const Range& range) {
  return message(range.low_included ? "[" : "(", range.low, ", ", range.high, std::isfinite(range.high) ? "]" : ")");
}

double Params::flat_width() const { return std::numbers::pi * min_width; }

void Params::validate() const { visit_params(*this, Validator{}); }

}  // namespace pucker
