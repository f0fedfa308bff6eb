// SPDX-License-Identifier: Apache-2.0
// What the operations of cuDNN's graphs mean, as its documentation says, in plain loops.
#include "tests/engine/backend/cuda/libraries/fake/dnn_operations.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "engine/core/dtype.h"
#include "tests/engine/backend/cuda/tf32.h"

namespace denoir::test {
namespace {

using Sizes = std::vector<std::int64_t>;
constexpr auto q_of = CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC, k_of = CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC,
               v_of = CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC, o_of = CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC,
               stats_of = CUDNN_ATTR_OPERATION_SDPA_FWD_STATSDESC, scale_of = CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC;

struct TensorInfo {
    std::int64_t uid, alignment;
    cudnnDataType_t type;
    Sizes size, stride;
    bool is_virtual, by_value;
    explicit TensorInfo(const Descriptor& d)
        : uid(d.one<std::int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID)),
          alignment(d.one<std::int64_t>(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT)),
          type(d.one<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE)),
          size(d.all<std::int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS)),
          stride(d.all<std::int64_t>(CUDNN_ATTR_TENSOR_STRIDES)),
          is_virtual(d.one<bool>(CUDNN_ATTR_TENSOR_IS_VIRTUAL)),
          by_value(d.one<bool>(CUDNN_ATTR_TENSOR_IS_BY_VALUE)) {}
};

std::int64_t elements(const Sizes& size) {
    return std::accumulate(size.begin(), size.end(), std::int64_t{1}, std::multiplies<>());
}

/// Calls `visit` with each index of a tensor of that size; the last axis runs fastest.
template <class Visit> void for_each(const Sizes& size, Visit visit) {
    Sizes at(size.size());
    for (std::int64_t i = elements(size); i > 0; --i) {
        visit(std::as_const(at));
        for (std::size_t axis = size.size(); axis-- > 0;) {
            if (++at[axis] < size[axis]) break;
            at[axis] = 0;
        }
    }
}

float rounded(float value, cudnnDataType_t type) { return type == CUDNN_DATA_FLOAT ? value : round_to_bf16(value); }
/// A factor of a convolution: TF32 cuts floats.
float factor(float value, cudnnDataType_t type) { return type == CUDNN_DATA_FLOAT ? cut_to_tf32(value) : value; }

/// A tensor's values without gaps.
struct Values {
    Sizes size;
    std::vector<float> data;
    explicit Values(Sizes of) : size(std::move(of)), data(static_cast<std::size_t>(elements(size))) {}
    /// An axis of size 1 is repeated.
    float& at(const Sizes& index) {
        std::int64_t place = 0;
        for (std::size_t axis = 0; axis < size.size(); ++axis)
            place = place * size[axis] + (size[axis] == 1 ? 0 : index[axis]);
        return data[static_cast<std::size_t>(place)];
    }
};

class Memory {
public:
    std::map<std::int64_t, void*> addresses;
    std::map<std::int64_t, Values> kept; ///< the values of virtual tensors, and those that the host passed

    Values read(const Descriptor& d) const {
        const TensorInfo t(d);
        if (t.is_virtual || t.by_value) return kept.at(t.uid);
        const void* from = addresses.at(t.uid);
        Values out(t.size);
        auto to = out.data.begin();
        for_each(t.size, [&](const Sizes& at) {
            const std::int64_t place = std::inner_product(at.begin(), at.end(), t.stride.begin(), std::int64_t{0});
            *to++ = t.type == CUDNN_DATA_FLOAT
                        ? static_cast<const float*>(from)[place]
                        : std::bit_cast<float>(std::uint32_t{static_cast<const std::uint16_t*>(from)[place]} << 16);
        });
        return out;
    }
    void write(const Descriptor& d, Values values) {
        const TensorInfo t(d);
        for (float& value : values.data) value = rounded(value, t.type);
        if (t.is_virtual) {
            kept.insert_or_assign(t.uid, std::move(values));
            return;
        }
        void* to = addresses.at(t.uid);
        auto from = values.data.begin();
        for_each(t.size, [&](const Sizes& at) {
            const std::int64_t place = std::inner_product(at.begin(), at.end(), t.stride.begin(), std::int64_t{0});
            if (t.type == CUDNN_DATA_FLOAT)
                static_cast<float*>(to)[place] = *from++;
            else
                static_cast<std::uint16_t*>(to)[place] =
                    static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(*from++) >> 16);
        });
    }
};

/// Turns the sizes of a two-dimensional convolution into three axes by adding one of size 1 behind the first `fixed`.
Sizes with_time(Sizes size, std::size_t fixed, std::int64_t neutral) {
    if (size.size() == fixed + 2) size.insert(size.begin() + static_cast<std::ptrdiff_t>(fixed), neutral);
    return size;
}

void convolve(const Descriptor& op, Memory& memory) {
    const Descriptor &xd = op.part(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X),
                     &wd = op.part(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W),
                     &yd = op.part(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y),
                     &how = op.part(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC);
    const auto along = [&](cudnnBackendAttributeName_t name, std::int64_t neutral) {
        return with_time(how.all<std::int64_t>(name), 0, neutral);
    };
    const Sizes pad = along(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, 0),
                step = along(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, 1),
                dilation = along(CUDNN_ATTR_CONVOLUTION_DILATIONS, 1);
    Values x = memory.read(xd), w = memory.read(wd), y(TensorInfo(yd).size);
    for (Values* v : {&x, &w})
        for (float& value : v->data) value = factor(value, TensorInfo(xd).type);
    const Sizes xs = with_time(x.size, 2, 1), ws = with_time(w.size, 2, 1), ys = with_time(y.size, 2, 1);
    const std::int64_t plane = xs[2] * xs[3] * xs[4], taps = ws[2] * ws[3] * ws[4];
    auto to = y.data.begin();
    for_each(ys, [&](const Sizes& at) { // batch, output channel, time, row and column
        double sum = 0;
        for_each({ws[2], ws[3], ws[4]}, [&](const Sizes& tap) {
            std::int64_t place = 0, tap_place = 0;
            for (std::size_t a = 0; a < 3; ++a) {
                const std::int64_t from = at[a + 2] * step[a] - pad[a] + tap[a] * dilation[a];
                if (from < 0 || from >= xs[a + 2]) return;
                place = place * xs[a + 2] + from;
                tap_place = tap_place * ws[a + 2] + tap[a];
            }
            for (std::int64_t c = 0; c < xs[1]; ++c)
                sum += static_cast<double>(x.data[static_cast<std::size_t>((at[0] * xs[1] + c) * plane + place)]) *
                       static_cast<double>(w.data[static_cast<std::size_t>((at[1] * ws[1] + c) * taps + tap_place)]);
        });
        *to++ = static_cast<float>(sum);
    });
    memory.write(yd, std::move(y));
}

bool takes_two(cudnnPointwiseMode_t mode) { return mode < CUDNN_POINTWISE_ABS && mode != CUDNN_POINTWISE_SQRT; }

float applied(cudnnPointwiseMode_t mode, float x, float b) {
    switch (mode) {
    case CUDNN_POINTWISE_ADD:
        return x + b;
    case CUDNN_POINTWISE_SUB:
        return x - b;
    case CUDNN_POINTWISE_MUL:
        return x * b;
    case CUDNN_POINTWISE_DIV:
        return x / b;
    case CUDNN_POINTWISE_EXP:
        return std::exp(x);
    case CUDNN_POINTWISE_LOG:
        return std::log(x);
    default:
        throw Refused{CUDNN_STATUS_NOT_SUPPORTED, "a pointwise operation that nobody has asked for so far"};
    }
}

void apply(const Descriptor& op, Memory& memory) {
    const auto mode =
        op.part(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR).one<cudnnPointwiseMode_t>(CUDNN_ATTR_POINTWISE_MODE);
    const auto x_times = op.one<float>(CUDNN_ATTR_OPERATION_POINTWISE_ALPHA1, 1),
               b_times = op.one<float>(CUDNN_ATTR_OPERATION_POINTWISE_ALPHA2, 1);
    Values x = memory.read(op.part(CUDNN_ATTR_OPERATION_POINTWISE_XDESC)), b(Sizes(x.size.size(), 1));
    if (takes_two(mode)) b = memory.read(op.part(CUDNN_ATTR_OPERATION_POINTWISE_BDESC));
    Values y(TensorInfo(op.part(CUDNN_ATTR_OPERATION_POINTWISE_YDESC)).size);
    auto to = y.data.begin();
    for_each(y.size, [&](const Sizes& at) { *to++ = applied(mode, x_times * x.at(at), b_times * b.at(at)); });
    memory.write(op.part(CUDNN_ATTR_OPERATION_POINTWISE_YDESC), std::move(y));
}

void multiply(const Descriptor& op, Memory& memory) {
    Values a = memory.read(op.part(CUDNN_ATTR_OPERATION_MATMUL_ADESC)),
           b = memory.read(op.part(CUDNN_ATTR_OPERATION_MATMUL_BDESC)),
           c(TensorInfo(op.part(CUDNN_ATTR_OPERATION_MATMUL_CDESC)).size);
    auto to = c.data.begin();
    for_each(c.size, [&](const Sizes& at) {
        Sizes left = at, right = at; // [..., M, K] times [..., K, N]
        double sum = 0;
        for (std::int64_t k = 0; k < a.size.back(); ++k) {
            left.back() = right[right.size() - 2] = k;
            sum += static_cast<double>(a.at(left)) * static_cast<double>(b.at(right));
        }
        *to++ = static_cast<float>(sum);
    });
    memory.write(op.part(CUDNN_ATTR_OPERATION_MATMUL_CDESC), std::move(c));
}

void reduce(const Descriptor& op, Memory& memory) {
    const bool adds =
        op.part(CUDNN_ATTR_OPERATION_REDUCTION_DESC).one<cudnnReduceTensorOp_t>(CUDNN_ATTR_REDUCTION_OPERATOR) ==
        CUDNN_REDUCE_TENSOR_ADD;
    Values x = memory.read(op.part(CUDNN_ATTR_OPERATION_REDUCTION_XDESC)),
           y(TensorInfo(op.part(CUDNN_ATTR_OPERATION_REDUCTION_YDESC)).size);
    std::fill(y.data.begin(), y.data.end(), adds ? 0.0f : -std::numeric_limits<float>::infinity());
    for_each(x.size, [&](const Sizes& at) {
        float& to = y.at(at);
        to = adds ? to + x.at(at) : std::max(to, x.at(at));
    });
    memory.write(op.part(CUDNN_ATTR_OPERATION_REDUCTION_YDESC), std::move(y));
}

/// o = softmax(scale · q·kᵀ)·v; the statistics are the natural logarithms of the sums of exponentials.
void attend(const Descriptor& op, Memory& memory) {
    Values q = memory.read(op.part(q_of)), k = memory.read(op.part(k_of)), v = memory.read(op.part(v_of)),
           o(TensorInfo(op.part(o_of)).size), sums({o.size[0], o.size[1], o.size[2], 1});
    const float scale = op.has(scale_of) ? memory.read(op.part(scale_of)).data[0] : 1;
    const std::int64_t keys = k.size[2], shared = q.size[1] / k.size[1]; // several heads may share their keys
    const auto row = [](Values& x, std::int64_t batch, std::int64_t head, std::int64_t token) {
        return x.data.data() + ((batch * x.size[1] + head) * x.size[2] + token) * x.size[3];
    };
    std::vector<float> p(static_cast<std::size_t>(keys));
    for_each(sums.size, [&](const Sizes& at) {
        const float* const query = row(q, at[0], at[1], at[2]);
        float most = -std::numeric_limits<float>::infinity();
        for (std::int64_t j = 0; j < keys; ++j) {
            const float* const key = row(k, at[0], at[1] / shared, j);
            float score = 0;
            for (std::int64_t d = 0; d < q.size[3]; ++d) score += query[d] * key[d];
            p[static_cast<std::size_t>(j)] = score * scale;
            most = std::max(most, score * scale);
        }
        float total = 0;
        for (float& value : p) total += value = std::exp(value - most);
        sums.at(at) = most + std::log(total);
        float* const out = row(o, at[0], at[1], at[2]);
        for (std::int64_t j = 0; j < keys; ++j)
            for (std::int64_t d = 0; d < o.size[3]; ++d)
                out[d] += p[static_cast<std::size_t>(j)] / total * row(v, at[0], at[1] / shared, j)[d];
    });
    memory.write(op.part(o_of), std::move(o));
    if (op.has(stats_of)) memory.write(op.part(stats_of), std::move(sums));
}

struct Kind {
    void (*compute)(const Descriptor&, Memory&);
    std::vector<cudnnBackendAttributeName_t> reads, writes;
};

const Kind& kind_of(const Descriptor& op) {
    static const auto& all = *new std::map<cudnnBackendDescriptorType_t, Kind>{
        {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
         {convolve,
          {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W},
          {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y}}},
        {CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR,
         {apply,
          {CUDNN_ATTR_OPERATION_POINTWISE_XDESC, CUDNN_ATTR_OPERATION_POINTWISE_BDESC},
          {CUDNN_ATTR_OPERATION_POINTWISE_YDESC}}},
        {CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR,
         {multiply,
          {CUDNN_ATTR_OPERATION_MATMUL_ADESC, CUDNN_ATTR_OPERATION_MATMUL_BDESC},
          {CUDNN_ATTR_OPERATION_MATMUL_CDESC}}},
        {CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR,
         {reduce, {CUDNN_ATTR_OPERATION_REDUCTION_XDESC}, {CUDNN_ATTR_OPERATION_REDUCTION_YDESC}}},
        {CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR, {attend, {q_of, k_of, v_of, scale_of}, {o_of, stats_of}}}};
    const auto found = all.find(op.type);
    require(found != all.end(), "not an operation that it has", CUDNN_STATUS_NOT_SUPPORTED);
    return found->second;
}

/// Calls visit(descriptor, written) for each tensor of an operation.
template <class Visit> void for_each_tensor(const Descriptor& op, Visit visit) {
    const Kind& kind = kind_of(op);
    for (const bool written : {false, true})
        for (const auto name : written ? kind.writes : kind.reads)
            if (op.has(name)) visit(op.part(name), written);
}

void check_shapes(bool hold) { require(hold, "sizes do not match", CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH); }

Sizes size_of(const Descriptor& op, cudnnBackendAttributeName_t name) { return TensorInfo(op.part(name)).size; }

void check_convolution_operation(const Descriptor& op) {
    const Descriptor& how = op.part(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC);
    const Sizes x = size_of(op, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X),
                w = size_of(op, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W),
                y = size_of(op, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y);
    const auto axes = static_cast<std::size_t>(how.one<std::int64_t>(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS));
    check_shapes(x.size() == axes + 2 && w.size() == axes + 2 && y.size() == axes + 2);
    check_shapes(y[0] == x[0] && x[1] == w[1] && y[1] == w[0]);
    const auto along = [&](cudnnBackendAttributeName_t name) { return how.all<std::int64_t>(name); };
    const Sizes before = along(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS),
                after = along(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS),
                step = along(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES), dilation = along(CUDNN_ATTR_CONVOLUTION_DILATIONS);
    for (std::size_t a = 0; a < axes; ++a)
        check_shapes(y[a + 2] == (x[a + 2] + before[a] + after[a] - ((w[a + 2] - 1) * dilation[a] + 1)) / step[a] + 1);
    require(op.one<float>(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, 1) == 1 &&
                op.one<float>(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, 0) == 0,
            "the result must be the convolution itself", CUDNN_STATUS_NOT_SUPPORTED);
}

void check_pointwise_operation(const Descriptor& op) {
    const auto mode =
        op.part(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR).one<cudnnPointwiseMode_t>(CUDNN_ATTR_POINTWISE_MODE);
    applied(mode, 1, 1);
    require(takes_two(mode) == op.has(CUDNN_ATTR_OPERATION_POINTWISE_BDESC), "as many operands as the mode takes");
    const Sizes x = size_of(op, CUDNN_ATTR_OPERATION_POINTWISE_XDESC),
                b = takes_two(mode) ? size_of(op, CUDNN_ATTR_OPERATION_POINTWISE_BDESC) : x,
                y = size_of(op, CUDNN_ATTR_OPERATION_POINTWISE_YDESC);
    check_shapes(x.size() == y.size() && b.size() == y.size());
    for (std::size_t a = 0; a < y.size(); ++a)
        check_shapes((x[a] == y[a] || x[a] == 1) && (b[a] == y[a] || b[a] == 1) && y[a] == std::max(x[a], b[a]));
}

void check_matmul_operation(const Descriptor& op) {
    const Sizes a = size_of(op, CUDNN_ATTR_OPERATION_MATMUL_ADESC), b = size_of(op, CUDNN_ATTR_OPERATION_MATMUL_BDESC),
                c = size_of(op, CUDNN_ATTR_OPERATION_MATMUL_CDESC);
    const std::size_t rank = c.size();
    check_shapes(rank >= 3 && a.size() == rank && b.size() == rank);
    check_shapes(a[rank - 1] == b[rank - 2] && a[rank - 2] == c[rank - 2] && b[rank - 1] == c[rank - 1]);
    for (std::size_t axis = 0; axis + 2 < rank; ++axis)
        check_shapes((a[axis] == c[axis] || a[axis] == 1) && (b[axis] == c[axis] || b[axis] == 1));
}

void check_reduction_operation(const Descriptor& op) {
    const auto how =
        op.part(CUDNN_ATTR_OPERATION_REDUCTION_DESC).one<cudnnReduceTensorOp_t>(CUDNN_ATTR_REDUCTION_OPERATOR);
    require(how == CUDNN_REDUCE_TENSOR_ADD || how == CUDNN_REDUCE_TENSOR_MAX,
            "a reduction that nobody has asked for so far", CUDNN_STATUS_NOT_SUPPORTED);
    const Sizes x = size_of(op, CUDNN_ATTR_OPERATION_REDUCTION_XDESC),
                y = size_of(op, CUDNN_ATTR_OPERATION_REDUCTION_YDESC);
    check_shapes(x.size() == y.size());
    for (std::size_t a = 0; a < y.size(); ++a) check_shapes(y[a] == x[a] || y[a] == 1);
}

void check_attention_operation(const Descriptor& op) {
    const Sizes q = size_of(op, q_of), k = size_of(op, k_of), v = size_of(op, v_of), o = size_of(op, o_of);
    check_shapes(q.size() == 4 && k.size() == 4 && v.size() == 4 && o.size() == 4); // batch, heads, tokens and channels
    check_shapes(q[0] == k[0] && q[0] == v[0] && q[0] == o[0] && q[1] % k[1] == 0 && k[1] == v[1] && q[1] == o[1]);
    check_shapes(q[2] == o[2] && k[2] == v[2] && q[3] == k[3] && v[3] == o[3]);
    if (op.has(stats_of)) {
        check_shapes(size_of(op, stats_of) == Sizes{q[0], q[1], q[2], 1});
        require(TensorInfo(op.part(stats_of)).type == CUDNN_DATA_FLOAT, "statistics are f32",
                CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE);
    }
    if (op.has(scale_of)) check_shapes(elements(size_of(op, scale_of)) == 1);
}

} // namespace

void check_tensor(const Descriptor& d) {
    const TensorInfo t(d);
    require(t.type == CUDNN_DATA_FLOAT || t.type == CUDNN_DATA_BFLOAT16, "f32 and bf16 are all it knows",
            CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE);
    require(t.size.size() == t.stride.size() && t.size.size() <= CUDNN_DIM_MAX, "a stride for each axis");
    require(std::all_of(t.size.begin(), t.size.end(), [](auto n) { return n > 0; }), "sizes are positive");
    require(std::all_of(t.stride.begin(), t.stride.end(), [](auto n) { return n > 0; }), "strides are positive");
    const std::int64_t bytes = t.type == CUDNN_DATA_FLOAT ? 4 : 2;
    require(t.alignment > 0 && t.alignment % bytes == 0 && std::has_single_bit(static_cast<std::uint64_t>(t.alignment)),
            "the alignment is a power of two, and one of the element's");
    require(!t.by_value || elements(t.size) == 1, "one element is given by value");
    require(!t.by_value || !t.is_virtual, "what is given by value is not virtual");
}

void check_convolution(const Descriptor& d) {
    const auto axes = static_cast<std::size_t>(d.one<std::int64_t>(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS));
    require(axes == 2 || axes == 3, "two axes or three", CUDNN_STATUS_NOT_SUPPORTED);
    for (const auto name : {CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS,
                            CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_ATTR_CONVOLUTION_DILATIONS}) {
        const Sizes each = d.all<std::int64_t>(name);
        const bool pads = name == CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS || name == CUDNN_ATTR_CONVOLUTION_POST_PADDINGS;
        require(each.size() == axes, "a number for each axis");
        require(std::all_of(each.begin(), each.end(), [&](auto n) { return n >= (pads ? 0 : 1); }), "out of range");
    }
    require(d.one<cudnnConvolutionMode_t>(CUDNN_ATTR_CONVOLUTION_CONV_MODE) == CUDNN_CROSS_CORRELATION,
            "the taps are not turned around", CUDNN_STATUS_NOT_SUPPORTED);
}

void check_operation(const Descriptor& op) {
    switch (op.type) {
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
        return check_convolution_operation(op);
    case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR:
        return check_pointwise_operation(op);
    case CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR:
        return check_matmul_operation(op);
    case CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR:
        return check_reduction_operation(op);
    case CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR:
        return check_attention_operation(op);
    default:
        throw Refused{CUDNN_STATUS_NOT_SUPPORTED, "not an operation that it has"};
    }
}

void check_graph(const Descriptor& graph) {
    std::map<std::int64_t, TensorInfo> known;
    std::set<std::int64_t> written;
    for (const auto& op : graph.parts(CUDNN_ATTR_OPERATIONGRAPH_OPS))
        for_each_tensor(*op, [&](const Descriptor& d, bool writes) {
            const TensorInfo t(d);
            const auto [same, is_new] = known.emplace(t.uid, t);
            require(is_new || (same->second.size == t.size && same->second.stride == t.stride &&
                               same->second.type == t.type && same->second.is_virtual == t.is_virtual),
                    "two tensors of one unique id", CUDNN_STATUS_BAD_PARAM_DUPLICATED_ENTRIES);
            if (writes)
                require(written.insert(t.uid).second && !t.by_value, "a tensor is written once");
            else
                require(!t.is_virtual || written.contains(t.uid), "a virtual tensor is written before it is read",
                        CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN);
        });
}

FakeDnn::Pattern pattern_of(const Descriptor& graph) {
    const auto& ops = graph.parts(CUDNN_ATTR_OPERATIONGRAPH_OPS);
    const auto any = [&](cudnnBackendDescriptorType_t type) {
        return std::any_of(ops.begin(), ops.end(), [&](const auto& op) { return op->type == type; });
    };
    if (any(CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR)) return FakeDnn::unified_attention;
    if (any(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR)) return FakeDnn::composite_attention;
    require(any(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR), "neither attention nor a convolution",
            CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN);
    return FakeDnn::convolution;
}

std::function<void()> computation(const std::shared_ptr<const Descriptor>& graph,
                                  const std::map<std::int64_t, void*>& addresses) {
    Memory memory;
    for (const auto& op : graph->parts(CUDNN_ATTR_OPERATIONGRAPH_OPS))
        for_each_tensor(*op, [&](const Descriptor& d, bool) {
            const TensorInfo t(d);
            if (t.is_virtual) return;
            const auto found = addresses.find(t.uid);
            require(found != addresses.end(), "a tensor of the graph has no address");
            require(found->second, "a tensor's address is null", CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
            const auto at = reinterpret_cast<std::uintptr_t>(found->second);
            if (t.by_value) {
                Values given(t.size);
                given.data[0] = *static_cast<const float*>(found->second);
                memory.kept.insert_or_assign(t.uid, given);
            } else {
                require(at % static_cast<std::uintptr_t>(t.alignment) == 0, "a tensor is not aligned as it was said",
                        CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER);
                memory.addresses[t.uid] = found->second;
            }
        });
    return [graph, memory] {
        Memory now = memory;
        for (const auto& op : graph->parts(CUDNN_ATTR_OPERATIONGRAPH_OPS)) kind_of(*op).compute(*op, now);
    };
}

} // namespace denoir::test
