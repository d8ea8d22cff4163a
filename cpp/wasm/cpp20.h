/// What of C++20 emscripten 3.1.6 lacks, whose library is libc++ 13, as far as the core uses it. The compiler includes
/// it before every source, so that no source needs to know; each part falls away where the library has it.
#pragma once

#ifdef __cplusplus

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <ranges>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <version>

// NOLINTBEGIN(cert-dcl58-cpp): these names are of the standard
namespace std {

#if !defined(__cpp_lib_bit_cast)
template <class To, class From>
requires(sizeof(To) == sizeof(From) && is_trivially_copyable_v<To> && is_trivially_copyable_v<From>) constexpr To
    bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}
#endif

#if !defined(__cpp_lib_to_chars)
/// A number as the standard takes it: no space and no sign + before it, and no hexadecimal digits.
inline from_chars_result from_chars(const char* first, const char* last, double& value) {
  const string text(first, last);
  const size_t digits = text.starts_with('-') ? 1 : 0;
  const bool begins = text.size() > digits && string_view("0123456789.in").find(text[digits]) != string_view::npos;
  if (!begins) return {first, errc::invalid_argument};
  const bool hexadecimal = text.size() > digits + 1 && text[digits] == '0' && (text[digits + 1] | 32) == 'x';
  char* end = nullptr;
  const double found = strtod(text.c_str(), &end);
  if (hexadecimal) {
    value = 0;
    return {first + digits + 1, errc()};
  }
  if (end == text.c_str()) return {first, errc::invalid_argument};
  value = found;
  return {first + (end - text.c_str()), errc()};
}
#endif

#if !defined(__cpp_lib_ranges)
namespace ranges {

namespace lacking {

struct Itself {
  template <class T>
  constexpr T&& operator()(T&& value) const noexcept {
    return std::forward<T>(value);
  }
};

/// `compare` of what `of` makes of two elements.
template <class Compare, class Projection>
auto by(Compare compare, Projection of) {
  return [compare, of](const auto& a, const auto& b) {
    return bool(std::invoke(compare, std::invoke(of, a), std::invoke(of, b)));
  };
}

}  // namespace lacking

template <class Iterator, class Compare = std::less<>, class Projection = lacking::Itself>
requires std::input_or_output_iterator<Iterator>
void sort(Iterator first, Iterator last, Compare compare = {}, Projection of = {}) {
  std::sort(first, last, lacking::by(compare, of));
}
template <class Range, class Compare = std::less<>, class Projection = lacking::Itself>
void sort(Range&& range, Compare compare = {}, Projection of = {}) {
  std::sort(std::begin(range), std::end(range), lacking::by(compare, of));
}
template <class Range, class Compare = std::less<>, class Projection = lacking::Itself>
void stable_sort(Range&& range, Compare compare = {}, Projection of = {}) {
  std::stable_sort(std::begin(range), std::end(range), lacking::by(compare, of));
}
template <class Range, class Iterator>
void partial_sort(Range&& range, Iterator middle) {
  std::partial_sort(std::begin(range), middle, std::end(range));
}
template <class Range, class Iterator>
void nth_element(Range&& range, Iterator nth) {
  std::nth_element(std::begin(range), nth, std::end(range));
}
template <class Range>
auto min_element(Range&& range) {
  return std::min_element(std::begin(range), std::end(range));
}
template <class Range>
auto max_element(Range&& range) {
  return std::max_element(std::begin(range), std::end(range));
}
template <class Range, class Value>
void fill(Range&& range, const Value& value) {
  std::fill(std::begin(range), std::end(range), value);
}
template <class Range, class Is>
auto count_if(Range&& range, Is is) {
  return std::count_if(std::begin(range), std::end(range), is);
}
template <class Range, class Is>
bool all_of(Range&& range, Is is) {
  return std::all_of(std::begin(range), std::end(range), is);
}
template <class Range, class Is>
bool any_of(Range&& range, Is is) {
  return std::any_of(std::begin(range), std::end(range), is);
}
template <class Range, class Is>
auto find_if_not(Range&& range, Is is) {
  return std::find_if_not(std::begin(range), std::end(range), is);
}

}  // namespace ranges
#endif

}  // namespace std
// NOLINTEND(cert-dcl58-cpp)

#endif
