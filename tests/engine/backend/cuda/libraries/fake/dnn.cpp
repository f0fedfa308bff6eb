// SPDX-License-Identifier: Apache-2.0
// Stands for libcudnn.so.9: the functions of its documented interface that its frontend calls for our graphs.
// Descriptors keep their attributes and are checked as the documentation says; a plan computes what its graph means.
#include <algorithm>
#include <array>
#include <set>

#include "tests/engine/backend/cuda/libraries/fake/dnn_operations.h"

struct cudnnContext {
    std::function<void(std::function<void()>)> submit;
    bool has_stream = false;
};

namespace denoir::test {
namespace {

constexpr const char *cannot_be_built = "the plan cannot be built", *does_not_start = "the plan does not start";

// These are never destroyed, because a test's backends may outlive them.
FakeDnn& hook() {
    static FakeDnn& there = *new FakeDnn;
    return there;
}
std::string& last_error() {
    static std::string& text = *new std::string;
    return text;
}
// Everything that was handed out and not returned yet, with a marker that lives as long.
std::map<Descriptor*, std::shared_ptr<const char>>& handed_out() {
    static auto& all = *new std::map<Descriptor*, std::shared_ptr<const char>>;
    return all;
}

/// What an attribute may hold.
struct Rule {
    cudnnBackendAttributeName_t name;
    cudnnBackendAttributeType_t type;
    std::int64_t most = 1;
    bool needed = true;
};
using Rules = std::vector<Rule>;

/// The rules for what callers may make and set. Engines and their configurations come from the heuristics alone.
const std::map<cudnnBackendDescriptorType_t, Rules>& all_rules() {
    constexpr auto descriptor = CUDNN_TYPE_BACKEND_DESCRIPTOR;
    constexpr auto int64 = CUDNN_TYPE_INT64;
    constexpr auto data_type = CUDNN_TYPE_DATA_TYPE;
    constexpr std::int64_t many = 1000;
    static const auto& rules = *new std::map<cudnnBackendDescriptorType_t, Rules>{
        {CUDNN_BACKEND_TENSOR_DESCRIPTOR,
         {{CUDNN_ATTR_TENSOR_DATA_TYPE, data_type},
          {CUDNN_ATTR_TENSOR_DIMENSIONS, int64, CUDNN_DIM_MAX},
          {CUDNN_ATTR_TENSOR_STRIDES, int64, CUDNN_DIM_MAX},
          {CUDNN_ATTR_TENSOR_UNIQUE_ID, int64},
          {CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, int64},
          {CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, false},
          {CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, 1, false}}},
        {CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR,
         {{CUDNN_ATTR_CONVOLUTION_COMP_TYPE, data_type},
          {CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE},
          {CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, int64},
          {CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, int64, CUDNN_DIM_MAX},
          {CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, int64, CUDNN_DIM_MAX},
          {CUDNN_ATTR_CONVOLUTION_DILATIONS, int64, CUDNN_DIM_MAX},
          {CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, int64, CUDNN_DIM_MAX}}},
        {CUDNN_BACKEND_POINTWISE_DESCRIPTOR,
         {{CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE}, {CUDNN_ATTR_POINTWISE_MATH_PREC, data_type}}},
        {CUDNN_BACKEND_MATMUL_DESCRIPTOR, {{CUDNN_ATTR_MATMUL_COMP_TYPE, data_type}}},
        {CUDNN_BACKEND_REDUCTION_DESCRIPTOR,
         {{CUDNN_ATTR_REDUCTION_COMP_TYPE, data_type},
          {CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE},
          {CUDNN_ATTR_REDUCTION_IS_DETERMINISTIC, CUDNN_TYPE_BOOLEAN, 1, false}}},
        {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
         {{CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, descriptor},
          {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, descriptor},
          {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, descriptor},
          {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, descriptor},
          {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_TYPE_FLOAT, 1, false},
          {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, CUDNN_TYPE_FLOAT, 1, false}}},
        {CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR,
         {{CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, descriptor},
          {CUDNN_ATTR_OPERATION_POINTWISE_XDESC, descriptor},
          {CUDNN_ATTR_OPERATION_POINTWISE_BDESC, descriptor, 1, false},
          {CUDNN_ATTR_OPERATION_POINTWISE_YDESC, descriptor},
          {CUDNN_ATTR_OPERATION_POINTWISE_ALPHA1, CUDNN_TYPE_FLOAT, 1, false},
          {CUDNN_ATTR_OPERATION_POINTWISE_ALPHA2, CUDNN_TYPE_FLOAT, 1, false}}},
        {CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR,
         {{CUDNN_ATTR_OPERATION_MATMUL_ADESC, descriptor},
          {CUDNN_ATTR_OPERATION_MATMUL_BDESC, descriptor},
          {CUDNN_ATTR_OPERATION_MATMUL_CDESC, descriptor},
          {CUDNN_ATTR_OPERATION_MATMUL_DESC, descriptor}}},
        {CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR,
         {{CUDNN_ATTR_OPERATION_REDUCTION_XDESC, descriptor},
          {CUDNN_ATTR_OPERATION_REDUCTION_YDESC, descriptor},
          {CUDNN_ATTR_OPERATION_REDUCTION_DESC, descriptor}}},
        {CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR,
         {{CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC, descriptor},
          {CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC, descriptor},
          {CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC, descriptor},
          {CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC, descriptor},
          {CUDNN_ATTR_OPERATION_SDPA_FWD_STATSDESC, descriptor, 1, false},
          {CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC, descriptor, 1, false}}},
        {CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR,
         {{CUDNN_ATTR_OPERATIONGRAPH_OPS, descriptor, many},
          {CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, false}}},
        {CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR,
         {{CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, descriptor}, {CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE}}},
        {CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, {{CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, descriptor}}},
        {CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR,
         {{CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, int64, many},
          {CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, many},
          {CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR}}},
        {CUDNN_BACKEND_ENGINE_DESCRIPTOR, {}},
        {CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, {}},
        {CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR, {}}};
    return rules;
}

std::size_t bytes_of(cudnnBackendAttributeType_t type) {
    switch (type) {
    case CUDNN_TYPE_BOOLEAN:
    case CUDNN_TYPE_CHAR:
        return 1;
    case CUDNN_TYPE_INT64:
    case CUDNN_TYPE_DOUBLE:
    case CUDNN_TYPE_HANDLE:
    case CUDNN_TYPE_VOID_PTR:
        return 8;
    default:
        return 4; // the types of 32 bits: float, int32 and all enumerations
    }
}

Descriptor& known(cudnnBackendDescriptor_t handle) {
    auto* d = static_cast<Descriptor*>(handle);
    require(d, "a descriptor is null", CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
    require(handed_out().contains(d), "not a descriptor, or one that was destroyed");
    return *d;
}
Descriptor& known(cudnnBackendDescriptor_t handle, cudnnBackendDescriptorType_t type) {
    Descriptor& d = known(handle);
    require(d.type == type, "a descriptor of another type", CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE);
    require(d.finalized, "a descriptor that is not finalized", CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED);
    return d;
}

template <class Work> cudnnStatus_t guarded(Work work) {
    try {
        work();
        return CUDNN_STATUS_SUCCESS;
    } catch (const Refused& e) {
        last_error() = e.why;
        if (e.why != cannot_be_built && e.why != does_not_start) hook().refused.push_back(e.why);
        return e.status;
    }
}

FakeDnn::Plan& plan_of(const Descriptor& engine) {
    const auto pattern = pattern_of(engine.part(CUDNN_ATTR_ENGINE_OPERATION_GRAPH));
    return hook().plans[pattern].at(static_cast<std::size_t>(engine.one<std::int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX)));
}
const Descriptor& engine_of(const Descriptor& plan) {
    return plan.part(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG).part(CUDNN_ATTR_ENGINECFG_ENGINE);
}

std::shared_ptr<const Descriptor> engine_config(const std::shared_ptr<const Descriptor>& graph, std::size_t index,
                                                const FakeDnn::Plan& plan) {
    auto engine = std::make_shared<Descriptor>(Descriptor{CUDNN_BACKEND_ENGINE_DESCRIPTOR, true});
    engine->put_parts(CUDNN_ATTR_ENGINE_OPERATION_GRAPH, {graph});
    engine->put<std::int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, {static_cast<std::int64_t>(index)});
    engine->put(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE, plan.notes);
    std::vector<cudnnBackendBehaviorNote_t> notes;
    if (plan.compiled) notes.push_back(CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION);
    engine->put(CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, CUDNN_TYPE_BEHAVIOR_NOTE, notes);
    auto config = std::make_shared<Descriptor>(Descriptor{CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, true});
    config->put_parts(CUDNN_ATTR_ENGINECFG_ENGINE, {engine});
    config->put_parts(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, {});
    config->put<std::int64_t>(CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE, CUDNN_TYPE_INT64,
                              {plan.announced < 0 ? plan.workspace : plan.announced});
    config->put<std::int32_t>(CUDNN_ATTR_ENGINECFG_SHARED_MEMORY_USED, CUDNN_TYPE_INT32, {0});
    return config;
}

/// Finds the plans that the test has prepared for this kind of graph.
void find_engines(Descriptor& heuristics) {
    const auto mode = heuristics.one<cudnnBackendHeurMode_t>(CUDNN_ATTR_ENGINEHEUR_MODE);
    const auto graph = heuristics.parts(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH)[0];
    const auto& plans = hook().plans[pattern_of(*graph)];
    std::vector<std::shared_ptr<const Descriptor>> found;
    for (std::size_t i = 0; i < plans.size(); ++i)
        if (plans[i].fallback == (mode == CUDNN_HEUR_MODE_FALLBACK)) found.push_back(engine_config(graph, i, plans[i]));
    heuristics.put_parts(CUDNN_ATTR_ENGINEHEUR_RESULTS, std::move(found));
}

void build(Descriptor& d) {
    FakeDnn::Plan& plan = plan_of(engine_of(d));
    ++plan.built;
    if (plan.when_built) plan.when_built();
    require(plan.builds, cannot_be_built, plan.fails_with);
    d.put<std::int64_t>(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, {plan.workspace});
}

void finish(Descriptor& d) {
    for (const Rule& rule : all_rules().at(d.type))
        require(!rule.needed || d.has(rule.name), "an attribute is missing");
    switch (d.type) {
    case CUDNN_BACKEND_TENSOR_DESCRIPTOR:
        return check_tensor(d);
    case CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR:
        return check_convolution(d);
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR:
        return check_operation(d);
    case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
        return check_graph(d);
    case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR:
        return find_engines(d);
    case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR:
        return build(d);
    case CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR: {
        const auto ids = d.all<std::int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
        require(ids.size() == d.all<void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS).size(), "an address for each id");
        require(std::set(ids.begin(), ids.end()).size() == ids.size(), "ids are unique",
                CUDNN_STATUS_BAD_PARAM_DUPLICATED_ENTRIES);
        return;
    }
    default:
        return;
    }
}

void set(Descriptor& d, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t count,
         const void* from) {
    require(!d.finalized, "a finalized descriptor cannot be changed");
    const Rules& rules = all_rules().at(d.type);
    const auto rule = std::find_if(rules.begin(), rules.end(), [&](const Rule& r) { return r.name == name; });
    require(rule != rules.end(), "not an attribute of this descriptor", CUDNN_STATUS_NOT_SUPPORTED);
    require(rule->type == type, "an attribute of another type", CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE);
    require(count > 0 && count <= rule->most, "too few or too many elements", CUDNN_STATUS_BAD_PARAM_OUT_OF_BOUND);
    require(from, "no elements", CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
    if (type != CUDNN_TYPE_BACKEND_DESCRIPTOR) {
        const auto* bytes = static_cast<const std::byte*>(from);
        d.values[name] = {type, count, {bytes, bytes + static_cast<std::size_t>(count) * bytes_of(type)}, {}};
        return;
    }
    std::vector<std::shared_ptr<const Descriptor>> parts;
    for (std::int64_t i = 0; i < count; ++i) {
        const Descriptor& part = known(static_cast<const cudnnBackendDescriptor_t*>(from)[i]);
        require(part.finalized, "a part is not finalized", CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED);
        parts.push_back(std::make_shared<const Descriptor>(part));
    }
    d.put_parts(name, std::move(parts));
}

void get(const Descriptor& d, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
         std::int64_t requested, std::int64_t* count, void* to) {
    require(d.finalized, "the descriptor is not finalized", CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED);
    const auto found = d.values.find(name);
    require(found != d.values.end(), "no such attribute", CUDNN_STATUS_NOT_SUPPORTED);
    const Descriptor::Value& value = found->second;
    require(value.type == type, "an attribute of another type", CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE);
    if (count) *count = value.count;
    if (!to) return;
    const auto given = static_cast<std::size_t>(std::min(requested, value.count));
    if (type != CUDNN_TYPE_BACKEND_DESCRIPTOR) {
        std::copy_n(value.bytes.begin(), given * bytes_of(type), static_cast<std::byte*>(to));
        return;
    }
    for (std::size_t i = 0; i < given; ++i) {
        Descriptor& into = known(static_cast<cudnnBackendDescriptor_t*>(to)[i]);
        require(into.type == value.parts[i]->type, "a descriptor of another type",
                CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE);
        into = *value.parts[i];
    }
}

void execute(cudnnHandle_t handle, Descriptor& plan, const Descriptor& pack) {
    require(handle, "no handle", CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
    require(handle->has_stream, "not on the stream that the test's card has");
    const Descriptor& engine = engine_of(plan);
    FakeDnn::Plan& told = plan_of(engine);
    ++told.started;
    require(told.starts, does_not_start, CUDNN_STATUS_EXECUTION_FAILED);
    const auto bytes = plan.one<std::int64_t>(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
    auto* const work = pack.one<void*>(CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
    require(work || bytes == 0, "no workspace", CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
    const auto ids = pack.all<std::int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
    const auto pointers = pack.all<void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
    std::map<std::int64_t, void*> addresses;
    for (std::size_t i = 0; i < ids.size(); ++i) addresses[ids[i]] = pointers[i];
    auto compute = computation(engine.parts(CUDNN_ATTR_ENGINE_OPERATION_GRAPH)[0], addresses);
    const std::weak_ptr<const char> alive = handed_out().at(&plan);
    handle->submit([compute = std::move(compute), work, bytes, alive, cost = told.cost, computes = hook().computes] {
        // The plan's kernels may be unloaded with it.
        if (alive.expired()) hook().refused.emplace_back("a plan was destroyed that is still to run");
        hook().spent += cost;
        if (!computes) return;
        // Filled with NaN, so that a workspace that overlaps other memory is noticed.
        if (bytes > 0) std::memset(work, 0xFF, static_cast<std::size_t>(bytes));
        compute();
    });
}

} // namespace
} // namespace denoir::test

using namespace denoir::test;
#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT FakeDnn* denoir_fake_dnn() { return &hook(); }

EXPORT std::size_t cudnnGetVersion() { return hook().version; }
EXPORT std::size_t cudnnGetCudartVersion() { return hook().made_with; }
EXPORT const char* cudnnGetErrorString(cudnnStatus_t status) {
    switch (status) {
    case CUDNN_STATUS_NOT_SUPPORTED:
        return "CUDNN_STATUS_NOT_SUPPORTED";
    case CUDNN_STATUS_NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING:
        return "CUDNN_STATUS_NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING";
    case CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED:
        return "CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED";
    default:
        static std::string& text = *new std::string;
        text = "status " + std::to_string(static_cast<int>(status));
        return text.c_str();
    }
}
EXPORT void cudnnGetLastErrorString(char* message, std::size_t size) {
    if (size > 0) message[last_error().copy(message, size - 1)] = '\0';
}

EXPORT cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
    if (!hook().creates) return CUDNN_STATUS_NOT_INITIALIZED;
    *handle = new cudnnContext{hook().submit};
    ++hook().handles;
    return CUDNN_STATUS_SUCCESS;
}
EXPORT cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
    --hook().handles;
    delete handle;
    return CUDNN_STATUS_SUCCESS;
}
EXPORT cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
    if (!hook().takes_stream) return CUDNN_STATUS_BAD_PARAM;
    handle->has_stream = stream == nullptr; // an emulated card has the null stream only
    return CUDNN_STATUS_SUCCESS;
}
EXPORT cudnnStatus_t cudnnGetStream(cudnnHandle_t, cudaStream_t* stream) {
    *stream = nullptr;
    return CUDNN_STATUS_SUCCESS;
}

EXPORT cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t* out) {
    return guarded([&] {
        require(all_rules().contains(type), "not a descriptor that it has", CUDNN_STATUS_NOT_SUPPORTED);
        auto* made = new Descriptor{type};
        handed_out()[made] = std::make_shared<const char>();
        ++hook().descriptors;
        *out = made;
    });
}
EXPORT cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t handle) {
    return guarded([&] {
        Descriptor& d = known(handle);
        handed_out().erase(&d);
        --hook().descriptors;
        delete &d;
    });
}
EXPORT cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t handle, cudnnBackendAttributeName_t name,
                                              cudnnBackendAttributeType_t type, std::int64_t count, const void* from) {
    return guarded([&] { set(known(handle), name, type, count, from); });
}
EXPORT cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t const handle, cudnnBackendAttributeName_t name,
                                              cudnnBackendAttributeType_t type, std::int64_t requested,
                                              std::int64_t* count, void* to) {
    return guarded([&] { get(known(handle), name, type, requested, count, to); });
}
EXPORT cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t handle) {
    return guarded([&] {
        Descriptor& d = known(handle);
        finish(d);
        d.finalized = true;
    });
}
EXPORT cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan,
                                         cudnnBackendDescriptor_t pack) {
    return guarded([&] {
        execute(handle, known(plan, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR),
                known(pack, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR));
    });
}
