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
    /// One of the algorithms that the library suggests, in this order.
    struct Algorithm {
        float cost = 1;               ///< in the card's milliseconds
        std::size_t workspace = 0;    ///< how many bytes it overwrites
        std::uint32_t alignment = 16; ///< addresses and rows of all matrices must be multiples of that many bytes
        /// Sums are cut into parts. Like cuBLAS 12.8 and 13.1 it then leaves out the last values of a K that is no
        /// multiple of 128.
        bool splits_k = false;
        cublasStatus_t suggested = CUBLAS_STATUS_SUCCESS, checked = suggested, starts = suggested;
    };
    std::vector<Algorithm> algorithms{1};
    std::size_t version = CUBLAS_VERSION;
    cublasStatus_t creates = CUBLAS_STATUS_SUCCESS;
    std::vector<cublasLtMatmulPreferenceAttributes_t> unknown{}; ///< preferences that it refuses
    /// Puts work into the queue of the card. A handle keeps the one that was set when it was made.
    std::function<void(std::function<void()>)> submit;

    float spent = 0;                    ///< the milliseconds of all products that have run
    std::vector<std::size_t> started{}; ///< the numbers of the algorithms
    int questions = 0;                  ///< how often suggestions were asked for
    int alive = 0;                      ///< handles, descriptions, layouts and preferences that are not destroyed yet
    std::vector<std::string> misuse{};  ///< calls that the manual forbids, which the program must never make
};

} // namespace denoir::test

/// The stand-in's own state.
extern "C" denoir::test::FakeBlas* denoir_fake_blas();
