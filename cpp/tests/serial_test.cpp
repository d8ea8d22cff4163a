#include "pucker/serial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "motion.h"
#include "pucker/dynamic/wrinkler.h"

namespace pucker {
namespace {

using ::testing::HasSubstr;
using testing::irregular_sheet;
using testing::params_for;
using testing::RestShape;
using testing::ridges_for;

struct Record {
  std::vector<double> numbers{1.5, -0.0, 1e300};
  std::vector<std::int32_t> whole{3, -1};
  Array3 matrix = Array3::Random(4, 3);
  Params params = params_for(0.03);
  double last = 0.1;
};

std::string write(const Record& record) {
  ByteWriter out;
  out.text("record\n");
  out.list(record.numbers);
  out.list(record.whole);
  out.matrix(record.matrix);
  visit_params(record.params, out);
  out.value(record.last);
  return out.take();
}

Record read(std::string_view bytes) {
  ByteReader in(bytes, "a record");
  in.expect("record\n");
  Record out;
  in.list(out.numbers);
  in.list(out.whole);
  in.matrix(out.matrix);
  visit_params(out.params, in);
  out.last = in.value<double>();
  in.finish();
  return out;
}

TEST(Serial, what_was_written_is_read_back_to_the_bit) {
  Record given;
  given.params.seed = 77;
  given.params.shape.profile = Profile::arcs;
  given.params.tracing.max_points = 9;
  const Record back = read(write(given));
  EXPECT_EQ(back.numbers, given.numbers);
  EXPECT_TRUE(std::signbit(back.numbers[1]));
  EXPECT_EQ(back.whole, given.whole);
  EXPECT_EQ(back.matrix, given.matrix);
  EXPECT_EQ(back.params.seed, 77u);
  EXPECT_EQ(back.params.shape.profile, Profile::arcs);
  EXPECT_EQ(back.params.tracing.max_points, 9);
  EXPECT_EQ(write(back), write(given));
}

TEST(Serial, a_number_that_is_not_given_is_read_back_as_such) {
  Record given;
  given.params.min_width.reset();
  EXPECT_FALSE(read(write(given)).params.min_width.has_value());
  EXPECT_EQ(write(read(write(given))), write(given));
}

TEST(Serial, another_layout_is_refused_with_its_number) {
  ByteReader in("saved thing 12\n and more", "a saved thing");
  try {
    in.expect("saved thing 7\n");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "these bytes are a saved thing of another version of pucker: they begin with 'saved thing 12', not with "
        "'saved thing 7'");
  }
  EXPECT_THROW(ByteReader("other", "a saved thing").expect("saved thing 7\n"), Error);
}

TEST(Serial, empty_lists_and_matrices_are_read_back) {
  Record given;
  given.numbers.clear();
  given.matrix.resize(0, 3);
  const Record back = read(write(given));
  EXPECT_TRUE(back.numbers.empty());
  EXPECT_EQ(back.matrix.rows(), 0);
}

TEST(Serial, bytes_cut_short_anywhere_are_refused) {
  const std::string bytes = write(Record());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(read(std::string_view(bytes).substr(0, size)), Error) << size << " bytes";
}

TEST(Serial, bytes_that_go_on_are_refused) { EXPECT_THROW(read(write(Record()) + '\0'), Error); }

TEST(Serial, a_count_larger_than_the_bytes_is_refused_before_memory_is_taken) {
  ByteWriter out;
  out.value(std::size_t(-1) / 8);
  const std::string bytes = out.take();
  std::vector<double> list;
  Array3 matrix;
  EXPECT_THROW(ByteReader(bytes, "a record").list(list), Error);
  EXPECT_THROW(ByteReader(bytes, "a record").matrix(matrix), Error);
}

TEST(Serial, names_what_the_bytes_should_have_been) {
  try {
    read("something else");
    FAIL() << "bytes of something else were read";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), "these bytes are not a record: they do not begin with 'record'");
  }
}

/// A run with living and dying wrinkles.
std::string saved_run() {
  const RestShape sheet = irregular_sheet(3, 0.2, 1);
  Wrinkler run(sheet.mesh, ridges_for(0.02));  // few bytes
  for (int frame = 0; frame < 12; ++frame) {
    Array3 positions = sheet.positions;
    positions.col(0) *= frame < 8 ? 1 - 0.05 * frame : 1.0;
    run.advance(positions, frame / 30.0);
  }
  EXPECT_FALSE(run.state().wrinkles.empty());
  return run.save();
}

TEST(Serial, a_saved_run_cut_short_anywhere_is_refused) {
  const std::string bytes = saved_run();
  ASSERT_EQ(Wrinkler::restore(bytes).save(), bytes);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(Wrinkler::restore(std::string_view(bytes).substr(0, size)), Error) << size << " bytes";
}

TEST(Serial, equal_runs_are_saved_as_equal_bytes) {
  const std::string bytes = saved_run();
  // Memory that is handed out again must not shine through where a value has unused bytes.
  std::vector<std::string> litter(1000, std::string(64, '\x7f'));
  litter.clear();
  EXPECT_EQ(saved_run(), bytes);
}

TEST(Serial, a_saved_run_with_a_byte_changed_is_refused) {
  const std::string bytes = saved_run();
  std::mt19937_64 random(9);
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const int flip : {0x01, 0x80, 0xff, 1 + int(random() % 255)}) {
      std::string changed = bytes;
      changed[at] = char(changed[at] ^ flip);
      EXPECT_THROW(Wrinkler::restore(changed), Error) << "byte " << at;
    }
}

/// The bytes with one changed and the checksum made to fit again.
std::string forged(std::string bytes, std::size_t at, int flip) {
  bytes.resize(bytes.size() - sizeof(std::uint64_t));
  bytes[at] = char(bytes[at] ^ flip);
  ByteWriter out;
  out.text(bytes);
  return out.take_sealed();
}

TEST(Serial, a_forged_run_is_refused_or_can_go_on) {
  const std::string bytes = saved_run();
  const RestShape sheet = irregular_sheet(3, 0.2, 1);
  std::mt19937_64 random(11);
  std::size_t refused = 0;
  std::size_t accepted = 0;
  for (std::size_t at = 13; at + sizeof(std::uint64_t) < bytes.size(); ++at)
    for (const int flip : {0x01, 0x80, 0xff, 1 + int(random() % 255)}) {
      try {
        Wrinkler run = Wrinkler::restore(forged(bytes, at, flip));
        ++accepted;
        const double time = run.state().time;
        for (int frame = 1; frame <= 3; ++frame) {
          Array3 positions = sheet.positions;
          positions.col(0) *= 1 - 0.1 * frame;
          if (run.mesh()->vertex_count() != positions.rows() || !(time + frame > time)) break;
          run.advance(positions, time + frame);
          for (const Wrinkle& wrinkle : run.state().wrinkles) require_path(*run.mesh(), wrinkle);
        }
        const std::string again = run.save();
        EXPECT_EQ(Wrinkler::restore(again).save(), again);
      } catch (const Error&) {
        ++refused;
      }
    }
  EXPECT_GT(refused, accepted / 2);
  EXPECT_GT(accepted, 1000u);  // most of the bytes are fractions of positions and times
}

TEST(Serial, what_no_run_can_hold_is_refused_by_its_name) {
  const RestShape sheet = irregular_sheet(3, 0.2, 1);
  const std::string bytes = Wrinkler(sheet.mesh, params_for(0.02)).save();
  const std::size_t count_at = 13 + 8 + std::size_t(sheet.mesh->triangle_count()) * 12;
  const auto message_of = [](const std::string& changed) -> std::string {
    try {
      Wrinkler::restore(changed);
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_EQ(message_of(forged(bytes, 0, 0)), "");
  // Memory for the vertices is not taken before it is clear that the bytes could tell of them.
  EXPECT_THAT(message_of(forged(bytes, count_at + 3, 0x7f)), HasSubstr("do not hold a mesh of 2130706"));
  EXPECT_THAT(message_of(forged(bytes, count_at + 2, 0x10)), HasSubstr("do not hold a mesh of 1048592"));
  EXPECT_THAT(message_of(forged(bytes, count_at + 15, 0x80)), HasSubstr("params.threshold"));
  // The last byte before the checksum: whether the run has begun.
  EXPECT_THAT(message_of(forged(bytes, bytes.size() - 9, 0x02)), HasSubstr("truth value of 2"));
}

TEST(Serial, members_that_an_enumeration_lacks_are_refused) {
  Record given;
  const std::string good = write(given);
  given.params.shape.profile = Profile(int(Profile::crease) + 1);
  EXPECT_NO_THROW(read(good));
  EXPECT_THROW(read(write(given)), Error);
  given.params.shape.profile = Profile(-1);
  EXPECT_THROW(read(write(given)), Error);
}

TEST(Serial, garbage_is_refused) {
  std::mt19937_64 random(10);
  for (int trial = 0; trial < 2000; ++trial) {
    std::string bytes = trial % 2 == 0 ? "pucker run 1\n" : "";
    const std::size_t size = random() % 400;
    for (std::size_t i = 0; i < size; ++i) bytes += char(random());
    EXPECT_THROW(Wrinkler::restore(bytes), Error);
  }
}

}  // namespace
}  // namespace pucker
