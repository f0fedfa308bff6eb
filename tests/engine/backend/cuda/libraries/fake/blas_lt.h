// SPDX-License-Identifier: Apache-2.0
// What a test tells the stand-in for libcublasLt, and is told by it. It multiplies on the fake device, plainly, what
// NVIDIA's manual says that a call means, and writes down what the manual forbids. How fast the real library is, and
// what it suggests, this cannot show.
#pragma once
#include <cublasLt.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace denoir::test {

struct FakeBlas {
    /// One of the ways that the library suggests, in this order.
    struct Algorithm {
        float cost = 1;               ///< milliseconds of the card
        std::size_t workspace = 0;    ///< bytes that it overwrites
        std::uint32_t alignment = 16; ///< bytes that addresses and rows of all matrices are multiples of
        /// Sums are cut into parts; as those of cuBLAS 12.8 and 13.1 do, it leaves out the last values of a K that is
        /// no multiple of 128.
        bool splits_k = false;
        cublasStatus_t suggested = CUBLAS_STATUS_SUCCESS, checked = suggested, starts = suggested;
    };
    std::vector<Algorithm> algorithms{1};
    std::size_t version = CUBLAS_VERSION;
    cublasStatus_t creates = CUBLAS_STATUS_SUCCESS;
    std::vector<cublasLtMatmulPreferenceAttributes_t> unknown{}; ///< preferences that it does not take
    /// Puts work into the queue of the card; a handle keeps the one that was there when it was made.
    std::function<void(std::function<void()>)> submit;

    float spent = 0;                    ///< milliseconds of all products that have run
    std::vector<std::size_t> started{}; ///< algorithms by number
    int questions = 0;                  ///< for suggestions
    int alive = 0;                      ///< handles, descriptions, layouts and preferences that are not destroyed
    std::vector<std::string> misuse{};  ///< calls that the manual forbids: nothing of ours may be
};

} // namespace denoir::test

/// The library's own.
extern "C" denoir::test::FakeBlas* denoir_fake_blas();
