// SPDX-License-Identifier: Apache-2.0
// What cuDNN is asked to compute, as graphs of its header-only frontend: for dnn_graph.cpp, and for the test that asks
// cuDNN without a card. Each file that includes this takes a minute to compile.
#pragma once
#define NV_CUDNN_FRONTEND_USE_DYNAMIC_LOADING
#define CUDNN_FRONTEND_SKIP_JSON_LIB
#include <cudnn_frontend.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

#include "engine/backend/cuda/dnn.h"

namespace denoir::cuda::dnn {

namespace fe = cudnn_frontend;
using fe::graph::Tensor_attributes;
using Sizes = std::vector<std::int64_t>;

/// The largest workspaces, in bytes, that a convolution and attention may have. Attention gets more: without a plan it
/// would be many times slower and take more than this for its scores.
inline constexpr std::int64_t largest_workspace = std::int64_t{64} << 20,
                              largest_attention_workspace = std::int64_t{256} << 20;

enum Uid : std::int64_t { first_input = 1, second_input, third_input, fourth_input, result, second_result };

/// An empty graph. What it has to know of a card must be set before nodes are added.
inline std::shared_ptr<fe::graph::Graph> new_graph(Type type) {
    auto graph = std::make_shared<fe::graph::Graph>();
    graph->set_io_data_type(type == Type::f32 ? fe::DataType_t::FLOAT : fe::DataType_t::BFLOAT16)
        .set_intermediate_data_type(fe::DataType_t::FLOAT)
        .set_compute_data_type(fe::DataType_t::FLOAT);
    return graph;
}

inline Tensor_attributes tensor(Uid uid, const Sizes& size, const Sizes& stride) {
    return Tensor_attributes().set_uid(uid).set_dim(size).set_stride(stride);
}

inline std::shared_ptr<fe::graph::Graph> attention_graph(std::shared_ptr<fe::graph::Graph> graph,
                                                         const FusedAttention& a, fe::AttentionImplementation_t way) {
    // [batch, head, token, channel]
    const auto in = [&](Uid uid, std::int64_t tokens, std::int64_t head, std::int64_t token) {
        return graph->tensor(tensor(uid, {1, a.heads, tokens, a.size}, {tokens * token, head, token, 1}));
    };
    const auto q = in(first_input, a.queries, a.q_head, a.q_token), k = in(second_input, a.keys, a.k_head, a.k_token),
               v = in(third_input, a.keys, a.v_head, a.v_token);
    auto options = fe::graph::SDPA_attributes().set_name("attention").set_attn_scale(a.scale);
    options.set_generate_stats(a.log_sum != nullptr).set_implementation(way);
    const auto [out, stats] = graph->sdpa(q, k, v, options);
    out->set_output(true)
        .set_uid(result)
        .set_dim({1, a.heads, a.queries, a.size})
        .set_stride({a.queries * a.out_token, a.out_head, a.out_token, 1});
    if (a.log_sum)
        stats->set_output(true)
            .set_uid(second_result)
            .set_data_type(fe::DataType_t::FLOAT)
            .set_dim({1, a.heads, a.queries, 1})
            .set_stride({a.heads * a.queries, a.queries, 1, 1});
    return graph;
}

inline std::shared_ptr<fe::graph::Graph> conv_graph(std::shared_ptr<fe::graph::Graph> graph, const FusedConv& c) {
    const bool flat = c.time == 1;
    // Channels last: [batch, channel, (time,) row, column]
    const auto sizes = [&](std::int64_t n, std::int64_t channels, std::int64_t time, std::int64_t rows,
                           std::int64_t columns) {
        return flat ? Sizes{n, channels, rows, columns} : Sizes{n, channels, time, rows, columns};
    };
    const auto strides = [&](std::int64_t channels, std::int64_t time, std::int64_t rows, std::int64_t columns) {
        return flat ? Sizes{rows * columns * channels, 1, columns * channels, channels}
                    : Sizes{time * rows * columns * channels, 1, rows * columns * channels, columns * channels,
                            channels};
    };
    const auto along = [&](std::int64_t time, std::int64_t down, std::int64_t across) {
        return flat ? Sizes{down, across} : Sizes{time, down, across};
    };
    const auto x = graph->tensor(
        tensor(first_input, sizes(1, c.in, c.time, c.height, c.width), strides(c.in, c.time, c.height, c.width)));
    const auto w =
        graph->tensor(tensor(second_input, sizes(c.out_channels, c.in, c.taps_time, c.taps_down, c.taps_across),
                             strides(c.in, c.taps_time, c.taps_down, c.taps_across)));
    auto y = graph->conv_fprop(x, w,
                               fe::graph::Conv_fprop_attributes()
                                   .set_padding(along(0, c.pad_down, c.pad_across))
                                   .set_stride(along(c.time_stride, c.stride, c.stride))
                                   .set_dilation(along(1, 1, 1)));
    const Sizes out_size = sizes(1, c.out_channels, c.out_time(), c.out_height(), c.out_width()),
                out_stride = strides(c.out_channels, c.out_time(), c.out_height(), c.out_width());
    // The residual comes before the bias: a ready kernel of the library adds both in this order, but not in the other.
    if (c.residual) {
        y->set_dim(out_size).set_stride(out_stride);
        const auto residual = graph->tensor(tensor(fourth_input, out_size, out_stride));
        y = graph->pointwise(y, residual, fe::graph::Pointwise_attributes().set_mode(fe::PointwiseMode_t::ADD));
    }
    if (c.bias) {
        y->set_dim(out_size).set_stride(out_stride);
        const auto bias =
            graph->tensor(tensor(third_input, sizes(1, c.out_channels, 1, 1, 1), strides(c.out_channels, 1, 1, 1)));
        y = graph->pointwise(y, bias, fe::graph::Pointwise_attributes().set_mode(fe::PointwiseMode_t::ADD));
    }
    y->set_output(true).set_uid(result).set_dim(out_size).set_stride(out_stride);
    return graph;
}

/// Makes a graph ready to be asked for its plans. Plans whose workspace is larger than `most_workspace` bytes, or that
/// are not exact enough, will be refused without being built. `build` makes the library's own graph of it, for a card
/// or for the description of one.
template <class Build> fe::error_t find_plans(fe::graph::Graph& graph, std::int64_t most_workspace, Build build) {
    if (const fe::error_t outcome = graph.validate(); outcome.is_bad()) return outcome;
    if (const fe::error_t outcome = build(); outcome.is_bad()) return outcome;
    if (const fe::error_t outcome = graph.create_execution_plans({fe::HeurMode_t::A, fe::HeurMode_t::FALLBACK});
        outcome.is_bad())
        return outcome;
    // No plan whose sums depend on which thread comes first, since the same request must give the same bytes. And no
    // plan that adds in less than f32, or rounds f32 to less than TF32.
    graph.deselect_numeric_notes({fe::NumericalNote_t::NONDETERMINISTIC,
                                  fe::NumericalNote_t::REDUCED_PRECISION_REDUCTION,
                                  fe::NumericalNote_t::DOWN_CONVERT_INPUTS});
    graph.deselect_workspace_greater_than(most_workspace);
    return graph.check_support();
}

} // namespace denoir::cuda::dnn
