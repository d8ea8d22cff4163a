/// The methods as programs know them that run any: by name, with their parameters, how a run starts, and what can be
/// drawn over a frame to show how its detail came about.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "pucker/draw/picture.h"
#include "pucker/enum_names.h"
#include "pucker/mesh/bones.h"
#include "pucker/method.h"
#include "pucker/named_arrays.h"
#include "pucker/params.h"

namespace pucker {

/// Goes through parameters of any type as visit_params does; names and words are those of the fields.
class ParamVisitor {
 public:
  virtual ~ParamVisitor() = default;

  virtual void number(const char* name, double& value, const Range& range, const char* doc) = 0;
  virtual void number(const char* name, std::optional<double>& value, const Range& range, const char* doc) = 0;
  virtual void number(const char* name, std::int32_t& value, const Range& range, const char* doc) = 0;
  virtual void number(const char* name, std::uint64_t& value, const Range& range, const char* doc) = 0;
  virtual void flag(const char* name, bool& value, const char* doc) = 0;
  /// `value` counts in `names`.
  virtual void choice(const char* name, std::size_t& value, std::span<const std::string> names, const char* doc) = 0;
  virtual void text(const char* name, std::string& value, const char* doc) = 0;
  /// Whether the fields of a node are to be gone through; `leave` follows them.
  virtual bool enter(const char* name, const char* doc) = 0;
  virtual void leave() = 0;
};

/// Parameters of some method.
class AnyParams {
 public:
  virtual ~AnyParams() = default;
  virtual std::unique_ptr<AnyParams> clone() const = 0;
  virtual void visit(ParamVisitor& visitor) = 0;
  /// Throws InvalidArgument naming the first parameter out of its range.
  virtual void validate() const = 0;

 protected:
  AnyParams() = default;
  AnyParams(const AnyParams&) = default;
  AnyParams& operator=(const AnyParams&) = default;
};

/// Sets the parameter of a dotted name, such as "shape.profile", from text. The last part of the name is enough where
/// no other has it. Throws InvalidArgument for a name there is not and for text that is no value of it; `what` heads
/// the message. The range is left to validate().
void set_param(AnyParams& params, std::string_view name, const std::string& text, const std::string& what);
/// Goes on to the next of a choice's values, after the last to the first; false if there is no choice of this name.
bool next_choice(AnyParams& params, std::string_view name);

/// What a run may start from besides its parameters.
struct Start {
  std::shared_ptr<const Mesh> mesh;
  Array3 first;                      ///< (n, 3), of the first frame
  std::optional<Array3> rest;        ///< (n, 3), the pose it was made in, if known
  std::vector<std::int32_t> shared;  ///< vertices that are also vertices of what is not cloth
  double height;                     ///< of the character
  ReadArrays read;                   ///< how files are read that parameters name, as the core reads none
  std::optional<Bones> bones = {};   ///< what vertices follow, if known; then `rest` is, too
  /// Is told what the user should know of the run; may be empty.
  std::function<void(const std::string&)> warn = {};
};

/// Something that a method can have drawn over the last frame of a run; it is one of three things.
struct Overlay {
  std::string_view name;
  std::string_view doc;
  /// What the method's own shaders draw as lines.
  bool strokes = false;
  /// Colours (m,) laid over the triangles.
  std::vector<draw::Rgba8> (*tints)(const Method& run) = nullptr;
  std::vector<draw::Lines> (*lines)(const Method& run) = nullptr;
};

/// A method.
class Kind {
 public:
  virtual ~Kind() = default;
  /// As Method::name.
  virtual std::string_view name() const = 0;
  /// With their defaults.
  virtual std::unique_ptr<AnyParams> params() const = 0;
  /// What of a character is cloth where nobody chose: names of its parts, none for the whole. Throws Error for a file
  /// that `read` does not read.
  virtual std::vector<std::string> parts(const AnyParams& /*params*/, const ReadArrays& /*read*/) const { return {}; }
  /// A run that has not seen a frame yet, with parameters of params(). Throws InvalidArgument for a value out of range
  /// and for a start that does not go with the parameters, and Error for a file that `read` does not read.
  virtual std::unique_ptr<Method> start(const Start& start, const AnyParams& params) const = 0;
  virtual std::span<const Overlay> overlays() const { return {}; }

 protected:
  Kind() = default;
  Kind(const Kind&) = default;
  Kind& operator=(const Kind&) = default;
};

/// All methods; the first is the usual one.
std::span<const Kind* const> kinds();
/// The method of a name; throws InvalidArgument naming those there are. `what` heads the message.
const Kind& kind_named(std::string_view name, const std::string& what);

/// The parameters `P` of a method, which visit_params goes through.
template <class P>
class ParamsOf final : public AnyParams {
 public:
  const P& values() const { return values_; }
  std::unique_ptr<AnyParams> clone() const override { return std::make_unique<ParamsOf>(*this); }
  void visit(ParamVisitor& visitor) override { visit_params(values_, Erasing{visitor}); }
  void validate() const override { values_.validate(); }

 private:
  struct Erasing {
    ParamVisitor& to;

    template <class T>
    void field(const char* name, T& value, const Range& range, const char* doc) const {
      to.number(name, value, range, doc);
    }
    template <class T>
    void choice(const char* name, T& value, const char* doc) const {
      if constexpr (std::is_enum_v<T>) {
        auto number = std::size_t(value);
        to.choice(name, number, enum_names<T>(), doc);
        value = T(number);
      } else if constexpr (std::is_same_v<T, bool>) {
        to.flag(name, value, doc);
      } else {
        to.text(name, value, doc);
      }
    }
    template <class Node>
    void node(const char* name, Node& node, const char* doc) const {
      if (!to.enter(name, doc)) return;
      visit_params(node, *this);
      to.leave();
    }
  };

  P values_;
};

}  // namespace pucker
