#include "pucker/vertex_factors.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>

#include "io_temporary_folder.h"
#include "pucker/errors.h"
#include "shapes.h"

namespace pucker {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// A square of two triangles, (0, 1, 2) and (2, 1, 3), that is the whole picture.
struct Square {
  std::shared_ptr<const Mesh> mesh = std::make_shared<Mesh>(Index3{{0, 1, 2}, {2, 1, 3}}, 5);
  TextureCoordinates texture{.faces = Index3{{0, 1, 2}, {2, 1, 3}}, .uv = UvArray{{0, 0}, {1, 0}, {0, 1}, {1, 1}}};

  std::vector<double> factors(NamedArray array, const std::string& path = "a.png") const {
    return vertex_factors(path, "wavelengths", *mesh, texture, [&](const std::string&) { return array; });
  }
  std::string refusal(const NamedArray& array, const std::string& path = "a.png") const {
    return io::message_of<InvalidArgument>([&] { (void)factors(array, path); });
  }
};

NamedArray picture(std::int64_t rows, std::int64_t columns, std::vector<double> values) {
  return {.shape = {rows, columns}, .values = std::move(values), .text = {}};
}

TEST(VertexFactors, of_a_picture_are_those_between_the_middles_of_its_pixels) {
  Square square;
  // Rows 1 2 3 and 5 6 7, the upper one first.
  const NamedArray six = picture(2, 3, {1, 2, 3, 5, 6, 7});
  square.texture.uv = UvArray{{0.5, 0.75}, {0.5 / 3, 0.25}, {1.0 / 3, 0.25}, {0.5, 0.5}};
  EXPECT_EQ(square.factors(six)[0], 2);
  EXPECT_NEAR(square.factors(six)[1], 5, 1e-14);
  EXPECT_NEAR(square.factors(six)[2], 5.5, 1e-14);
  EXPECT_EQ(square.factors(six)[3], 4);
}

TEST(VertexFactors, of_a_picture_repeat) {
  Square square;
  const NamedArray six = picture(2, 3, {1, 2, 3, 5, 6, 7});
  square.texture.uv = UvArray{{0, 0.75}, {1, 0.75}, {-3, 7.75}, {1e15, -0.25}};
  for (int v = 0; v < 4; ++v) EXPECT_EQ(square.factors(six)[std::size_t(v)], 2) << v;  // between 3 and 1
  // Above the upper row lies the lower one.
  square.texture.uv = UvArray{{0.5, 1}, {0.5, 0}, {0.5, 0}, {0.5, 0}};
  EXPECT_EQ(square.factors(six)[0], 4);
}

TEST(VertexFactors, at_a_seam_are_the_mean_of_its_sides_and_one_without_a_triangle) {
  Square square;
  // Vertices 1 and 2 are stored twice; entry 6 is in no triangle.
  square.texture.faces = Index3{{0, 1, 2}, {4, 5, 3}};
  square.texture.uv =
      UvArray{{0.25, 0.5}, {0.25, 0.5}, {0.75, 0.5}, {0.75, 0.5}, {0.75, 0.5}, {0.75, 0.5}, {0.25, 0.5}};
  const std::vector<double> found = square.factors(picture(1, 2, {2, 4}));
  EXPECT_EQ(found, (std::vector<double>{2, 3, 4, 4, 1}));
}

TEST(VertexFactors, of_an_npy_are_its_numbers) {
  const Square square;
  const std::vector<double> numbers{1, 0.5, 2, 3, 4};
  EXPECT_EQ(square.factors({.shape = {5}, .values = numbers, .text = {}}, "a.npy"), numbers);
  EXPECT_EQ(square.refusal({.shape = {5, 1}, .values = numbers, .text = {}}, "a.npy"),
            "a.npy must hold a number for each of 5 vertices, not an array of the shape (5, 1)");
  EXPECT_EQ(square.refusal({.shape = {4}, .values = {1, 2, 3, 4}, .text = {}}, "a.npy"),
            "a.npy must hold a number for each of 5 vertices, not an array of the shape (4,)");
  EXPECT_EQ(square.refusal({.shape = {}, .values = {}, .text = "five", .is_text = true}, "a.npy"),
            "a.npy must hold a number for each of 5 vertices, not a text");
}

TEST(VertexFactors, that_are_none_are_refused_by_rule_and_value) {
  const Square square;
  for (const auto& [value, told] : {std::pair{0.0, "0"}, {-0.5, "-0.5"}, {kNaN, "nan"}, {1 / 0.0, "inf"}}) {
    const std::string expected =
        message("wavelengths must be finite and above 0, but a.npy has ", told, " at vertex 3");
    EXPECT_EQ(square.refusal({.shape = {5}, .values = {1, 1, 1, value, 1}, .text = {}}, "a.npy"), expected);
  }
  EXPECT_EQ(square.refusal(picture(1, 1, {0})), "wavelengths must be finite and above 0, but a.png has 0 at vertex 0");
  EXPECT_EQ(square.refusal(picture(0, 3, {})), "a.png must be a picture with pixels, not one of the shape (0, 3)");
}

TEST(VertexFactors, need_texture_coordinates_that_fit_the_mesh) {
  const NamedArray white = picture(1, 1, {1});
  const auto told = [&](const std::function<void(TextureCoordinates&)>& change) {
    Square square;
    change(square.texture);
    return square.refusal(white);
  };
  EXPECT_EQ(told([](auto& texture) { texture.uv.resize(0, 2); }),
            "there are no texture coordinates, where a.png is to be read");
  EXPECT_EQ(told([](auto& texture) { texture.faces.conservativeResize(1, 3); }),
            "texture coordinates must be those of 2 triangles, not 1");
  EXPECT_EQ(told([](auto& texture) { texture.faces(1, 2) = 4; }),
            "texture coordinates are of 4 stored vertices, but a corner has number 4");
  EXPECT_EQ(told([](auto& texture) { texture.uv(2, 0) = kNaN; }),
            "texture coordinates must be finite, but those of stored vertex 2 are (nan, 1)");
}

}  // namespace
}  // namespace pucker
