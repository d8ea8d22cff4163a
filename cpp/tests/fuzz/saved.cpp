/// Bytes of a saved run, with a checksum that fits them: what is restored must be able to go on.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "pucker/byexample/by_example.h"
#include "pucker/drape/drape.h"
#include "pucker/dynamic/wrinkler.h"
#include "pucker/errors.h"
#include "pucker/serial.h"
#include "pucker/waves/wave_field.h"

namespace {

using namespace pucker;

std::unique_ptr<Method> restored(std::string_view bytes) {
  if (bytes.starts_with("pucker waves")) return std::make_unique<waves::WaveField>(waves::WaveField::restore(bytes));
  if (bytes.starts_with("pucker run")) return std::make_unique<Wrinkler>(Wrinkler::restore(bytes));
  if (bytes.starts_with("pucker drape")) return std::make_unique<drape::Drape>(drape::Drape::restore(bytes));
  return std::make_unique<byexample::ByExample>(byexample::ByExample::restore(bytes));
}

/// Whether a second more is soon computed: a run may ask for 10⁹ rounds of it, or 10⁸ iterations, and has them.
bool soon(const Method& run) {
  constexpr double most = 1e5;
  if (const auto* cloth = dynamic_cast<const drape::Drape*>(&run)) {
    constexpr double iterations = 1e3;
    return double(cloth->params().iterations) * cloth->params().settling <= iterations;
  }
  const auto* waves = dynamic_cast<const waves::WaveField*>(&run);
  return waves == nullptr || waves->params().relax.rounds <= most * waves->params().interval;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ByteWriter sealed;
  sealed.text({reinterpret_cast<const char*>(data), size});
  const std::string bytes = sealed.take_sealed();
  try {
    const std::unique_ptr<Method> run = restored(bytes);
    const std::string again = run->save();
    if (restored(again)->save() != again) std::abort();
    const State* state = nullptr;
    try {
      state = &run->state();
    } catch (const InvalidArgument&) {
      return 0;  // it has not begun
    }
    if (!std::isfinite(state->time) || state->positions.rows() != run->mesh()->vertex_count()) std::abort();
    const double time = state->time + std::fmax(1.0, std::fabs(state->time));
    const Array3 positions = 0.9 * state->positions;
    if (std::isfinite(time) && soon(*run)) run->advance(positions, time);
  } catch (const Error&) {
  } catch (const InvalidArgument&) {
  }
  return 0;
}
