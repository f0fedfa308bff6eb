// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/log.h"
#include "tests/engine/backend/cuda/libraries/fake_dnn.h"
#include "tests/engine/temp_folder.h"
#include "tests/engine/text_search.h"

namespace denoir::test {

using cuda::FusedAttention;
using cuda::FusedConv;
using Plan = FakeDnn::Plan;
inline constexpr std::int64_t mebibyte = 1 << 20;

/// A card on which the stand-in's plans take as long as they claim.
class TimedRuntime final : public cuda::FakeRuntime {
public:
    std::size_t free = std::size_t{1} << 30;
    int timed = 0; ///< how often something was timed
    TimedRuntime() : FakeRuntime(1 << 20) {}
    std::size_t free_memory() override { return free; }
    float time(const std::function<void()>& work) override {
        ++timed;
        fake_dnn().spent = 0;
        FakeRuntime::time(work);
        return fake_dnn().spent;
    }
};

template <class T = void> T* address(std::uintptr_t at) { return reinterpret_cast<T*>(at); }

/// A convolution that is large enough for its plans to be timed.
inline FusedConv large_conv() {
    FusedConv c;
    c.x = address(0x1000), c.w = address(0x2000), c.bias = address(0x3000), c.out = address(0x4000);
    c.height = c.width = 128, c.in = c.out_channels = 256;
    c.taps_down = c.taps_across = 3, c.pad_down = c.pad_across = 1;
    return c;
}

inline FusedAttention attention_of(std::int64_t queries, std::int64_t keys, std::int64_t all_keys) {
    FusedAttention a;
    a.q = address(0x1000), a.k = address(0x2000), a.v = address(0x3000), a.out = address(0x4000);
    a.queries = queries, a.keys = keys, a.all_keys = all_keys, a.heads = 12, a.size = 128;
    a.q_token = a.k_token = a.v_token = a.out_token = 12 * 128;
    a.q_head = a.k_head = a.v_head = a.out_head = 128;
    return a;
}
inline FusedAttention large_attention() { return attention_of(8000, 8000, 8000); }

/// Uses the stand-in for cuDNN, whose plans take the time that a test says and compute nothing.
class DnnGraph : public testing::Test {
protected:
    FakeDnn& fake = fake_dnn();
    TempFolder home{"dnn-graph"};
    std::unique_ptr<TimedRuntime> runtime = std::make_unique<TimedRuntime>();
    std::unique_ptr<cuda::Dnn> dnn;
    std::vector<std::string> lines; ///< the lines of the log
    std::size_t workspace = 0;      ///< the largest workspace that was asked for
    std::size_t most_workspace = std::size_t{1} << 30;
    int plans_before_stop = -1;

    void SetUp() override {
        fake = {};
        fake.computes = false;
        setenv("DENOIR_HOME", home.path().c_str(), 1);
        log::set_sink([this](log::Level, std::string_view line) { lines.emplace_back(line); });
    }
    void TearDown() override {
        dnn = nullptr;
        log::set_sink(nullptr);
        EXPECT_EQ(fake.handles, 0);
        EXPECT_EQ(fake.descriptors, 0);
        for (const std::string& why : fake.refused) ADD_FAILURE() << why;
    }
    /// As after a new start of the program: earlier choices are only in the file, and nothing is counted yet.
    void start_anew() {
        dnn = nullptr;
        for (auto& plans : fake.plans)
            for (Plan& plan : plans) plan.built = plan.started = 0;
        runtime->timed = 0;
        dnn = open_fake_dnn(*runtime);
    }
    /// As on a machine on which nothing was chosen yet.
    void start_from_nothing() {
        dnn = nullptr; // writes what it has not written yet
        std::filesystem::remove_all(home / "cache");
        start_anew();
    }
    cuda::Dnn::Caller caller() {
        return {[this](std::size_t bytes) {
                    workspace = std::max(workspace, bytes);
                    if (bytes > most_workspace) throw Error("", "memory", "there is none left");
                    return address<std::byte>(0x10000);
                },
                [this] {
                    if (plans_before_stop-- == 0) throw Cancelled();
                }};
    }
    bool conv(const FusedConv& c = large_conv()) {
        if (!dnn) start_anew();
        return dnn->conv(c, caller());
    }
    bool attention(const FusedAttention& a = large_attention()) {
        if (!dnn) start_anew();
        return dnn->attention(a, caller());
    }
    std::vector<int> counts(FakeDnn::Pattern pattern, int Plan::*count) const {
        std::vector<int> all;
        for (const Plan& plan : fake.plans[pattern]) all.push_back(plan.*count);
        return all;
    }
    std::vector<int> built(FakeDnn::Pattern pattern = FakeDnn::convolution) const {
        return counts(pattern, &Plan::built);
    }
    std::vector<int> started(FakeDnn::Pattern pattern = FakeDnn::convolution) const {
        return counts(pattern, &Plan::started);
    }
    /// The plans that run in one more call.
    template <class Call> std::vector<int> taken(Call call, FakeDnn::Pattern pattern = FakeDnn::convolution) {
        const std::vector<int> before = started(pattern);
        EXPECT_TRUE(call());
        std::vector<int> which, after = started(pattern);
        for (std::size_t i = 0; i < after.size(); ++i)
            for (int n = before[i]; n < after[i]; ++n) which.push_back(static_cast<int>(i));
        return which;
    }
    std::vector<int> taken_by_conv() {
        return taken([this] { return conv(); });
    }
    /// The lines of the log.
    std::string logged() const {
        std::string all;
        for (const std::string& line : lines) all += line + '\n';
        return all;
    }
    std::string file(std::string_view name) const {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(home.path()))
            if (entry.path().filename().string().starts_with(name)) return read_text(entry.path(), mebibyte);
        return {};
    }
};

using Taken = std::vector<int>;

} // namespace denoir::test
