/// Names of the members of an enumeration, taken from the compiler, so that no list of them has to be kept.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pucker/errors.h"
#include "pucker/nearest.h"

namespace pucker {

namespace detail {

/// The name of an enumerator as the compiler spells it; empty for a value that has none.
template <auto Value>
constexpr std::string_view spelled_name() {
  // GCC writes "… [with auto Value = ns::Enum::name; …]", Clang "… [Value = ns::Enum::name]", and both "(ns::Enum)7"
  // for a value without a name.
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_prefix(text.find("Value = ") + 8);
  text = text.substr(0, text.find_first_of(";]"));
  if (text.front() == '(') return {};
  return text.substr(text.rfind(':') + 1);
}

inline constexpr int kMostMembers = 16;

template <class Enum, int... Numbers>
std::vector<std::string> collect(std::integer_sequence<int, Numbers...>) {
  std::vector<std::string> names;
  for (const std::string_view name : {spelled_name<Enum(Numbers)>()...})
    if (!name.empty()) names.emplace_back(name);
  return names;
}

}  // namespace detail

/// Names of the members of an enumeration that counts from 0, in order.
template <class Enum>
const std::vector<std::string>& enum_names() {
  static const std::vector<std::string> names =
      detail::collect<Enum>(std::make_integer_sequence<int, detail::kMostMembers>());
  return names;
}

/// Whether the enumeration has a member of that number.
template <class Enum>
bool is_member(Enum value) {
  const auto number = std::int64_t(value);
  return number >= 0 && number < std::int64_t(enum_names<Enum>().size());
}

/// The member of a name. Throws InvalidArgument listing the names there are; `what` heads the message.
template <class Enum>
Enum enum_from(std::string_view name, std::string_view what) {
  std::string known;
  const auto& names = enum_names<Enum>();
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (names[k] == name) return Enum(k);
    known += (k == 0 ? "" : ", ") + names[k];
  }
  throw InvalidArgument(message(what, " must be one of ", known, ", not '", name, "'", did_you_mean(name, names)));
}

}  // namespace pucker
