#include "pucker/io/npz.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "files.h"
#include "zip.h"

namespace pucker::io {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
// Of the header's length, as many as NumPy reads.
constexpr std::size_t kLongestHeader = 10'000;

/// What an entry does not hold; the caller names the file and the entry.
template <class... Parts>
[[noreturn]] void damaged(const Parts&... parts) {
  throw Error(message(parts...));
}

/// What stands before the numbers of a .npy.
struct ArrayLayout {
  char order = '|';  ///< '<', '>', or of what has none '|'
  char kind = 0;     ///< as in NumPy's dtype
  std::size_t size = 0;
  bool columns_first = false;
  std::vector<std::int64_t> shape;
  std::string_view content;  ///< what follows
};

/// What follows a key of the header, which is a Python dict.
std::string_view value_of(std::string_view header, std::string_view key) {
  const std::string quoted = message("'", key, "':");
  const std::size_t at = header.find(quoted);
  if (at == std::string_view::npos) damaged("its header has no ", key);
  header.remove_prefix(at + quoted.size());
  header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
  return header;
}

template <class Number>
Number number_of(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0)
    damaged("its header has '", text, "' where a number must be");
  return number;
}

std::vector<std::int64_t> shape_of(std::string_view header) {
  std::string_view text = value_of(header, "shape");
  const std::size_t end = text.find(')');
  if (!text.starts_with('(') || end == std::string_view::npos) damaged("its header has no shape");
  text = text.substr(1, end - 1);
  std::vector<std::int64_t> shape;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string_view size = text.substr(0, comma);
    size.remove_prefix(std::min(size.find_first_not_of(' '), size.size()));
    if (!size.empty() || comma < text.size()) shape.push_back(number_of<std::int64_t>(size));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return shape;
}

ArrayLayout layout_of(std::string_view entry) {
  if (!entry.starts_with(kMagic) || entry.size() < kMagic.size() + 4) damaged("it is no .npy");
  const char version = entry[kMagic.size()];
  if (version < 1 || version > 3) damaged("it is a .npy of version ", int(version));
  const std::size_t width = version == 1 ? 2 : 4;
  std::size_t length = 0;
  const std::size_t start = kMagic.size() + 2;
  if (entry.size() < start + width) damaged("its header is cut off");
  for (std::size_t k = 0; k < width; ++k) length |= std::size_t(std::uint8_t(entry[start + k])) << (8 * k);
  if (length > kLongestHeader || entry.size() < start + width + length) damaged("its header is cut off");
  const std::string_view header = entry.substr(start + width, length);

  ArrayLayout layout{.shape = shape_of(header), .content = entry.substr(start + width + length)};
  std::string_view type = value_of(header, "descr");
  const std::size_t end = type.find('\'', 1);
  if (!type.starts_with('\'') || end == std::string_view::npos || end < 4) damaged("it holds records");
  type = type.substr(1, end - 1);
  layout.order = type[0];
  layout.kind = type[1];
  layout.size = number_of<std::size_t>(type.substr(2));
  layout.columns_first = value_of(header, "fortran_order").starts_with("True");
  return layout;
}

/// Number of items, which take as many bytes as there are.
std::size_t count_of(const ArrayLayout& layout) {
  if (layout.size == 0) damaged("it holds items of no bytes");
  std::size_t count = 1;
  std::string shape;
  bool fits = true;
  for (const std::int64_t size : layout.shape) {
    shape += (shape.empty() ? "" : ", ") + std::to_string(size);
    fits = fits && (size == 0 || count <= std::numeric_limits<std::size_t>::max() / std::size_t(size));
    count *= std::size_t(size);
  }
  fits = fits && count <= std::numeric_limits<std::size_t>::max() / layout.size;
  if (!fits || count * layout.size != layout.content.size())
    damaged("it claims the shape (", shape, ") of items of ", layout.size, " bytes and holds ", layout.content.size());
  return count;
}

template <class Number>
Number item(const ArrayLayout& layout, std::size_t index) {
  std::array<char, sizeof(Number)> bytes{};
  std::memcpy(bytes.data(), layout.content.data() + index * sizeof(Number), sizeof(Number));
  static_assert(std::endian::native == std::endian::little);
  if (layout.order == '>') std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<Number>(bytes);
}

template <class Number>
void convert(const ArrayLayout& layout, std::vector<double>& out) {
  for (std::size_t k = 0; k < out.size(); ++k) {
    const auto number = item<Number>(layout, k);
    out[k] = double(number);
    if constexpr (sizeof(Number) == 8 && !std::is_floating_point_v<Number>) {
      constexpr double exact = 9007199254740992.0;  // 2^53
      if (std::abs(out[k]) > exact) damaged("it holds ", number, ", which is more than a double counts");
    }
  }
}

void convert(const ArrayLayout& layout, std::vector<double>& out) {
  using Convert = void (*)(const ArrayLayout&, std::vector<double>&);
  struct Type {
    char kind;
    std::size_t size;
    Convert convert;
  };
  static constexpr std::array<Type, 11> types{{{'f', 8, convert<double>},
                                               {'f', 4, convert<float>},
                                               {'i', 1, convert<std::int8_t>},
                                               {'i', 2, convert<std::int16_t>},
                                               {'i', 4, convert<std::int32_t>},
                                               {'i', 8, convert<std::int64_t>},
                                               {'u', 1, convert<std::uint8_t>},
                                               {'u', 2, convert<std::uint16_t>},
                                               {'u', 4, convert<std::uint32_t>},
                                               {'u', 8, convert<std::uint64_t>},
                                               {'b', 1, convert<std::uint8_t>}}};
  for (const Type& type : types)
    if (type.kind == layout.kind && type.size == layout.size) return type.convert(layout, out);
  damaged("it holds what are no real numbers, of NumPy's type ", layout.kind, layout.size);
}

/// From column-major to row-major.
std::vector<double> transposed(const std::vector<double>& values, std::span<const std::int64_t> shape) {
  std::vector<double> out(values.size());
  std::vector<std::size_t> at(shape.size(), 0);
  for (double& value : out) {
    std::size_t from = 0;
    for (std::size_t axis = shape.size(); axis-- > 0;) from = from * std::size_t(shape[axis]) + at[axis];
    value = values[from];
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (++at[axis] < std::size_t(shape[axis])) break;
      at[axis] = 0;
    }
  }
  return out;
}

/// NumPy's texts are of four bytes a character, filled up with zeros.
std::string text_of(const ArrayLayout& layout) {
  std::string out;
  for (std::size_t k = 0; k < layout.content.size() / 4; ++k) {
    const auto c = item<std::uint32_t>(layout, k);
    if (c > 0x10FFFF) damaged("it holds what is no text");
    if (c < 0x80) {
      out += char(c);
    } else if (c < 0x800) {
      out += {char(0xC0U | c >> 6U), char(0x80U | (c & 0x3FU))};
    } else if (c < 0x10000) {
      out += {char(0xE0U | c >> 12U), char(0x80U | (c >> 6U & 0x3FU)), char(0x80U | (c & 0x3FU))};
    } else {
      out += {char(0xF0U | c >> 18U), char(0x80U | (c >> 12U & 0x3FU)), char(0x80U | (c >> 6U & 0x3FU)),
              char(0x80U | (c & 0x3FU))};
    }
  }
  out.resize(out.find_last_not_of('\0') + 1);
  return out;
}

NamedArray array_of(std::string_view entry) {
  const ArrayLayout layout = layout_of(entry);
  if (layout.kind == 'U') {
    if (!layout.shape.empty()) damaged("it holds several texts");
    if (layout.content.size() != 4 * layout.size)
      damaged("it claims a text of ", layout.size, " characters and holds ", layout.content.size(), " bytes");
    return {.shape = {}, .values = {}, .text = text_of(layout), .is_text = true};
  }
  NamedArray out{.shape = layout.shape, .values = std::vector<double>(count_of(layout)), .text = {}};
  convert(layout, out.values);
  if (layout.columns_first && layout.shape.size() > 1) out.values = transposed(out.values, layout.shape);
  return out;
}

/// A .npy of version 1: its header is filled up so that the content begins at a multiple of 64 bytes.
std::string npy_of(const std::string& type, const std::string& shape, const std::string& content) {
  constexpr std::size_t aligned = 64;
  std::string header = message("{'descr': '", type, "', 'fortran_order': False, 'shape': (", shape, "), }");
  const std::size_t before = kMagic.size() + 4;
  header.append(aligned - 1 - (before + header.size()) % aligned, ' ');
  header += '\n';
  std::string out(kMagic);
  out += {char(1), char(0), char(header.size() & 0xFFU), char(header.size() >> 8U)};
  return out + header + content;
}

template <class Number>
void append(std::string& bytes, Number number) {
  static_assert(std::endian::native == std::endian::little);
  const auto raw = std::bit_cast<std::array<char, sizeof(Number)>>(number);
  bytes.append(raw.data(), raw.size());
}

/// The characters of a text in UTF-8.
std::vector<std::uint32_t> characters_of(const std::string& text) {
  std::vector<std::uint32_t> out;
  std::size_t left = 0;  // bytes of the present character
  for (const char byte : text) {
    const auto c = std::uint32_t(std::uint8_t(byte));
    const bool goes_on = (c & 0xC0U) == 0x80U;
    require(goes_on == (left > 0) && c < 0xF8U, "a text must be UTF-8, but has the byte ", c);
    if (goes_on) {
      out.back() = out.back() << 6U | (c & 0x3FU);
      --left;
    } else {
      left = c < 0x80U ? 0 : c < 0xE0U ? 1 : c < 0xF0U ? 2 : 3;
      out.push_back(left == 0 ? c : c & (0x3FU >> left));
    }
  }
  require(left == 0, "a text must be UTF-8, but ends within a character");
  return out;
}

std::string entry_of(const NamedArray& array) {
  std::string content;
  if (array.is_text) {
    const std::vector<std::uint32_t> characters = characters_of(array.text);
    for (const std::uint32_t character : characters) append(content, character);
    // NumPy has no text of no bytes.
    if (characters.empty()) append(content, std::uint32_t(0));
    return npy_of(message("<U", std::max<std::size_t>(characters.size(), 1)), "", content);
  }
  std::int64_t count = 1;
  std::string shape;
  for (const std::int64_t size : array.shape) {
    count *= size;
    shape += std::to_string(size) + ", ";
  }
  if (array.shape.size() > 1) shape.resize(shape.size() - 2);
  require(count == std::int64_t(array.values.size()), "an array of the shape (", shape, ") must have ", count,
          " values, not ", array.values.size());
  for (const double value : array.values) {
    if (array.is_whole) {
      require(std::abs(value) <= double(std::numeric_limits<std::int32_t>::max()) && std::trunc(value) == value,
              "whole numbers of 32 bits must be such, got ", value);
      append(content, std::int32_t(value));
    } else {
      append(content, value);
    }
  }
  return npy_of(array.is_whole ? "<i4" : "<f8", shape, content);
}

}  // namespace

std::string pack_npz(const NamedArrays& arrays) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (const auto& [name, array] : arrays) entries.emplace_back(name + ".npy", entry_of(array));
  return zip_of(entries);
}

NamedArray read_npy(const std::filesystem::path& path, const Limits& limits) {
  const Bytes content = read_bytes(path, limits);
  try {
    return array_of(text_of(content));
  } catch (const Error& error) {
    fail(path, "is truncated or damaged, or no .npy: ", error.what());
  }
}

NamedArrays read_npz(const std::filesystem::path& path, std::span<const std::string_view> names, const Limits& limits) {
  if (std::error_code error; !std::filesystem::exists(path, error)) fail(path, "no such file");
  const std::string heading = path.string() + ": is truncated or damaged, or no .npz: ";
  const ZipFile archive(path, heading, limits);
  NamedArrays out;
  for (const std::string& entry : archive.names()) {
    const auto name =
        std::ranges::find_if(names, [&](std::string_view each) { return entry == message(each, ".npy"); });
    if (name == names.end()) continue;
    const std::string content = archive.read(entry);
    try {
      out.insert_or_assign(std::string(*name), array_of(content));
    } catch (const Error& error) {
      throw Error(message(heading, entry, ": ", error.what()));
    }
  }
  return out;
}

}  // namespace pucker::io
