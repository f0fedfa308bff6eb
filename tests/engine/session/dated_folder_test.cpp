// SPDX-License-Identifier: Apache-2.0
#include "engine/session/dated_folder.h"

#include <gtest/gtest.h>

#include "engine/core/file.h"
#include "engine/core/text.h"
#include "tests/engine/temp_folder.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

/// Qt opens no name that is not UTF-8, so the studio could not show a run whose link ends in half a letter.
TEST(DatedFolder, ALongNameIsCutBetweenLetters) {
    const test::TempFolder folder;
    std::string name;
    for (int i = 0; i < 40; ++i) name += "猫"; // a letter of three bytes
    const fs::path target = folder / name, links = folder / "links";
    fs::create_directory(target);
    fs::create_directory(links);
    // The second link finds its name taken, unless a second has passed.
    for (int i = 0; i < 2; ++i) link_dated(target, links);

    std::error_code code;
    const auto entries = entries_of(links, code);
    ASSERT_EQ(entries.size(), 2);
    for (const auto& entry : entries) {
        EXPECT_FALSE(find_invalid_utf8(entry.path().native())) << entry.path();
        EXPECT_NE(entry.path().native().find(name.substr(0, 99)), std::string::npos) << entry.path();
        EXPECT_EQ(fs::read_symlink(entry), target);
    }
}

} // namespace
} // namespace denoir
