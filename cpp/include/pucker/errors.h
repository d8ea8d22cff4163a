/// The errors the library throws. A message names the rule that was broken and the value that broke it.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace pucker {

/// A file or a device could not be used. Python: `pucker.Error`.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An argument breaks a rule the function states. Python: `ValueError`.
class InvalidArgument : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// Joins its arguments into one message, as they would be printed.
template <class... Parts>
std::string message(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

/// Throws InvalidArgument. Out of the way of the code that calls it, which is meant to go on.
template <class... Parts>
[[noreturn, gnu::cold, gnu::noinline]] void refuse(const Parts&... parts) {
  throw InvalidArgument(message(parts...));
}

/// Throws InvalidArgument unless `condition` holds; the message is put together only then.
template <class... Parts>
void require(bool condition, const Parts&... parts) {
  if (!condition) refuse(parts...);
}

}  // namespace pucker
