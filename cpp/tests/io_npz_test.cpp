#include "pucker/io/npz.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "io_temporary_folder.h"
#include "pucker/errors.h"

namespace pucker::io {
namespace {

constexpr std::array<std::string_view, 4> kAll{"empty", "number", "text", "whole"};

NamedArrays samples() {
  return {{"empty", {.shape = {0, 3}, .values = {}, .text = {}}},
          {"number", {.shape = {}, .values = {0.1}, .text = {}}},
          {"text", {.shape = {}, .values = {}, .text = "pleat – Ω 𝄞", .is_text = true}},
          {"whole", {.shape = {2, 2}, .values = {1, -2, 3, 2147483647}, .text = {}, .is_whole = true}}};
}

TEST(Npz, is_read_as_it_was_packed) {
  const TemporaryFolder folder;
  const NamedArrays packed = samples();
  const std::string bytes = pack_npz(packed);
  EXPECT_EQ(bytes, pack_npz(packed));
  const NamedArrays found = read_npz(folder.write("a.npz", bytes), kAll);
  ASSERT_EQ(found.size(), packed.size());
  for (const auto& [name, array] : packed) {
    EXPECT_EQ(found.at(name).shape, array.shape) << name;
    EXPECT_EQ(found.at(name).values, array.values) << name;
    EXPECT_EQ(found.at(name).text, array.text) << name;
    EXPECT_EQ(found.at(name).is_text, array.is_text) << name;
  }
}

TEST(Npz, an_array_alone_is_read_and_what_is_none_is_refused) {
  const TemporaryFolder folder;
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  std::string bytes = "\x93NUMPY\x01";
  bytes += {char(0), char(header.size()), char(0)};
  bytes += header;
  bytes.append(2, '\0').append("\xc0\x3f", 2).append(2, '\0').append("\x40\xc0", 2);
  const NamedArray found = read_npy(folder.write("a.npy", bytes));
  EXPECT_EQ(found.shape, std::vector<std::int64_t>{2});
  EXPECT_EQ(found.values, (std::vector<double>{1.5, -3}));
  const auto told = [&](const std::string& name) {
    return message_of<Error>([&] { (void)read_npy(folder.path() / name); });
  };
  folder.write("short.npy", bytes.substr(0, bytes.size() - 1));
  EXPECT_TRUE(contains(told("short.npy"), "short.npy: is truncated or damaged, or no .npy: it claims the shape (2)"));
  folder.write("none.npy", "no array");
  EXPECT_TRUE(contains(told("none.npy"), "none.npy: is truncated or damaged, or no .npy: it is no .npy"));
  EXPECT_TRUE(contains(told("missing.npy"), "missing.npy: cannot be opened"));
}

TEST(Npz, packs_nothing_that_does_not_fit) {
  const auto told = [](const NamedArray& array) {
    return message_of<InvalidArgument>([&] { (void)pack_npz({{"a", array}}); });
  };
  EXPECT_EQ(told({.shape = {2, 3}, .values = {1}, .text = {}}),
            "an array of the shape (2, 3) must have 6 values, not 1");
  for (const double value : {0.5, 3e9, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_EQ(told({.shape = {1}, .values = {value}, .text = {}, .is_whole = true}),
              message("whole numbers of 32 bits must be such, got ", value));
  EXPECT_EQ(told({.shape = {}, .values = {}, .text = "a\xff", .is_text = true}),
            "a text must be UTF-8, but has the byte 255");
  EXPECT_EQ(told({.shape = {}, .values = {}, .text = "a\xce", .is_text = true}),
            "a text must be UTF-8, but ends within a character");
}

}  // namespace
}  // namespace pucker::io
