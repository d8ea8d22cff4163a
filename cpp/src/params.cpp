#include "pucker/params.h"

namespace pucker {

std::string to_string(const Range& range) {
  return message(range.low_included ? "[" : "(", range.low, ", ", range.high, std::isfinite(range.high) ? "]" : ")");
}

}  // namespace pucker
