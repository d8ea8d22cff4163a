/// Plain values to bytes and back, for saved runs and pickling. The bytes are those of this machine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "pucker/enum_names.h"
#include "pucker/errors.h"
#include "pucker/params.h"
#include "pucker/types.h"

namespace pucker {

/// Types that are their bytes. Eigen's fixed-size matrices are, though the standard trait does not know it.
template <class T>
concept PlainValue = std::is_trivially_copyable_v<T> || std::is_same_v<T, RowMatrix2>;

/// FNV-1a hash (Fowler, Noll and Vo): detects damaged bytes. Not a defence against forgery.
inline std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return hash;
}

class ByteWriter {
 public:
  void text(std::string_view bytes) { bytes_.append(bytes); }
  template <PlainValue T>
  void value(const T& v) {
    bytes_.append(reinterpret_cast<const char*>(&v), sizeof(T));
  }
  template <class List>
  void list(const List& items) {
    value(std::size_t(items.size()));
    using T = std::remove_cvref_t<decltype(items[0])>;
    static_assert(PlainValue<T>);
    bytes_.append(reinterpret_cast<const char*>(items.data()), items.size() * sizeof(T));
  }
  template <class M>
  void matrix(const M& m) {
    value(std::size_t(m.rows()));
    bytes_.append(reinterpret_cast<const char*>(m.data()), std::size_t(m.size()) * sizeof(typename M::Scalar));
  }
  // Visitor of visit_params.
  template <class T>
  void field(const char*, const T& v, const Range&, const char*) {
    value(v);
  }
  template <class T>
  void field(const char*, const std::optional<T>& v, const Range&, const char*) {
    value(v.has_value());
    value(v.value_or(T()));
  }
  template <class T>
  void choice(const char*, const T& v, const char*) {
    value(v);
  }
  void choice(const char*, const std::string& v, const char*) { list(v); }
  template <class Node>
  void node(const char*, const Node& n, const char*) {
    visit_params(n, *this);
  }

  std::string take() { return std::move(bytes_); }
  /// All bytes, followed by their checksum.
  std::string take_sealed() {
    value(checksum(bytes_));
    return take();
  }

 private:
  std::string bytes_;
};

/// Reads what ByteWriter wrote; throws Error naming `what` if the bytes end early, go on, or begin otherwise.
class ByteReader {
 public:
  ByteReader(std::string_view bytes, const char* what) : bytes_(bytes), what_(what) {}

  /// Takes `header`, a line of words and last the number of the layout, off the beginning.
  void expect(std::string_view header) {
    if (bytes_.substr(0, header.size()) != header) {
      const std::string_view line = header.substr(0, header.size() - 1);
      const std::string_view words = line.substr(0, line.rfind(' ') + 1);
      if (!words.empty() && bytes_.substr(0, words.size()) == words)
        throw Error(message("these bytes are ", what_, " of another version of pucker: they begin with '",
                            bytes_.substr(0, std::min(bytes_.find('\n'), line.size() + 4)), "', not with '", line,
                            "'"));
      throw Error(message("these bytes are not ", what_, ": they do not begin with '", line, "'"));
    }
    position_ += header.size();
  }
  /// Takes the checksum off the end; throws Error unless it is that of all bytes before it.
  void unseal() {
    std::uint64_t stored = 0;
    const std::size_t size = bytes_.size() < sizeof(stored) ? 0 : bytes_.size() - sizeof(stored);
    if (size > 0) std::memcpy(&stored, bytes_.data() + size, sizeof(stored));
    if (size < position_ || stored != checksum(bytes_.substr(0, size)))
      throw Error(message(what_, " is damaged or cut short: the checksum does not fit its ", bytes_.size(), " bytes"));
    bytes_.remove_suffix(sizeof(stored));
  }
  template <PlainValue T>
  T value() {
    if constexpr (std::is_same_v<T, bool>) {
      const auto byte = value<std::uint8_t>();
      if (byte > 1) throw Error(message(what_, " holds a truth value of ", int(byte)));
      return byte == 1;
    }
    T out;
    std::memcpy(static_cast<void*>(&out), take(sizeof(T)), sizeof(T));
    return out;
  }
  template <PlainValue T>
  void list(std::vector<T>& out) {
    const std::size_t count = counted(sizeof(T));
    out.resize(count);
    if (count > 0) std::memcpy(static_cast<void*>(out.data()), take(count * sizeof(T)), count * sizeof(T));
  }
  template <class M>
  void matrix(M& out) {
    const std::size_t rows = counted(sizeof(typename M::Scalar) * std::size_t(M::ColsAtCompileTime));
    out.resize(Eigen::Index(rows), M::ColsAtCompileTime);
    const std::size_t size = std::size_t(out.size()) * sizeof(typename M::Scalar);
    if (size > 0) std::memcpy(out.data(), take(size), size);
  }
  template <class T>
  void field(const char*, T& v, const Range&, const char*) {
    v = value<T>();
  }
  template <class T>
  void field(const char*, std::optional<T>& v, const Range&, const char*) {
    const bool given = value<bool>();
    v = value<T>();
    if (!given) v.reset();
  }
  template <class T>
  void choice(const char* name, T& v, const char*) {
    v = value<T>();
    if constexpr (std::is_enum_v<T>)
      if (!is_member(v)) throw Error(message(what_, " holds member ", std::int64_t(v), " of ", name));
  }
  void choice(const char*, std::string& v, const char*) {
    const std::size_t count = counted(1);
    v.assign(take(count), count);
  }
  template <class Node>
  void node(const char*, Node& n, const char*) {
    visit_params(n, *this);
  }
  std::size_t size() const { return bytes_.size(); }
  void finish() const {
    if (position_ != bytes_.size())
      throw Error(message(what_, " ends after ", position_, " bytes, but there are ", bytes_.size()));
  }

 private:
  const char* take(std::size_t size) {
    if (size > bytes_.size() - position_)
      throw Error(message(what_, " is cut short: ", position_ + size, " bytes are needed, there are ", bytes_.size()));
    const char* out = bytes_.data() + position_;
    position_ += size;
    return out;
  }
  std::size_t counted(std::size_t item) {
    const std::size_t count = value<std::size_t>();
    if (count > bytes_.size() / item)
      throw Error(message(what_, " is cut short: it claims ", count, " entries, there are ", bytes_.size(), " bytes"));
    return count;
  }

  std::string_view bytes_;
  const char* what_;
  std::size_t position_ = 0;
};

}  // namespace pucker
