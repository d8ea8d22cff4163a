/// Type-erased parameters of any method: visited in order, found by name, set from text.
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
#include <variant>

#include "pucker/enum_names.h"
#include "pucker/params.h"

namespace pucker {

/// One parameter of a tree.
struct Parameter {
  /// `value` counts in `names`.
  struct Choice {
    std::size_t* value;
    std::span<const std::string> names;
  };
  using Value =
      std::variant<double*, std::optional<double>*, std::int32_t*, std::uint64_t*, bool*, std::string*, Choice>;

  const char* name;
  const char* doc;
  Value value;                 ///< where it is
  std::optional<Range> range;  ///< of a number
};

/// Visits parameters of any type as visit_params does.
class ParamVisitor {
 public:
  virtual ~ParamVisitor() = default;

  virtual void parameter(const Parameter& parameter) = 0;
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
  /// Dotted names of the parameters that most users change, in the order of visit().
  virtual std::span<const std::string_view> common() const = 0;
  /// Throws InvalidArgument naming the first parameter out of its range.
  virtual void validate() const = 0;

 protected:
  AnyParams() = default;
  AnyParams(const AnyParams&) = default;
  AnyParams& operator=(const AnyParams&) = default;
};

/// Calls `use` for each parameter in order, with its dotted name, such as "shape.profile".
void for_each_param(AnyParams& params,
                    const std::function<void(const std::string& path, const Parameter& parameter)>& use);
/// Sets the parameter of a dotted name from text. The last part of the name is enough where no other has it. Throws
/// InvalidArgument for a name there is not and for text that is no value of it; `what` heads the message. The range is
/// left to validate().
void set_param(AnyParams& params, std::string_view name, const std::string& text, const std::string& what);
/// Goes on to the next of a choice's values, after the last to the first; false if there is no choice of this name.
bool next_choice(AnyParams& params, std::string_view name);

/// The parameters `P` of a method: visit_params goes through them, and common_params(P) names the common ones.
template <class P>
class ParamsOf final : public AnyParams {
 public:
  ParamsOf() = default;
  explicit ParamsOf(P values) : values_(std::move(values)) {}

  const P& values() const { return values_; }
  std::unique_ptr<AnyParams> clone() const override { return std::make_unique<ParamsOf>(*this); }
  void visit(ParamVisitor& visitor) override { visit_params(values_, Erasing{visitor}); }
  std::span<const std::string_view> common() const override { return common_params(values_); }
  void validate() const override { values_.validate(); }

 private:
  struct Erasing {
    ParamVisitor& to;

    template <class T>
    void field(const char* name, T& value, const Range& range, const char* doc) const {
      to.parameter({name, doc, &value, range});
    }
    template <class T>
    void choice(const char* name, T& value, const char* doc) const {
      if constexpr (std::is_enum_v<T>) {
        auto number = std::size_t(value);
        to.parameter({name, doc, Parameter::Choice{&number, enum_names<T>()}, std::nullopt});
        value = T(number);
      } else {
        to.parameter({name, doc, &value, std::nullopt});
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
