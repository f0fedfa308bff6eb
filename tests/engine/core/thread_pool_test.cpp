// SPDX-License-Identifier: Apache-2.0
#include "engine/core/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <thread>
#include <vector>

#include "engine/core/error.h"

namespace denoir {
namespace {

TEST(ThreadPool, runs_each_piece_once) {
    for (const int threads : {1, 2, 5}) {
        ThreadPool pool(threads);
        EXPECT_EQ(pool.threads(), threads);
        for (const std::int64_t count : {0, 1, 2, 3, 100, 10'000}) {
            std::vector<int> hits(static_cast<std::size_t>(count), 0);
            pool.run(count, [&](std::int64_t i, int) { ++hits[static_cast<std::size_t>(i)]; });
            for (const int hit : hits) ASSERT_EQ(hit, 1);
        }
    }
    EXPECT_GE(ThreadPool().threads(), 1);
}

TEST(ThreadPool, a_worker_number_belongs_to_one_thread_at_a_time) {
    ThreadPool pool(4);
    std::vector<std::int64_t> sums(4, 0); // no atomics needed: each worker adds to its own sum
    for (int round = 0; round < 50; ++round)
        pool.run(200, [&](std::int64_t i, int worker) { sums[static_cast<std::size_t>(worker)] += i; });
    EXPECT_EQ(sums[0] + sums[1] + sums[2] + sums[3], 50 * 199 * 100);
}

TEST(ThreadPool, all_threads_take_part) {
    ThreadPool pool(3);
    std::atomic<int> inside{0};
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    pool.run(3, [&](std::int64_t, int) { // each piece waits until all three have begun
        ++inside;
        while (inside < 3 && std::chrono::steady_clock::now() < give_up) std::this_thread::yield();
    });
    EXPECT_EQ(inside, 3);
}

TEST(ThreadPool, results_do_not_depend_on_the_number_of_threads) {
    const auto sums = [](int threads) {
        ThreadPool pool(threads);
        std::vector<float> out(257);
        pool.run(257, [&](std::int64_t i, int) {
            float sum = 0;
            for (int k = 1; k < 500; ++k) sum += std::sin(static_cast<float>(i * k));
            out[static_cast<std::size_t>(i)] = sum;
        });
        return out;
    };
    const auto one = sums(1);
    EXPECT_EQ(sums(2), one);
    EXPECT_EQ(sums(7), one);
}

TEST(ThreadPool, the_exception_of_a_piece_arrives) {
    for (const int threads : {1, 3}) {
        ThreadPool pool(threads);
        std::atomic<int> ran{0};
        try {
            pool.run(100'000, [&](std::int64_t i, int) {
                ++ran;
                if (i == 10) throw Error("f", "", "broken");
            });
            FAIL();
        } catch (const Error& e) {
            EXPECT_STREQ(e.what(), "f: broken");
        }
        EXPECT_LT(ran, 100'000); // the remaining pieces are dropped
        ran = 0;
        pool.run(10, [&](std::int64_t, int) { ++ran; }); // the pool still works
        EXPECT_EQ(ran, 10);
    }
}

TEST(ThreadPool, many_exceptions_are_one) {
    ThreadPool pool(4);
    for (int round = 0; round < 100; ++round)
        EXPECT_THROW(pool.run(8, [](std::int64_t, int) { throw std::runtime_error("x"); }), std::runtime_error);
}

TEST(ThreadPool, stops_between_pieces) {
    for (const int threads : {1, 3}) {
        ThreadPool pool(threads);
        std::stop_source source;
        pool.set_stop(source.get_token());
        std::atomic<int> ran{0};
        EXPECT_THROW(pool.run(100'000,
                              [&](std::int64_t, int) {
                                  if (++ran == 5) source.request_stop();
                              }),
                     Cancelled);
        EXPECT_LT(ran, 100);
        EXPECT_THROW(pool.run(1, [](std::int64_t, int) { FAIL(); }), Cancelled);
        EXPECT_THROW(pool.throw_if_stopped(), Cancelled);
        pool.set_stop({});
        pool.run(1, [&](std::int64_t, int) { ran = 0; });
        EXPECT_EQ(ran, 0);
    }
}

TEST(ThreadPool, stops_from_another_thread) {
    ThreadPool pool(2);
    std::stop_source source;
    pool.set_stop(source.get_token());
    std::jthread other([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        source.request_stop();
    });
    EXPECT_THROW(
        pool.run(1'000'000, [](std::int64_t, int) { std::this_thread::sleep_for(std::chrono::microseconds(200)); }),
        Cancelled);
}

TEST(ThreadPool, many_short_jobs) {
    ThreadPool pool(4);
    std::atomic<std::int64_t> sum{0};
    for (int round = 0; round < 5000; ++round) pool.run(round % 7, [&](std::int64_t i, int) { sum += i; });
    std::int64_t expected = 0;
    for (int round = 0; round < 5000; ++round) expected += (round % 7) * (round % 7 - 1) / 2;
    EXPECT_EQ(sum, expected);
}

} // namespace
} // namespace denoir
