// SPDX-License-Identifier: Apache-2.0
#include "engine/core/named.h"

#include <gtest/gtest.h>

using namespace denoir;

TEST(Named, BothWays) {
    enum class Size { small, large };
    static constexpr std::array<Named<Size>, 2> sizes{{{"small", Size::small}, {"large", Size::large}}};
    for (const auto& [name, size] : sizes) {
        EXPECT_EQ(value_named(sizes, name), size);
        EXPECT_EQ(name_of(sizes, size), name);
    }
    for (const char* other : {"", "Small", "larger"}) EXPECT_FALSE(value_named(sizes, other)) << other;
    EXPECT_EQ(name_of(sizes, std::optional(Size::large)), "large");
    EXPECT_EQ(name_of(sizes, std::optional<Size>()), "");
    EXPECT_EQ(name_of(sizes, Size(7)), "");
}
