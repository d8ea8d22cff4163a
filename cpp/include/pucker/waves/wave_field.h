/// The whole method of the wave field: one frame after the other through all stages.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pucker/method.h"
#include "pucker/waves/crush.h"
#include "pucker/waves/params.h"
#include "pucker/waves/pleat.h"
#include "pucker/waves/relax.h"
#include "pucker/waves/wave_surface.h"

namespace pucker::waves {

/// The stages in the order in which a frame runs through them.
enum class Stage { crush, relax, packing };

/// What one frame gave.
struct WaveState final : pucker::State {
  /// `rest`: what phases are measured along, or null for the positions of the frame.
  WaveState(std::shared_ptr<const Mesh> mesh, std::shared_ptr<const Array3> rest, const PleatTable& table,
            Gradient gradient);
  std::span<const std::string_view> stages() const override;
  const WaveDetail& detail() const override { return detail_; }

  PlaneWaves waves;
  CrushReport report;
  std::vector<double> phases;  ///< φ (n,) in radians
  double energy = 0;           ///< mean squared phase error, in squared cycles, see Relax::energy
  std::vector<PackedWave> packed;

 private:
  std::shared_ptr<const Mesh> mesh_;
  std::shared_ptr<const Array3> rest_;
  PleatTable table_;
  WaveDetail detail_;
};

/// Rounds of the descent of a frame so many seconds after the last one, none for the first: whole ones, what is left
/// over being kept for the next. A gap of more than 1 s counts as 1 s, after which phases have come to rest.
std::int64_t rounds_due(const Params& params, std::optional<double> gap, double& left_over);

/// Runs the stages in order and holds what the next frame needs. Each stage used by hand gives the same bits.
class WaveField final : public MethodOf<WaveField, WaveState> {
 public:
  /// `rest`: (n, 3), the pose without wrinkles. `height`: of the character, which `params.wavelength` is a share of if
  /// `params.unit` says so. `shared`: vertices that are also vertices of what is not cloth; waves fade out towards them
  /// and what another layer covers, as `params.border_fade` says, and they stay where they are. Throws InvalidArgument
  /// for parameters out of range, a rest pose that is not (n, 3) and finite, a wavelength in shares of a height that is
  /// missing or not finite and positive, and shared vertices that there are not.
  WaveField(std::shared_ptr<const Mesh> mesh, const ConstArray3& rest, const Params& params,
            std::optional<double> height = std::nullopt, std::vector<std::int32_t> shared = {});

  std::string_view name() const override { return "waves"; }
  std::span<const std::string_view> stages() const override;
  const Params& params() const { return params_; }
  const std::shared_ptr<const Mesh>& mesh() const override { return mesh_; }
  const Array3& rest() const { return crush_.rest(); }

  /// From the next frame on; see Crush and PleatTable for what is refused.
  void set_wavelengths(std::span<const double> wavelengths);
  void set_paint(const ConstArray3& paint) { crush_.set_paint(paint); }
  void set_profile(const PleatTable& table) { table_ = table; }
  const std::vector<double>& wavelengths() const { return crush_.waves().wavelengths; }
  const Array3& paint() const { return crush_.paint(); }
  const PleatTable& profile() const { return table_; }
  /// (n,): what of their height waves keep, less than 1 near a shared border and what is covered.
  const std::vector<double>& shares() const { return crush_.shares(); }

  /// As Method::advance. The first frame has `params.relax.start_rounds`, and waves that appear where no neighbour had
  /// any begin with the phases of `params.relax.start`, in later frames as well, which then allocate if it is solved;
  /// those beside others carry on their phases, unless it is random. Each later frame has `params.relax.rounds` a
  /// `params.interval`, see rounds_due. Whatever it throws, nothing has changed then.
  const WaveState& advance(const ConstArray3& positions, double time) override;
  /// Gives the last frame the phases of least error, see Relax::solve. Throws InvalidArgument before the first frame.
  PhaseReport solve();

  std::string save() const override;
  /// A run that goes on with the same bits as the saved one. Throws Error for bytes that save() has not made.
  static WaveField restore(std::string_view bytes);

 private:
  /// In the unit of the rest pose.
  struct Wavelength {
    double value;
  };
  WaveField(std::shared_ptr<const Mesh> mesh, const ConstArray3& rest, const Params& params, Wavelength wavelength,
            std::vector<std::int32_t> shared);
  /// Has waves fade out towards the shared border, by the wavelength of each vertex.
  void fade_border();
  std::shared_ptr<WaveState> new_state() const;
  /// A state without other owners.
  std::shared_ptr<WaveState> unused_state();
  /// Has the phases of a frame compared.
  void compare(const WaveState& state);
  void run_stages(WaveState& state);
  /// To where the last frame left the stages.
  void go_back();
  /// Phases for vertices that had no wave in the last frame, see advance.
  void start_waves();
  /// What follows from the waves and the phases.
  void finish(WaveState& state);

  std::shared_ptr<const Mesh> mesh_;
  Params params_;
  PleatTable table_;
  std::vector<std::int32_t> shared_;
  Crush crush_;
  std::vector<double> distances_;  ///< of the vertices, by border_distances; empty if nothing fades out
  Relax relax_;
  std::shared_ptr<const Array3> rest_;  ///< null unless phases are measured along it
  double left_over_ = 0;                ///< rounds, a share of one
  std::vector<std::uint8_t> waved_;     ///< vertices that had an influence in the last frame

  std::shared_ptr<WaveState> previous_;  ///< of the frame before it
};

}  // namespace pucker::waves
