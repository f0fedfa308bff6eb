// SPDX-License-Identifier: Apache-2.0
// cuDNN is asked for plans without a card, by a description of one: that what it will be asked for there can be had at
// all. Nothing is compiled or run.
#include "engine/backend/cuda/dnn_graphs.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

namespace cudnn_frontend {
void* cudnn_dlhandle = nullptr;
}

namespace denoir::cuda {
namespace {

/// The description of a card, in the form in which cuDNN writes what it asks a card about itself.
constexpr std::string_view h100 =
    R"({"maxGridSize":[2147483647,65535,65535],"maxBlockSize":[1024,1024,64],"regsPerBlock":65536,)"
    R"("multiProcessorCount":132,"warpSize":32,"maxSharedMemoryPerBlock":49152,"maxSharedMemoryPerBlockOptin":232448,)"
    R"("reservedSharedMemoryPerBlock":1024,"maxSharedMemoryPerSM":233472,"maxRegistersPerSM":65536,"maxCtasPerSM":32,)"
    R"("maxThreadsPerBlock":1024,"maxThreadsPerSM":2048,"isTccDriver":0,"supportCoopLaunch":1,"smClockRateKHz":1980000,)"
    R"("memClockRateKHz":2619000,"l2CacheSize":52428800,"deviceVer":900,"driverVer":13000,"cudaDeviceId":0,)"
    R"("totalGlobalMem":85000000000,"pciDeviceId":0,"deviceName":"NVIDIA H100 80GB HBM3"})";

class DnnPlans : public testing::Test {
protected:
    void SetUp() override {
        // cuDNN looks for the driver by its plain name. The toolkit's stub for linking has that name, too.
        if (!::dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL) && !::dlopen(DENOIR_CUDA_STUB, RTLD_NOW | RTLD_GLOBAL))
            GTEST_SKIP() << ::dlerror();
        cudnn_frontend::cudnn_dlhandle = ::dlopen(DENOIR_CUDNN, RTLD_NOW | RTLD_GLOBAL);
        if (!cudnn_frontend::cudnn_dlhandle) GTEST_SKIP() << ::dlerror();
        card_ = std::make_shared<dnn::fe::DeviceProperties>();
        auto outcome = card_->deserialize(std::vector<std::uint8_t>(h100.begin(), h100.end()));
        if (outcome.is_bad()) GTEST_SKIP() << "this cuDNN describes cards otherwise: " << outcome.get_message();
    }

    std::shared_ptr<dnn::fe::graph::Graph> graph_for_card(Type type) const {
        auto graph = dnn::new_graph(type);
        graph->set_sm_version(90);
        graph->set_device_properties(card_);
        return graph;
    }

    /// How many plans there are. If there are none, `why` says the reason.
    static std::int64_t plans(const std::shared_ptr<dnn::fe::graph::Graph>& graph, std::int64_t most_workspace,
                              std::string& why) {
        auto outcome = dnn::find_plans(*graph, most_workspace, [&] { return graph->build_operation_graph(); });
        if (outcome.is_bad()) why = outcome.get_message();
        return outcome.is_bad() ? 0 : graph->get_execution_plan_count();
    }

    /// How many of a convolution's plans without compilation can be built. Those that ask for more memory than they may
    /// have are refused before that.
    static std::int64_t usable(const std::shared_ptr<dnn::fe::graph::Graph>& graph, std::string& why) {
        using dnn::fe::BehaviorNote_t;
        std::int64_t count = 0;
        for (std::int64_t i = plans(graph, dnn::largest_workspace, why) - 1; i >= 0; --i) {
            std::vector<BehaviorNote_t> notes;
            if (graph->get_behavior_notes_for_plan_at_index(i, notes).is_bad() ||
                std::find(notes.begin(), notes.end(), BehaviorNote_t::RUNTIME_COMPILATION) != notes.end())
                continue;
            std::int64_t workspace = 0;
            auto outcome = graph->build_plan_at_index(i);
            if (outcome.is_good()) outcome = graph->get_workspace_size_plan_at_index(i, workspace);
            if (outcome.is_bad()) {
                why = outcome.get_message();
                continue;
            }
            EXPECT_LE(workspace, dnn::largest_workspace) << i;
            ++count;
        }
        return count;
    }

    std::shared_ptr<dnn::fe::DeviceProperties> card_;
};

TEST_F(DnnPlans, AttentionHasPlans) {
    struct Case {
        std::int64_t queries, keys, heads, size;
        bool log_sum;
    };
    using Way = dnn::fe::AttentionImplementation_t;
    for (const Case& c : {Case{30600, 30600, 12, 128, false}, // 1.3B with 57 frames of 960x544
                          {51000, 51000, 12, 128, false},     // with 97 frames
                          {30600, 30600, 40, 128, false},     // 14B
                          {75600, 75600, 40, 128, false},     // with 81 frames of 1280x720
                          {30600, 64, 12, 128, true},         // a prompt whose padding counts as one more key
                          {30600, 512, 12, 128, false},       // a prompt that fills all its rows
                          {30600, 257, 12, 128, false},       // an image
                          {2040, 24480, 12, 128, false},      // a causal block
                          {257, 257, 16, 80, false},          // CLIP
                          {1296, 28, 3, 64, true},            // the bundled model
                          {1, 1, 2, 16, true}}) {
        FusedAttention a;
        a.queries = c.queries, a.keys = a.all_keys = c.keys, a.heads = c.heads, a.size = c.size;
        a.q_token = a.k_token = a.out_token = c.heads * c.size;
        a.v_token = 3 * c.heads * c.size; // q, k and v are columns of one product
        a.q_head = a.k_head = a.v_head = a.out_head = c.size;
        a.scale = 0.1f;
        float sums = 0;
        a.log_sum = c.log_sum ? &sums : nullptr;
        std::string why;
        const auto plans_of = [&](Way way) {
            return plans(dnn::attention_graph(graph_for_card(Type::bf16), a, way), dnn::largest_attention_workspace,
                         why);
        };
        const auto unified = plans_of(Way::UNIFIED), composite = plans_of(Way::COMPOSITE);
        EXPECT_GT(unified + composite, 0) << c.queries << " x " << c.keys << " x " << c.size << ": " << why;
    }
}

TEST_F(DnnPlans, ConvolutionsHavePlans) {
    struct Case {
        std::int64_t time, height, width, in, out, taps_time, taps, stride, pad;
        bool residual;
    };
    for (const Type type : {Type::bf16, Type::f32})
        for (const Case& c : {Case{3, 544, 960, 96, 96, 3, 3, 1, 1, true}, // the last level of the decoder
                              {3, 272, 480, 192, 192, 3, 3, 1, 1, true},   //
                              {3, 68, 120, 384, 384, 3, 3, 1, 1, true},    //
                              {3, 544, 960, 96, 8, 3, 3, 1, 1, false},     // its picture, padded to eight channels
                              {1, 68, 120, 384, 768, 1, 2, 1, 1, false},   // doubling the size, in phases
                              {1, 136, 240, 384, 768, 1, 2, 1, 1, false},  //
                              {1, 272, 480, 192, 384, 1, 2, 1, 1, false},  //
                              {1, 545, 961, 96, 96, 1, 3, 2, 0, false},    // halving the size
                              {3, 136, 240, 384, 768, 3, 1, 1, 0, false},  // a time_conv
                              {1, 544, 960, 288, 96, 1, 3, 1, 1, true},    // three frames as channels of one
                              {3, 12, 16, 8, 16, 3, 3, 1, 1, false}}) {    // a small one
            FusedConv f;
            float there = 0; // asked only whether it is there, not for its values
            f.type = type;
            f.time = c.time, f.height = c.height, f.width = c.width, f.in = c.in, f.out_channels = c.out;
            f.taps_time = c.taps_time, f.taps_down = f.taps_across = c.taps, f.stride = c.stride;
            f.pad_down = f.pad_across = c.pad;
            f.bias = &there;
            f.residual = c.residual ? &there : nullptr;
            std::string why;
            EXPECT_GT(usable(dnn::conv_graph(graph_for_card(type), f), why), 0)
                << (type == Type::f32 ? "f32 " : "bf16 ") << c.in << " to " << c.out << " at " << c.height << ": "
                << why;
        }
}

} // namespace
} // namespace denoir::cuda
