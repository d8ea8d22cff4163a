#include "pucker/kind.h"

#include "pucker/drape/drape.h"
#include "pucker/errors.h"

namespace pucker {

namespace {

/// Müller and Chentanez 2010.
class DrapeKind final : public Kind {
 public:
  std::string_view name() const override { return "drape"; }
  std::unique_ptr<AnyParams> params() const override { return std::make_unique<ParamsOf<drape::Params>>(); }
  std::unique_ptr<Method> start(const Start& start, const AnyParams& params) const override {
    const drape::Params& values = dynamic_cast<const ParamsOf<drape::Params>&>(params).values();
    require(values.cut.empty() || values.cut == "rest" || values.cut == "first",
            "params.cut must be rest or first here, as a program without Python reads no pose from a file, got '",
            values.cut, "'");
    require(values.cut != "rest" || start.rest.has_value(), "params.cut = rest needs a rest pose, the clip has none");
    if (values.cut.empty() && !start.rest && start.warn)
      start.warn("the clip has no rest pose, so the garment is taken as cut for its first frame");
    const bool first = values.cut == "first" || !start.rest;
    return std::make_unique<drape::Drape>(start.mesh, first ? start.first : *start.rest, values, start.shared);
  }
};

}  // namespace

const Kind& drape_kind() {
  static const DrapeKind kind;
  return kind;
}

}  // namespace pucker
