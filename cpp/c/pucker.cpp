#include "pucker/pucker.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "files.h"
#include "pucker/dynamic/curve.h"
#include "pucker/dynamic/shape.h"
#include "pucker/dynamic/wrinkler.h"
#include "pucker/errors.h"
#include "pucker/loop_detail.h"
#include "pucker/mesh/skinning.h"
#include "pucker/mesh/subdivision.h"
#include "pucker/method_type.h"
#include "pucker/named_arrays.h"

using pucker::Array3;

struct pucker_params {
  const pucker::MethodType* kind;
  std::unique_ptr<pucker::AnyParams> values;
  /// Files that are read from here, by name.
  std::map<std::string, pucker::NamedArrays, std::less<>> given = {};
};

struct pucker_run {
  std::shared_ptr<const pucker::Mesh> mesh;
  std::unique_ptr<pucker::Method> method;
  /// Where the detail is no mesh of its own: what divides the garment's.
  pucker::Subdivision divided;
  /// Vertices of the wearer; 0 without one.
  std::int64_t worn_vertices = 0;
  /// What results are made in before they are copied; a handle belongs to one thread at a time.
  mutable pucker::Evaluation evaluation = {};
  mutable pucker::PathCurve curve = {};
  mutable pucker::CurveSamples samples = {};
};

namespace {

void tell(pucker_error* error, const char* text) {
  if (error == nullptr) return;
  const std::size_t length = std::min(std::strlen(text), sizeof(error->text) - 1);
  std::memcpy(error->text, text, length);
  error->text[length] = '\0';
}

/// What `call` throws as a status and a sentence.
template <class Call>
pucker_status guarded(pucker_error* error, const Call& call) noexcept {
  tell(error, "");
  try {
    call();
    return PUCKER_OK;
  } catch (const pucker::InvalidArgument& thrown) {
    tell(error, thrown.what());
    return PUCKER_INVALID;
  } catch (const pucker::Error& thrown) {
    tell(error, thrown.what());
    return PUCKER_FAILED;
  } catch (const std::bad_alloc&) {
    tell(error, "there is not enough memory");
    return PUCKER_MEMORY;
  } catch (const std::exception& thrown) {
    tell(error, thrown.what());
    return PUCKER_INTERNAL;
  } catch (...) {
    tell(error, "something else than an exception was thrown");
    return PUCKER_INTERNAL;
  }
}

void require_given(const void* pointer, const char* name) {
  pucker::require(pointer != nullptr, name, " must not be NULL");
}

void require_room(std::size_t room, Eigen::Index rows, const char* what, std::size_t each = 3) {
  const std::size_t needed = each * std::size_t(rows);
  pucker::require(room >= needed, what, " need room for ", needed, " numbers, not ", room);
}

Eigen::Map<const Array3> rows_of(const double* values, std::int64_t rows) { return {values, Eigen::Index(rows), 3}; }

std::span<const double> matrices_of(const double* values, std::int64_t count) {
  return {values, 12 * std::size_t(count)};
}

void require_count(std::int64_t count, const char* name) {
  pucker::require(count >= 0, name, " must be at least 0, got ", count);
}

Array3 pose_of(const double* values, std::int64_t rows) {
  return values == nullptr ? Array3(0, 3) : Array3(rows_of(values, rows));
}

pucker::Index3 faces_of(const std::int32_t* faces, std::int64_t count) {
  return Eigen::Map<const pucker::Index3>(faces, Eigen::Index(count), 3);
}

pucker::NamedArrays arrays_of(const pucker_params& params, const std::string& path,
                              std::span<const std::string_view> names) {
  const auto given = params.given.find(path);
  return given != params.given.end() ? given->second : pucker::c::read_arrays(path, names);
}

/// Throws InvalidArgument for what no wearer is.
void take_wearer(pucker::StartInput& start, const pucker_wearer& given) {
  require_given(given.faces, "wearer.faces");
  require_given(given.positions, "wearer.positions");
  pucker::require(given.vertices >= 1 && given.triangles >= 1 && given.frames >= 1,
                  "a wearer must have vertices, triangles and frames, not ", given.vertices, ", ", given.triangles,
                  " and ", given.frames);
  pucker::require(given.shared >= 0, "wearer.shared must be at least 0, got ", given.shared);
  if (given.shared > 0) require_given(given.shared_indices, "wearer.shared_indices");
  start.shared.assign(given.shared_indices, given.shared_indices + given.shared);
  start.wearer = [&given] {
    const std::size_t numbers = 3 * std::size_t(given.frames) * std::size_t(given.vertices);
    return pucker::Wearer{.vertices = Eigen::Index(given.vertices),
                          .faces = faces_of(given.faces, given.triangles),
                          .positions = {given.positions, given.positions + numbers},
                          .rest = pose_of(given.rest, given.vertices),
                          .standing = pose_of(given.standing, given.vertices)};
  };
}

void copy(const Array3& rows, double* out) { std::copy_n(rows.data(), rows.size(), out); }

const pucker::Subdivision& fine_of(const pucker_run& run) {
  const pucker::Subdivision* own = run.method->state().detail().own_mesh();
  return own != nullptr ? *own : run.divided;
}

/// The last frame of dynamic wrinkles; null of another method.
const pucker::WrinklerState* wrinkled(const pucker_run& run) {
  return dynamic_cast<const pucker::WrinklerState*>(&run.method->state());
}

std::span<const pucker::Wrinkle> wrinkles_of(const pucker_run& run) {
  const pucker::WrinklerState* state = wrinkled(run);
  if (state == nullptr) return {};
  return state->wrinkles;
}

const pucker::Wrinkle& wrinkle_of(const pucker_run& run, std::int64_t index) {
  const std::span<const pucker::Wrinkle> wrinkles = wrinkles_of(run);
  pucker::require(index >= 0 && std::size_t(index) < wrinkles.size(), "index must be in [0, ", wrinkles.size(),
                  "), got ", index);
  return wrinkles[std::size_t(index)];
}

/// The curve of a path of the last frame, until the next call; without points where nothing is left to see.
const pucker::CurveSamples& drawn(const pucker_run& run, const pucker::Wrinkle& wrinkle) {
  run.samples.points.clear();
  if (pucker::is_gone(wrinkle)) return run.samples;
  const pucker::WrinklerState& state = *wrinkled(run);
  pucker::path_curve(wrinkle, state.positions, state.frames, run.curve);
  pucker::sample_curve(run.curve, wrinkle, run.samples);
  return run.samples;
}

/// A run; `wearer` is null if there is none.
pucker_status begin(const pucker_params* params, const pucker_garment* garment, const pucker_wearer* wearer,
                    std::int32_t pieces, pucker_run** out, pucker_error* error) {
  return guarded(error, [&] {
    require_given(params, "params");
    require_given(garment, "garment");
    require_given(out, "out");
    require_given(garment->faces, "garment.faces");
    require_given(garment->first, "garment.first");
    pucker::require(garment->vertices >= 1 && garment->triangles >= 1,
                    "a garment must have vertices and triangles, not ", garment->vertices, " and ", garment->triangles);
    pucker::require(pieces >= 1, "pieces must be at least 1, got ", pieces);
    const auto made = [&](const double* pose) {
      return pose == nullptr ? std::nullopt : std::optional<Array3>(rows_of(pose, garment->vertices));
    };
    auto run = std::make_unique<pucker_run>();
    run->mesh = std::make_shared<pucker::Mesh>(faces_of(garment->faces, garment->triangles), garment->vertices);
    pucker::StartInput start{.mesh = run->mesh,
                             .first = rows_of(garment->first, garment->vertices),
                             .rest = made(garment->rest),
                             .shared = {},
                             .height = garment->height,
                             .read = [&](const std::string& path, std::span<const std::string_view> names) {
                               return arrays_of(*params, path, names);
                             }};
    start.standing = made(garment->standing);
    start.standing_from = "the pose it was given";
    start.read_array = pucker::c::read_array;
    if (wearer != nullptr) take_wearer(start, *wearer);
    run->worn_vertices = wearer == nullptr ? 0 : wearer->vertices;
    run->method = params->kind->start(start, *params->values);
    const std::vector<std::int32_t> levels(std::size_t(run->mesh->edge_count()), pieces);
    run->divided = pucker::subdivide(*run->mesh, levels);
    *out = run.release();
  });
}

}  // namespace

const char* pucker_version(void) { return PUCKER_VERSION; }

pucker_status pucker_params_new(const char* method, pucker_params** out, pucker_error* error) {
  return guarded(error, [&] {
    require_given(method, "method");
    require_given(out, "out");
    const pucker::MethodType& kind = pucker::method_named(method, "method");
    *out = new pucker_params{&kind, kind.params()};
  });
}

pucker_status pucker_params_set(pucker_params* params, const char* name, const char* value, pucker_error* error) {
  return guarded(error, [&] {
    require_given(params, "params");
    require_given(name, "name");
    require_given(value, "value");
    const std::unique_ptr<pucker::AnyParams> changed = params->values->clone();
    pucker::set_param(*changed, name, value, name);
    changed->validate();
    pucker::set_param(*params->values, name, value, name);
  });
}

pucker_status pucker_params_array(pucker_params* params, const char* file, const pucker_array* array,
                                  pucker_error* error) {
  return guarded(error, [&] {
    require_given(params, "params");
    require_given(file, "file");
    require_given(array, "array");
    require_given(array->name, "array.name");
    pucker::NamedArray made;
    if (array->text != nullptr) {
      made.text = array->text;
      made.is_text = true;
    } else {
      pucker::require(array->rank >= 0, "array.rank must be at least 0, got ", array->rank);
      if (array->rank > 0) require_given(array->shape, "array.shape");
      require_given(array->numbers, "array.numbers");
      std::size_t count = 1;
      for (std::int64_t axis = 0; axis < array->rank; ++axis) {
        pucker::require(array->shape[axis] >= 0, "sizes of an array must be at least 0, got ", array->shape[axis]);
        made.shape.push_back(array->shape[axis]);
        count *= std::size_t(array->shape[axis]);
      }
      made.values.assign(array->numbers, array->numbers + count);
    }
    params->given[file].insert_or_assign(array->name, std::move(made));
  });
}

void pucker_params_free(pucker_params* params) { delete params; }

pucker_status pucker_run_new(const pucker_params* params, const pucker_garment* garment, int32_t pieces,
                             pucker_run** out, pucker_error* error) {
  return begin(params, garment, nullptr, pieces, out, error);
}

pucker_status pucker_run_new_worn(const pucker_params* params, const pucker_garment* garment,
                                  const pucker_wearer* wearer, int32_t pieces, pucker_run** out, pucker_error* error) {
  const pucker_status given = guarded(error, [&] { require_given(wearer, "wearer"); });
  return given == PUCKER_OK ? begin(params, garment, wearer, pieces, out, error) : given;
}

pucker_status pucker_run_advance(pucker_run* run, const double* positions, double time, pucker_error* error) {
  return guarded(error, [&] {
    require_given(run, "run");
    require_given(positions, "positions");
    run->method->advance(rows_of(positions, run->mesh->vertex_count()), time);
  });
}

pucker_status pucker_run_advance_worn(pucker_run* run, const double* positions, const double* wearer, double time,
                                      pucker_error* error) {
  return guarded(error, [&] {
    require_given(run, "run");
    require_given(positions, "positions");
    require_given(wearer, "wearer");
    run->method->advance_worn(rows_of(positions, run->mesh->vertex_count()), rows_of(wearer, run->worn_vertices), time);
  });
}

pucker_status pucker_run_size(const pucker_run* run, int64_t* vertices, int64_t* triangles, pucker_error* error) {
  return guarded(error, [&] {
    require_given(run, "run");
    const pucker::Subdivision& fine = fine_of(*run);
    if (vertices != nullptr) *vertices = std::int64_t(fine.triangles.size());
    if (triangles != nullptr) *triangles = fine.faces.rows();
  });
}

pucker_status pucker_run_faces(const pucker_run* run, int32_t* out, size_t room, pucker_error* error) {
  return guarded(error, [&] {
    require_given(run, "run");
    require_given(out, "out");
    const pucker::Index3& faces = fine_of(*run).faces;
    require_room(room, faces.rows(), "triangles");
    std::copy_n(faces.data(), faces.size(), out);
  });
}

pucker_status pucker_run_corners(const pucker_run* run, int32_t* sources, double* corners, size_t room,
                                 pucker_error* error) {
  return guarded(error, [&] {
    require_given(run, "run");
    const pucker::Subdivision& fine = fine_of(*run);
    require_room(room, 3 * fine.faces.rows(), "corners");
    if (sources != nullptr) std::copy_n(fine.source.data(), fine.source.size(), sources);
    if (corners == nullptr) return;
    Eigen::Map<Array3> out(corners, 3 * fine.faces.rows(), 3);
    for (std::int32_t face = 0; face < fine.faces.rows(); ++face)
      for (int k = 0; k < 3; ++k) out.row(3 * Eigen::Index(face) + k) = fine.corner(face, k);
  });
}

pucker_status pucker_run_surface(const pucker_run* run, double* positions, double* normals, size_t room,
                                 pucker_error* error) {
  return guarded(error, [&] {
    require_given(run, "run");
    const pucker::Subdivision& fine = fine_of(*run);
    require_room(room, Eigen::Index(fine.triangles.size()), "positions and normals");
    const pucker::Detail& detail = run->method->state().detail();
    if (const auto* loop = dynamic_cast<const pucker::LoopDetail*>(&detail)) {
      if (positions != nullptr) copy(loop->fine_positions(), positions);
      if (normals != nullptr) copy(loop->fine_normals(), normals);
      return;
    }
    detail.evaluate_into(fine.triangles, fine.barycentrics, run->evaluation);
    if (positions != nullptr) copy(run->evaluation.points.positions, positions);
    if (normals != nullptr) copy(run->evaluation.points.normals, normals);
  });
}

pucker_status pucker_run_path_count(const pucker_run* run, int64_t* out, pucker_error* error) {
  return guarded(error, [&] {
    require_given(run, "run");
    require_given(out, "out");
    *out = std::int64_t(wrinkles_of(*run).size());
  });
}

pucker_status pucker_run_path(const pucker_run* run, int64_t index, pucker_path* out, double* points, size_t room,
                              pucker_error* error) {
  return guarded(error, [&] {
    require_given(run, "run");
    const pucker::Wrinkle& wrinkle = wrinkle_of(*run, index);
    if (out != nullptr) *out = {wrinkle.id, wrinkle.alive ? 1 : 0, std::int64_t(wrinkle.size()), wrinkle.age};
    if (points == nullptr) return;
    require_room(room, Eigen::Index(wrinkle.size()), "points");
    const Array3& positions = run->method->state().positions;
    for (std::size_t k = 0; k < wrinkle.size(); ++k) {
      const pucker::Vector3 place = pucker::position(wrinkle.points[k], positions);
      std::copy_n(place.data(), 3, points + 3 * k);
    }
  });
}

pucker_status pucker_run_curve(const pucker_run* run, int64_t index, int64_t* count, double* points, size_t room,
                               pucker_error* error) {
  return guarded(error, [&] {
    require_given(run, "run");
    const pucker::CurveSamples& curve = drawn(*run, wrinkle_of(*run, index));
    if (count != nullptr) *count = std::int64_t(curve.points.size());
    if (points == nullptr) return;
    require_room(room, Eigen::Index(curve.points.size()), "points", 4);
    for (std::size_t k = 0; k < curve.points.size(); ++k) {
      std::copy_n(curve.points[k].data(), 3, points + 4 * k);
      points[4 * k + 3] = curve.heights[k];
    }
  });
}

pucker_status pucker_run_tints(const pucker_run* run, const char* overlay, uint8_t* out, size_t room,
                               pucker_error* error) {
  return guarded(error, [&] {
    require_given(run, "run");
    require_given(overlay, "overlay");
    require_given(out, "out");
    const std::string method(run->method->name());
    const std::span<const pucker::Overlay> overlays = pucker::method_named(method, "method").overlays();
    const auto found = std::find_if(overlays.begin(), overlays.end(),
                                    [&](const pucker::Overlay& each) { return each.name == overlay; });
    pucker::require(found != overlays.end() && found->tints != nullptr, "the method ", method, " has no tint ",
                    overlay);
    (void)run->method->state();
    const std::vector<pucker::draw::Rgba8> tints = found->tints(*run->method);
    require_room(room, Eigen::Index(tints.size()), "tints", 4);
    for (std::size_t t = 0; t < tints.size(); ++t) std::copy_n(tints[t].data(), 4, out + 4 * t);
  });
}

void pucker_run_free(pucker_run* run) { delete run; }

pucker_status pucker_nodes_turned(int64_t nodes, const int32_t* parents, const double* matrices, const double* angles,
                                  double* out, pucker_error* error) {
  return guarded(error, [&] {
    require_given(parents, "parents");
    require_given(matrices, "matrices");
    require_given(angles, "angles");
    require_given(out, "out");
    require_count(nodes, "nodes");
    const std::vector<double> found =
        pucker::turned({parents, std::size_t(nodes)}, matrices_of(matrices, nodes), rows_of(angles, nodes));
    std::copy(found.begin(), found.end(), out);
  });
}

pucker_status pucker_skin_positions(const pucker_skin* skin, int64_t nodes, const double* matrices, double* out,
                                    pucker_error* error) {
  return guarded(error, [&] {
    require_given(skin, "skin");
    require_given(skin->rest, "skin.rest");
    require_given(skin->first, "skin.first");
    require_given(skin->influences, "skin.influences");
    require_given(skin->weights, "skin.weights");
    require_given(skin->nodes, "skin.nodes");
    require_given(skin->inverse_binds, "skin.inverse_binds");
    require_given(matrices, "matrices");
    require_given(out, "out");
    require_count(skin->vertices, "skin.vertices");
    require_count(skin->joints, "skin.joints");
    require_count(nodes, "nodes");
    const std::span first(skin->first, std::size_t(skin->vertices) + 1);
    pucker::require(first.back() >= 0, "the last of skin.first must be at least 0, got ", first.back());
    const auto influences = std::size_t(first.back());
    copy(pucker::skinned({.first = first,
                          .joint = {skin->influences, influences},
                          .weight = {skin->weights, influences},
                          .nodes = {skin->nodes, std::size_t(skin->joints)},
                          .inverse_binds = matrices_of(skin->inverse_binds, skin->joints)},
                         rows_of(skin->rest, skin->vertices), matrices_of(matrices, nodes)),
         out);
  });
}
