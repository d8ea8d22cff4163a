/// How the saved runs of all methods begin, end and are refused. Between that stands what a method needs.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "pucker/errors.h"
#include "pucker/mesh/topology.h"
#include "pucker/method.h"
#include "pucker/params.h"
#include "pucker/serial.h"

namespace pucker {

/// The beginning of a saved run: `header`, a line of words and last the number of the layout, which changes whenever
/// that does, then mesh and parameters.
template <class Params>
ByteWriter begin_save(std::string_view header, const Mesh& mesh, const Params& params) {
  ByteWriter out;
  out.text(header);
  out.matrix(mesh.faces());
  out.value(mesh.vertex_count());
  visit_params(params, out);
  return out;
}

/// Takes header and checksum off bytes and gives what lies between to `read`, which must use up all of it. Throws
/// Error, heading the message with `what`, for other bytes and where `read` throws InvalidArgument.
template <class Read>
auto restore_sealed(std::string_view bytes, std::string_view header, const char* what, const Read& read) {
  ByteReader in(bytes, what);
  in.expect(header);
  in.unseal();
  try {
    auto out = read(in);
    in.finish();
    return out;
  } catch (const InvalidArgument& error) {
    throw Error(message(what, " holds what no run can: ", error.what()));
  }
}

/// The same for what begin_save began: `read(in, mesh, params)` goes on behind it.
template <class Params, class Read>
auto restore_run(std::string_view bytes, std::string_view header, const char* what, const Read& read) {
  return restore_sealed(bytes, header, what, [&](ByteReader& in) {
    Index3 faces;
    in.matrix(faces);
    const auto vertex_count = in.value<std::int64_t>();
    // A run that has begun holds positions for all of them; before that a mesh may have more than its triangles name.
    constexpr std::int64_t most_loose = 1 << 17;
    require(vertex_count <= std::int64_t(in.size()) + most_loose, in.size(), " bytes do not hold a mesh of ",
            vertex_count, " vertices");
    Params params;
    visit_params(params, in);
    return read(in, std::make_shared<Mesh>(std::move(faces), vertex_count), std::move(params));
  });
}

/// Throws InvalidArgument unless a run can stand at the frame and the time of `state`.
inline void require_saved_frame(const State& state) {
  require(state.frame >= 0, "frames count from 0, got ", state.frame);
  require(std::isfinite(state.time), "time must be finite, got ", state.time);
}

/// Throws InvalidArgument unless a run can have stood at these positions, (n, 3), and go on from there: they are
/// finite, and so are fourth powers of them, which energies and determinants of products are made of.
inline void require_saved_positions(const ConstArray3& positions, const char* what) {
  constexpr double largest = 1e70;
  for (Eigen::Index v = 0; v < positions.rows(); ++v)
    for (int k = 0; k < 3; ++k)
      require(std::abs(positions(v, k)) <= largest, what, "[", v, ", ", k, "] must be a number of at most ", largest,
              " in magnitude, got ", positions(v, k));
}

}  // namespace pucker
