// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/product_cache.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "engine/core/file.h"

namespace denoir::cuda {
namespace {

class ProductCacheFile : public testing::Test {
protected:
    std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("denoir-products-" + std::to_string(getpid()) + ".txt");
    ~ProductCacheFile() override { std::filesystem::remove(file); }
};

TEST_F(ProductCacheFile, RemembersAcrossStarts) {
    const ProductCache::Words words = {1, 2, 0xFFFFFFFFFFFFFFFFull, 0, 5, 6, 7, 8};
    {
        ProductCache cache(file);
        EXPECT_FALSE(cache.find("a"));
        cache.keep("a", words);
        cache.keep("b", {});
        cache.forget("b");
    }
    const ProductCache again(file);
    EXPECT_EQ(again.find("a"), words);
    EXPECT_TRUE(again.find("b")); // forgetting lasts until the program ends
}

TEST_F(ProductCacheFile, ManyChoicesAreFewWrites) {
    ProductCache cache(file);
    cache.keep("first", {1}); // is written at once, so that a run that is killed leaves it
    EXPECT_EQ(read_text(file, 1000), "first 1 0 0 0 0 0 0 0\n");
    const auto inode = [&] {
        struct stat s {};
        return ::stat(file.c_str(), &s) == 0 ? s.st_ino : 0;
    };
    const auto before = inode();
    for (int i = 0; i < 50; ++i) cache.keep(fmt::format("k{}", i), {2});
    EXPECT_EQ(inode(), before);
    {
        ProductCache other(file); // knows what is in the file and what is not written yet
        EXPECT_TRUE(other.find("k49"));
    }
    EXPECT_NE(read_text(file, 10000).find("k49 2 "), std::string::npos);
}

TEST_F(ProductCacheFile, WhatAnotherProcessHasChosenStays) {
    ProductCache cache(file);
    cache.keep("ours", {1});
    std::ofstream(file) << "ours 7 0 0 0 0 0 0 0\ntheirs 2 0 0 0 0 0 0 0\n";
    {
        ProductCache same(file);
        same.keep("later", {3});
    }
    EXPECT_EQ(read_text(file, 1000), "later 3 0 0 0 0 0 0 0\nours 1 0 0 0 0 0 0 0\ntheirs 2 0 0 0 0 0 0 0\n");
    EXPECT_TRUE(cache.find("theirs")); // and need not be measured again
}

TEST_F(ProductCacheFile, BrokenLinesAreLeftOut) {
    std::ofstream(file) << "good 1 2 3 4 5 6 7 8\nshort 1 2 3\nlong 1 2 3 4 5 6 7 8 9\nnohex 1 2 3 4 5 6 7 g\n"
                        << "huge 1 2 3 4 5 6 7 11112222333344445\n"
                        << std::string(300, 'k') << " 1 2 3 4 5 6 7 8\n\n\x01\xff";
    EXPECT_EQ(ProductCache(file).size(), 1u);
    EXPECT_TRUE(ProductCache(file).find("good"));
}

TEST(ProductCache, WithoutAFile) {
    ProductCache cache({});
    cache.keep("a", {1});
    EXPECT_TRUE(cache.find("a"));
    ProductCache nowhere("/proc/denoir/none.txt");
    nowhere.keep("a", {1});
    EXPECT_TRUE(nowhere.find("a"));
}

} // namespace
} // namespace denoir::cuda
