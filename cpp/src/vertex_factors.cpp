#include "pucker/vertex_factors.h"

#include <cmath>
#include <cstdint>
#include <string_view>

#include "pucker/errors.h"

namespace pucker {

namespace {

std::string to_string(const std::vector<std::int64_t>& shape) {
  std::string out;
  for (const std::int64_t size : shape) out += message(out.empty() ? "" : ", ", size);
  return message("(", out, shape.size() == 1 ? ",)" : ")");
}

/// A place among pixels that repeat: between the middles of two of them.
struct Between {
  std::int64_t low;
  std::int64_t high;
  double share;  ///< of the way from low to high

  Between(double at, std::int64_t count) {
    const double floor = std::floor(at);
    share = at - floor;
    const double within = std::fmod(floor, double(count));
    low = std::int64_t(within < 0 ? within + double(count) : within);
    high = (low + 1) % count;
  }
};

double sampled(const NamedArray& picture, double u, double v) {
  const std::int64_t rows = picture.shape[0];
  const std::int64_t columns = picture.shape[1];
  const Between x(u * double(columns) - 0.5, columns);
  const Between y(v * -double(rows) - 0.5, rows);
  const auto mixed = [&](std::int64_t row) {
    const double* pixels = picture.values.data() + row * columns;
    return (1 - x.share) * pixels[x.low] + x.share * pixels[x.high];
  };
  return (1 - y.share) * mixed(y.low) + y.share * mixed(y.high);
}

std::vector<double> from_picture(const std::string& path, const NamedArray& picture, const Mesh& mesh,
                                 const TextureCoordinates& texture) {
  require(picture.shape.size() == 2 && !picture.values.empty(), path, " must be a picture with pixels, not one of the ",
          "shape ", to_string(picture.shape));
  require(texture.faces.rows() == mesh.triangle_count(), "texture coordinates must be those of ", mesh.triangle_count(),
          " triangles, not ", texture.faces.rows());
  const std::size_t stored = std::size_t(texture.uv.rows());
  std::vector<std::int32_t> place(stored, kNone);
  for (Eigen::Index corner = 0; corner < texture.faces.size(); ++corner) {
    const std::int32_t entry = texture.faces.data()[corner];
    require(entry >= 0 && std::size_t(entry) < stored, "texture coordinates are of ", stored,
            " stored vertices, but a corner has number ", entry);
    place[std::size_t(entry)] = mesh.faces().data()[corner];
  }
  const std::size_t count = std::size_t(mesh.vertex_count());
  std::vector<double> sums(count, 0);
  std::vector<double> samples(count, 0);
  for (std::size_t entry = 0; entry < stored; ++entry) {
    if (place[entry] == kNone) continue;
    const auto uv = texture.uv.row(Eigen::Index(entry));
    require(uv.allFinite(), "texture coordinates must be finite, but those of stored vertex ", entry, " are (", uv.x(),
            ", ", uv.y(), ")");
    sums[std::size_t(place[entry])] += sampled(picture, uv.x(), uv.y());
    ++samples[std::size_t(place[entry])];
  }
  for (std::size_t v = 0; v < count; ++v) sums[v] = samples[v] > 0 ? sums[v] / samples[v] : 1;
  return sums;
}

}  // namespace

bool holds_numbers(const std::string& path) { return path.ends_with(".npy"); }

std::vector<double> vertex_factors(const std::string& path, const char* what, const Mesh& mesh,
                                   const TextureCoordinates& texture, const ReadArray& read) {
  const bool numbers = holds_numbers(path);
  require(numbers || texture.uv.rows() > 0, "there are no texture coordinates, where ", path, " is to be read");
  const NamedArray found = read(path);
  std::vector<double> out;
  if (numbers) {
    require(!found.is_text && found.shape == std::vector<std::int64_t>{mesh.vertex_count()}, path,
            " must hold a number for each of ", mesh.vertex_count(), " vertices, not ",
            found.is_text ? "a text" : "an array of the shape " + to_string(found.shape));
    out = found.values;
  } else {
    out = from_picture(path, found, mesh, texture);
  }
  for (std::size_t v = 0; v < out.size(); ++v)
    require(std::isfinite(out[v]) && out[v] > 0, what, " must be finite and above 0, but ", path, " has ", out[v],
            " at vertex ", v);
  return out;
}

}  // namespace pucker
