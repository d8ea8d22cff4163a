// Runs a method over a clip and writes the wrinkled surface of its last frame.
#include <cstdint>
#include <exception>
#include <fstream>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pucker/io/load.h"
#include "pucker/method_type.h"
#include "pucker/mesh/subdivision.h"

namespace {

void write_obj(const std::string& path, const pucker::Array3& positions, const pucker::Index3& faces) {
  std::ofstream out(path);
  out.precision(9);
  for (const auto& p : positions.rowwise()) out << "v " << p.x() << ' ' << p.y() << ' ' << p.z() << '\n';
  for (const auto& f : faces.rowwise()) out << "f " << f.x() + 1 << ' ' << f.y() + 1 << ' ' << f.z() + 1 << '\n';
}

void wrinkle(const std::string& file, const std::string& clip_name, const std::vector<std::string>& parts,
             const std::string& output) {
  const pucker::io::Clip clip = pucker::io::load(file, {.clip = clip_name, .parts = parts});

  const pucker::MethodType& kind = pucker::method_named("dynamic", "method");
  const std::unique_ptr<pucker::AnyParams> params = kind.params();
  pucker::set_param(*params, "threshold", "1.05", "threshold");
  const std::unique_ptr<pucker::Method> run = kind.start(
      {clip.mesh(), clip.positions(0), clip.rest(), clip.shared_vertices(), clip.height()}, *params);

  for (std::int64_t frame = 0; frame < clip.frame_count(); ++frame)
    run->advance(clip.positions(frame), clip.data().times[std::size_t(frame)]);

  // Edges that detail reaches are divided until the pieces show its smallest feature.
  const pucker::Detail& detail = run->state().detail();
  const std::vector<std::int32_t> levels = detail.edge_levels(detail.feature_size() / 3.0);
  const pucker::Subdivision fine = pucker::subdivide(*clip.mesh(), levels);
  const pucker::SurfacePoints points = detail.evaluate(fine.triangles, fine.barycentrics);
  write_obj(output, points.positions, fine.faces);

  double deepest = 0.0;
  for (const double offset : pucker::normal_offsets(points)) deepest = std::max(deepest, std::abs(offset));
  std::cout << "vertices " << points.positions.rows() << "\ntriangles " << fine.faces.rows() << "\nlargest offset "
            << deepest << '\n';
}

}  // namespace

int main(int count, char** words) {
  const std::span arguments(words, std::size_t(count));
  if (arguments.size() < 4) {
    std::cerr << "Usage: wrinkle FILE CLIP OUTPUT.obj [PART…]\n";
    return 2;
  }
  try {
    wrinkle(arguments[1], arguments[2], {arguments.begin() + 4, arguments.end()}, arguments[3]);
  } catch (const std::exception& error) {
    std::cerr << "wrinkle: " << error.what() << '\n';
    return 1;
  }
}
