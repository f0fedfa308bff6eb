// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cards.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "engine/backend/backend.h"
#include "engine/core/error.h"
#include "engine/core/log.h"

// The driver is the one in fake_driver.cpp. A process asks it only once, so each case runs in a process of its own.
namespace denoir {
namespace {

void set(const char* variable, const char* value) {
    if (value)
        setenv(variable, value, 1);
    else
        unsetenv(variable);
}

[[noreturn]] void list(const char* count) {
    set("FAKE_CARDS", count);
    for (const Card& card : cards())
        std::fprintf(stderr, "%s %s %zu/%zu;", card.device.name().c_str(), card.short_name().c_str(),
                     card.used().value_or(0) >> 30, card.memory >> 30);
    std::fprintf(stderr, "end");
    std::_Exit(0);
}

[[noreturn]] void choose(const char* count, const char* module, const char* named = nullptr) {
    set("FAKE_CARDS", count);
    set("DENOIR_CUDA_MODULE", module);
    set("DENOIR_DEVICE", named);
    try {
        std::fprintf(stderr, "[%s]", default_device().name().c_str());
    } catch (const Error& e) {
        std::fprintf(stderr, "%s", e.what());
    }
    std::_Exit(0);
}

/// Prints how many cards have been opened so far, by the lines that each one logs about its libraries.
[[noreturn]] void open_in_turn() {
    static int opened = 0;
    log::set_sink([](log::Level, std::string_view line) { opened += line.starts_with("fake device;") ? 1 : 0; });
    set("FAKE_CARDS", "1");
    set("DENOIR_CUDA_MODULE", DENOIR_CUDA_EMULATED_FILE);
    set("DENOIR_DEVICE", nullptr);
    const auto tell = [](const char* what) { std::fprintf(stderr, "%s %d;", what, opened); };

    const Device card = default_device();
    tell("chosen");
    auto first = open_backend(card);
    tell("used");
    const auto second = open_backend(card);
    tell("beside it");
    require_device(card);
    require_device(card);
    tell("required");
    const auto third = open_backend(card, 7);
    tell("seven threads");
    keep_open(std::move(first));
    const auto again = open_backend(card);
    tell("again");
    std::fprintf(stderr, "%d %d", third->threads(), again->device() == card);
    std::_Exit(0);
}

TEST(Cards, AreListedAsTheDriverTellsOfThem) {
    EXPECT_EXIT(list("2"), testing::ExitedWithCode(0), "^cuda:0 Fake 0 3/80;cuda:1 Fake 1 4/80;end$");
    EXPECT_EXIT(list("0"), testing::ExitedWithCode(0), "^end$");
    EXPECT_EXIT(list("-1"), testing::ExitedWithCode(0), "^end$"); // a driver that does not start
    // For a part of a card (MIG) the management library would give the memory of the whole card.
    EXPECT_EXIT(list("3"), testing::ExitedWithCode(0), "cuda:2 Fake 2 0/10;end$");
}

TEST(Cards, TheFirstThatCanBeUsedIsTheDefault) {
    EXPECT_EXIT(choose("2", DENOIR_CUDA_EMULATED_FILE), testing::ExitedWithCode(0), "\\[cuda:0\\]$");
    EXPECT_EXIT(choose("0", DENOIR_CUDA_EMULATED_FILE), testing::ExitedWithCode(0), "^\\[cpu\\]$");
    EXPECT_EXIT(choose("2", "/dev/null"), testing::ExitedWithCode(0),
                "^warning: .*cuda:0 cannot be used.*the processor computes\n\\[cpu\\]$");
    EXPECT_EXIT(choose("2", "/dev/null", "cpu"), testing::ExitedWithCode(0), "^\\[cpu\\]$"); // no card is tried
    EXPECT_EXIT(choose("2", DENOIR_CUDA_EMULATED_FILE, "cuda:1"), testing::ExitedWithCode(0), "^\\[cuda:1\\]$");
    EXPECT_EXIT(choose("2", DENOIR_CUDA_EMULATED_FILE, "gpu"), testing::ExitedWithCode(0), "use cpu, cuda or cuda:N");
}

TEST(Cards, OneThatWasOpenedToBeChosenIsNotOpenedAgain) {
    EXPECT_EXIT(open_in_turn(), testing::ExitedWithCode(0),
                "^chosen 1;used 1;beside it 2;required 3;seven threads 4;again 4;7 1$");
}

} // namespace
} // namespace denoir
