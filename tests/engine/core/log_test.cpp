// SPDX-License-Identifier: Apache-2.0
#include "engine/core/log.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace denoir {
namespace {

TEST(Log, default_writes_warnings_alone) {
    log::set_sink({});
    testing::internal::CaptureStderr();
    log::info("medium");
    log::warning("bad\nthing");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "warning: bad?thing\n");
}

TEST(Log, sink_is_called_by_one_thread_at_a_time) {
    std::vector<std::string> lines;
    log::set_sink([&](log::Level level, std::string_view text) {
        if (level == log::Level::info) lines.emplace_back(text);
    });
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([] {
                for (int k = 0; k < 100; ++k) log::info("line");
            });
    }
    log::set_sink({});
    EXPECT_EQ(lines.size(), 400u);
}

} // namespace
} // namespace denoir
