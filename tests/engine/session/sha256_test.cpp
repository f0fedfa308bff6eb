// SPDX-License-Identifier: Apache-2.0
#include "engine/session/sha256.h"

#include <gtest/gtest.h>

#include "engine/core/atomic_file.h"
#include "engine/core/error.h"
#include "tests/engine/temp_folder.h"

namespace denoir {
namespace {

TEST(Sha256, KnownSums) {
    EXPECT_EQ(sha256_hex("", 0), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256_hex("abc", 3), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    Sha256 sum;
    for (int i = 0; i < 1000; ++i) sum.update(std::string(1000, 'a').data(), 1000);
    EXPECT_EQ(sum.hex(), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, OfAFileIsThatOfItsBytes) {
    const test::TempFolder folder;
    write_file(folder.path() / "abc", "abc");
    EXPECT_EQ(file_sha256(folder.path() / "abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    write_file(folder.path() / "none", "");
    EXPECT_EQ(file_sha256(folder.path() / "none"), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW(file_sha256(folder.path() / "abc", stop.get_token()), Cancelled);
}

} // namespace
} // namespace denoir
