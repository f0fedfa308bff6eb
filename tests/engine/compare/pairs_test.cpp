// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/pairs.h"

#include <gtest/gtest.h>

#include "engine/core/error.h"

namespace denoir {
namespace {

/// Frames in which every sample is the frame's number.
class Numbers : public FrameSource {
public:
    Numbers(int count, double fps, bool says_length, int width = 4) : count_(count) {
        info_.path = "numbers";
        info_.width = width;
        info_.height = 3;
        info_.fps = fps;
        if (says_length) info_.frames = count;
    }
    bool read(SourceFrame& frame) override {
        if (next_ == fails_at) throw Error("numbers", "", "is damaged");
        if (next_ == count_) return false;
        frame.image = Image(info_.width, info_.height);
        for (auto& v : frame.image.rgb) v = std::uint8_t(next_);
        ++next_;
        return true;
    }
    void rewind() override { next_ = 0; }
    void claim(std::int64_t frames) { info_.frames = frames; }
    void come_at(std::vector<double> times) { times_ = std::move(times); }
    const std::vector<double>& times() override { return times_; }
    int fails_at = -1;

private:
    int count_, next_ = 0;
    std::vector<double> times_;
};

using Seen = std::vector<std::pair<int, int>>;

/// Which frames were paired. Checks that the pictures are those of their numbers.
Seen seen(FramePairs& pairs) {
    Seen all;
    while (const auto pair = pairs.next()) {
        EXPECT_EQ(pair->a->image.rgb[5], pair->index.a);
        EXPECT_EQ(pair->b->image.rgb[5], pair->index.b);
        all.emplace_back(int(pair->index.a), int(pair->index.b));
    }
    return all;
}

class Pairs : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Ahead, Pairs, ::testing::Bool());

TEST_P(Pairs, ByNumberAndOffset) {
    for (const bool says : {false, true}) {
        Numbers a(5, 24, says), b(7, 24, says);
        FramePairs plain(a, b, {}, GetParam());
        EXPECT_EQ(seen(plain), (Seen{{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}}));
        EXPECT_EQ(plain.length_a(), 5);
        EXPECT_EQ(plain.length_b(), 7);
        EXPECT_EQ(plain.expected(), says ? std::optional<std::int64_t>(5) : std::nullopt);
        FramePairs later(a, b, {.offset = 4}, GetParam());
        EXPECT_EQ(seen(later), (Seen{{0, 4}, {1, 5}, {2, 6}}));
        EXPECT_EQ(later.length_a(), 5);
        FramePairs earlier(a, b, {.offset = -3}, GetParam());
        EXPECT_EQ(seen(earlier), (Seen{{3, 0}, {4, 1}}));
        EXPECT_EQ(earlier.length_b(), 7);
        FramePairs none(a, b, {.offset = -9}, GetParam());
        EXPECT_TRUE(seen(none).empty());
        EXPECT_EQ(none.length_a(), 5);
        EXPECT_EQ(none.length_b(), 7);
    }
}

TEST_P(Pairs, ByTime) {
    Numbers slow(4, 10, true), fast(8, 20, true);
    const PairOptions by_time{.match = FrameMatch::time};
    {
        FramePairs down(slow, fast, by_time, GetParam());
        EXPECT_EQ(seen(down), (Seen{{0, 0}, {1, 2}, {2, 4}, {3, 6}}));
        EXPECT_EQ(down.expected(), 4);
    }
    {
        FramePairs up(fast, slow, by_time, GetParam());
        EXPECT_EQ(seen(up), (Seen{{0, 0}, {1, 1}, {2, 1}, {3, 2}, {4, 2}, {5, 3}, {6, 3}}));
    }
    {
        FramePairs by_number(slow, fast, {}, GetParam());
        EXPECT_EQ(seen(by_number), (Seen{{0, 0}, {1, 1}, {2, 2}, {3, 3}}));
    }
    Numbers unknown(4, 0, true);
    {
        FramePairs as_they_come(slow, unknown, {}, GetParam());
        EXPECT_EQ(seen(as_they_come), (Seen{{0, 0}, {1, 1}, {2, 2}, {3, 3}}));
    }
    EXPECT_FALSE(rates_differ(24, 24000. / 1001)); // NTSC's rate counts as the same
    EXPECT_FALSE(rates_differ(24, 0));
    EXPECT_TRUE(rates_differ(24, 25));
    EXPECT_THROW(FramePairs(slow, unknown, by_time, GetParam()), Error);
}

TEST_P(Pairs, ByTheirOwnTimes) {
    Numbers uneven(5, 10, true), even(9, 10, true);
    uneven.come_at({0, 0.1, 0.2, 0.5, 0.8});
    const PairOptions by_time{.match = FrameMatch::time};
    {
        FramePairs pairs(uneven, even, by_time, GetParam());
        EXPECT_EQ(pairs.expected(), 5);
        EXPECT_EQ(seen(pairs), (Seen{{0, 0}, {1, 1}, {2, 2}, {3, 5}, {4, 8}}));
        EXPECT_EQ(pairs.length_a(), 5);
        EXPECT_EQ(pairs.length_b(), 9);
    }
    FramePairs by_number(uneven, even, {}, GetParam());
    EXPECT_EQ(seen(by_number), (Seen{{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}}));
}

TEST(Pairing, OwnTimesWhereFramesDoNotComeEvenly) {
    const std::vector<double> uneven{0, 0.1, 0.2, 0.5, 0.8}, even = even_times(9, 10); // from 0 to 0.8 s
    const Pairing there(uneven, even, 0), back(even, uneven, 0), later(uneven, even, 2);
    std::vector<std::int64_t> to, from, shifted;
    for (int i = 0; i < 5; ++i) to.push_back(there.partner(i)), shifted.push_back(later.partner(i));
    for (int i = 0; i < 9; ++i) from.push_back(back.partner(i));
    EXPECT_EQ(to, (std::vector<std::int64_t>{0, 1, 2, 5, 8}));
    EXPECT_EQ(shifted, (std::vector<std::int64_t>{2, 3, 4, 7, 10}));
    EXPECT_EQ(from, (std::vector<std::int64_t>{0, 1, 2, 2, 3, 3, 3, 4, 4}));
    EXPECT_TRUE(there.by_time());
    // Frames after the end of B have no partner.
    const Pairing longer(even_times(9, 10), even_times(3, 10), 0);
    EXPECT_EQ(longer.partner(2), 2);
    EXPECT_EQ(longer.partner(3), 3);
    EXPECT_EQ(longer.first_to_meet(3, 0, 9), 3);
    EXPECT_EQ(longer.first_to_meet(1000, 0, 9), 9);
    EXPECT_GT(longer.partner(Pairing::most_frames), longer.partner(9));

    // These times are whole milliseconds, as Matroska writes them.
    EXPECT_TRUE(come_evenly(std::vector{0.0, 0.042, 0.083, 0.125}, 24));
    EXPECT_FALSE(come_evenly(uneven, 10));
    EXPECT_FALSE(come_evenly(even, 20));
}

// A file can claim any length, so the partner of a frame is found by halving and not by counting.
TEST_P(Pairs, RatesAndLengthsFromAnywhere) {
    for (const double fps : {1e-300, 1e-6, 1e6, 1e300})
        for (const int offset : {0, -1000000, 1000000})
            for (const bool turned : {false, true}) {
                Numbers a(3, turned ? fps : 1 / fps, false), b(2, turned ? 1 / fps : fps, false);
                FramePairs pairs(a, b, {.offset = offset, .match = FrameMatch::time}, GetParam());
                EXPECT_LE(seen(pairs).size(), 3u);
                EXPECT_EQ(pairs.length_a(), 3);
                EXPECT_EQ(pairs.length_b(), 2);
            }
    Numbers a(3, 24, false), b(2, 24, false);
    for (const auto match : {FrameMatch::index, FrameMatch::time}) {
        a.claim(INT64_MAX), b.claim(INT64_MAX);
        EXPECT_GT(FramePairs(a, b, {.offset = -1000000, .match = match}, GetParam()).expected(), 1000000000);
        b.claim(2);
        EXPECT_EQ(FramePairs(a, b, {.offset = -1000000, .match = match}, GetParam()).expected(), 2);
        a.claim(INT64_MIN);
        EXPECT_EQ(FramePairs(a, b, {.match = match}, GetParam()).expected(), 0);
        b.claim(INT64_MIN);
        EXPECT_EQ(FramePairs(a, b, {.match = match}, GetParam()).expected(), 0);
    }
}

TEST_P(Pairs, SizesAreEqualOrScaledWhenAsked) {
    Numbers a(2, 24, true), wide(2, 24, true, 9);
    EXPECT_THROW(FramePairs(a, wide, {}, GetParam()), Error);
    { // a source belongs to one pairing at a time, and this one is still reading ahead
        FramePairs to_b(a, wide, {.resize = PairOptions::Resize::to_b}, GetParam());
        EXPECT_EQ(to_b.next()->a->image.width, 9);
    }
    FramePairs to_a(a, wide, {.resize = PairOptions::Resize::to_a}, GetParam());
    EXPECT_EQ(to_a.next()->b->image.width, 4);
}

TEST_P(Pairs, DamageIsToldWhenItsFrameIsAskedFor) {
    Numbers a(6, 24, true), b(6, 24, true);
    b.fails_at = 3;
    FramePairs pairs(a, b, {}, GetParam());
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(pairs.next());
    EXPECT_THROW(pairs.next(), Error);
}

} // namespace
} // namespace denoir
