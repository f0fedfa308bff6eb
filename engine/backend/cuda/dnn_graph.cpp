// SPDX-License-Identifier: Apache-2.0
// The only file that calls cuDNN, through the graphs of its header-only frontend. It takes a minute to compile.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "engine/backend/cuda/dnn.h"
#include "engine/backend/cuda/dnn_graphs.h"
#include "engine/backend/cuda/library.h"
#include "engine/backend/cuda/product_cache.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/core/memory.h"

namespace cudnn_frontend {
void* cudnn_dlhandle = nullptr; // the frontend expects it
}

namespace denoir::cuda {
namespace {

namespace fe = cudnn_frontend;
using dnn::Uid;

struct Functions {
    decltype(&cudnnCreate) create;
    decltype(&cudnnDestroy) destroy;
    decltype(&cudnnSetStream) set_stream;
    decltype(&cudnnGetVersion) version;
};

/// A graph with its chosen plan. If the graph is null, there is none.
struct Plan {
    std::shared_ptr<fe::graph::Graph> graph;
    std::int64_t index = -1; ///< number of the plan among the graph's; -1: not chosen yet
    std::int64_t workspace = 0;
    bool timed = false;     ///< its plans differ so much in speed that several are measured
    bool patient = false;   ///< all of them are measured, however long it takes to compile them
    bool makeshift = false; ///< it was taken, or none was found, during a recording: still to be chosen
    float time = 0;         ///< of the plan in milliseconds, measured now or when it was chosen; 0: not measured
    std::int64_t most_workspace = 0;
    std::string why;               ///< why the last plan that failed did so; empty: none failed
    std::set<std::int64_t> failed; ///< numbers of plans that could not be built or did not start
    bool lasting = true;           ///< all of those would fail in the next session as well
    bool told = false;             ///< the log says that none of them runs

    /// Plans that failed may be tried again.
    void forgive() {
        failed.clear();
        lasting = true;
    }
};
using Memory = std::unordered_map<std::int64_t, void*>;
using Outcome = fe::error_t;

/// So many of a graph's plans are tried, as the library does not list them in a good order (the tile that fits was
/// found at place 28 of 35). Most plans are ready and only have to be loaded. Some are compiled when they are built,
/// which takes a second or two, so there is less patience for them. When the time is over and one plan was found, no
/// more are tried. Attention takes most of a step and has few plans, all compiled: there each is tried, once for every
/// shape.
constexpr std::int64_t candidates = 48;
constexpr std::chrono::milliseconds patience{4000}, patience_to_compile{1500};
constexpr int ready_enough = 4; ///< once so many ready plans were measured, none is compiled any more
constexpr int rounds = 3;
/// A plan is not measured further if its first run takes `clearly_slower` times as long as the best one's, and it does
/// not replace the best one unless it takes less than `clear_gain` of its time.
constexpr float clearly_slower = 1.5f, clear_gain = 0.99f;
/// If it takes longer than this to build a plan, the card was idle and has lowered its clocks.
constexpr std::chrono::milliseconds idle_for_long{100};
/// From this version on, frames are given to the library one behind the other. Before it, its plans for single pictures
/// are the better ones (it was asked for those for an H200, without a card), and from 9.8 to 9.14 its convolutions of
/// several frames are silently wrong in bf16 (pytorch/pytorch #163539).
constexpr std::size_t frames_behind_each_other_from = 92400;
/// But for pictures with so few output channels, such as a decoder's last one, it has no plans on the matrix units in
/// f32 (it was asked in the same way).
constexpr std::int64_t few_channels = 64;
/// Multiplications from which on plans are measured. Smaller convolutions take microseconds with any plan. Attention's
/// plans take seconds to compile: only self-attention, which takes most of a step, and the attention of long clips to a
/// picture are worth it.
constexpr std::int64_t worth_timing = 2'000'000'000, attention_worth_timing = 20'000'000'000;
constexpr std::size_t loading_bytes = std::size_t{64} << 20; ///< with less free, a kernel may have failed to load

class DnnGraph final : public Dnn {
public:
    DnnGraph(Runtime& runtime, const Functions& functions, cudnnHandle_t handle)
        : runtime_(runtime),
          f_(functions),
          handle_(handle),
          cache_(ProductCache::file("convolutions", runtime.properties().name, fe::detail::get_backend_version())) {}
    ~DnnGraph() override {
        plans_.clear();
        recorded_.clear();
        f_.destroy(handle_);
    }

    bool attention(const FusedAttention& a, const Caller& caller) override {
        if (!all_aligned({a.q, a.k, a.v, a.out}) ||
            !all_aligned({a.q_token, a.q_head, a.k_token, a.k_head, a.v_token, a.v_head, a.out_token, a.out_head}))
            return false;
        Memory memory{{Uid::first_input, const_cast<void*>(a.q)},
                      {Uid::second_input, const_cast<void*>(a.k)},
                      {Uid::third_input, const_cast<void*>(a.v)},
                      {Uid::result, a.out}};
        if (a.log_sum) memory.emplace(Uid::second_result, a.log_sum);
        std::array ways{Way::UNIFIED, Way::COMPOSITE};
        if (composite_is_faster(a, memory, caller)) std::swap(ways[0], ways[1]);
        std::optional<Error> no_memory;
        for (const Way way : ways) {
            Plan& plan = expressed(a, way);
            // What was chosen stays, even if there is no memory for it now: the same request must give the same bytes.
            const bool was_chosen = !undecided(plan);
            try {
                if (run(attention_key(a, a.keys, way), plan, memory, caller)) {
                    if (no_memory) drop(attention_key(a, a.keys, ways[0]), expressed(a, ways[0]));
                    return true;
                }
            } catch (const Error& e) {
                if (!is_out_of_memory(e) || was_chosen) throw;
                no_memory = e; // the other way may have enough
            }
        }
        if (no_memory) throw Error(*no_memory);
        return false;
    }

    bool conv(const FusedConv& c, const Caller& caller) override {
        if (!all_aligned({c.x, c.w, c.bias, c.residual, c.out})) return false;
        const std::string key =
            fmt::format("{}:{}:{}:{}:{}:{}:{}:{}:{}:{}:{}:{}:{}:{}:{}", c.type == Type::f32 ? "tf32" : "c", c.time,
                        c.height, c.width, c.in, c.out_channels, c.taps_time, c.taps_down, c.taps_across, c.time_stride,
                        c.stride, c.pad_down, c.pad_across, c.bias != nullptr, c.residual != nullptr);
        Plan& plan = planned(key, dnn::largest_workspace, [&] { return dnn::conv_graph(dnn::new_graph(c.type), c); });
        plan.timed = c.multiplications() >= worth_timing;
        Memory memory{{Uid::first_input, const_cast<void*>(c.x)},
                      {Uid::second_input, const_cast<void*>(c.w)},
                      {Uid::result, c.out}};
        if (c.bias) memory.emplace(Uid::third_input, const_cast<void*>(c.bias));
        if (c.residual) memory.emplace(Uid::fourth_input, const_cast<void*>(c.residual));
        return run(key, plan, memory, caller);
    }

    bool prefers_stacked_frames(Type type, std::int64_t out_channels) const override {
        return f_.version() < frames_behind_each_other_from && (type != Type::f32 || out_channels > few_channels);
    }

private:
    /// The library has two ways to express attention, each with kernels of its own. Which of them a version has kernels
    /// for on a card is not known before they are tried.
    using Way = fe::AttentionImplementation_t;
    static std::string attention_key(const FusedAttention& a, std::int64_t keys, Way way) {
        return fmt::format("a:{}:{}:{}:{}:{}:{}:{}:{}:{}:{}:{}:{}:{}:{}{}", a.queries, keys, a.heads, a.size, a.q_token,
                           a.q_head, a.k_token, a.k_head, a.v_token, a.v_head, a.out_token, a.out_head, a.scale,
                           a.log_sum != nullptr, way == Way::COMPOSITE ? ":composite" : "");
    }

    Plan& expressed(const FusedAttention& a, Way way) {
        Plan& plan = planned(attention_key(a, a.keys, way), dnn::largest_attention_workspace,
                             [&] { return dnn::attention_graph(dnn::new_graph(Type::bf16), a, way); });
        plan.timed = plan.patient = a.keys == a.all_keys && a.multiplications() >= attention_worth_timing;
        return plan;
    }

    /// Whether it is, as far as is known. For large products the plans of both ways are chosen first.
    bool composite_is_faster(const FusedAttention& a, Memory& memory, const Caller& caller) {
        if (a.keys != a.all_keys) // the same as for the block that sees all keys
            return faster(time_of(attention_key(a, a.all_keys, Way::COMPOSITE)),
                          time_of(attention_key(a, a.all_keys, Way::UNIFIED)));
        Plan& unified = expressed(a, Way::UNIFIED);
        if (!unified.timed) return false;
        Plan& composite = expressed(a, Way::COMPOSITE);
        const std::string key = attention_key(a, a.keys, Way::UNIFIED),
                          other = attention_key(a, a.keys, Way::COMPOSITE);
        // It takes a second to compile a plan: if both were measured before, only the faster one is compiled.
        if (!remembered(key, unified) || !remembered(other, composite)) {
            const auto no_memory = choose_if_there_is_memory(key, unified, memory, caller),
                       nor_here = choose_if_there_is_memory(other, composite, memory, caller);
            if (unified.index < 0 && composite.index < 0 && (no_memory || nor_here))
                throw Error(no_memory ? *no_memory : *nor_here);
            // If only one of them has a plan, the other is not searched for again.
            if (composite.index < 0 && unified.index >= 0) drop(other, composite);
            if (unified.index < 0 && composite.index >= 0) drop(key, unified);
        }
        return faster(composite.time, unified.time);
    }
    /// Chooses a plan if that is still to be done. Returns the Error if there was no memory for any plan to work in.
    std::optional<Error> choose_if_there_is_memory(const std::string& key, Plan& plan, Memory& memory,
                                                   const Caller& caller) {
        try {
            if (plan.graph && undecided(plan)) choose(key, plan, memory, caller);
        } catch (const Error& e) {
            if (!is_out_of_memory(e)) throw;
            return e;
        }
        return std::nullopt;
    }
    /// Compares times in milliseconds; 0: not measured.
    static bool faster(float one, float other) { return one > 0 && (other == 0 || one < other); }
    float time_of(const std::string& key) const {
        const auto found = plans_.find(key);
        return found == plans_.end() ? 0 : found->second.time;
    }

    /// Whether all are multiples of 16 bytes: the library's kernels are told that every tensor starts at one, and they
    /// read rows that way.
    static bool all_aligned(std::initializer_list<const void*> tensors) {
        return std::none_of(tensors.begin(), tensors.end(),
                            [](const void* at) { return reinterpret_cast<std::uintptr_t>(at) % 16 != 0; });
    }
    static bool all_aligned(std::initializer_list<std::int64_t> strides) {
        return std::none_of(strides.begin(), strides.end(), [](std::int64_t stride) { return stride % 8 != 0; });
    }

    template <class Make> Plan& planned(const std::string& key, std::int64_t most_workspace, Make make) {
        const auto found = plans_.find(key);
        if (found != plans_.end()) return found->second;
        runtime_.stream(); // the library asks for this thread's card
        Plan plan;
        plan.most_workspace = most_workspace;
        const std::string why = failure_of([&] {
            plan.graph = make();
            return dnn::find_plans(*plan.graph, most_workspace,
                                   [&] { return plan.graph->build_operation_graph(handle_); });
        });
        if (!why.empty()) {
            plan.graph = nullptr;
            log::info(fmt::format("cuDNN has no plan for {}: {}", key, why));
        } else if (cache_.find(key) == none_of(plan)) {
            plan.graph = nullptr;
            log::info(fmt::format("cuDNN could not build a plan for {} before", key));
        }
        return plans_.emplace(key, std::move(plan)).first->second;
    }

    /// Does `work` and returns in one line what went wrong; empty if nothing did.
    template <class Work> static std::string failure_of(Work work) {
        try {
            Outcome outcome = work();
            if (outcome.is_good()) return {};
            std::string why = outcome.get_message();
            std::replace(why.begin(), why.end(), '\n', ' ');
            return why.empty() ? "it does not say why" : printable(why, 200);
        } catch (const Error&) {
            throw; // one of ours, such as a lack of memory
        } catch (const std::exception& e) {
            return printable(e.what(), 200);
        }
    }

    /// Makes plan number `index` ready to run. False if it cannot be; plan.why then says why.
    bool built(Plan& plan, std::int64_t index, std::int64_t& workspace) {
        if (plan.failed.contains(index)) return false;
        bool lasts = false;
        std::string why = failure_of([&] {
            Outcome outcome = plan.graph->build_plan_at_index(handle_, index);
            lasts = outcome.is_bad() && fails_for_good(outcome.get_message());
            return outcome.is_bad() ? outcome : plan.graph->get_workspace_size_plan_at_index(index, workspace);
        });
        if (why.empty() && workspace > plan.most_workspace) {
            why = fmt::format("it wants {} bytes to work in", workspace);
            lasts = true;
        }
        const bool good = why.empty();
        if (!good) fails(plan, index, std::move(why), lasts);
        return good;
    }

    /// Whether `message`, the frontend's about a plan that it could not build, means that this will never be possible
    /// for this card, version and shape: the plan was refused without being built, or the library does not support it.
    /// Otherwise memory may have been missing, or a file that can be installed.
    static bool fails_for_good(std::string_view message) {
        const auto says = [&](std::string_view part) { return message.find(part) != message.npos; };
        const bool can_be_mended = says("RUNTIME_PREREQUISITE_MISSING") || says("SUBLIBRARY_UNAVAILABLE") ||
                                   says("INCOMPATIBLE_CUDA_DRIVER") || says("INCOMPATIBLE_CUDART");
        return says("Deselecting") || says("Skipping plan") || (says("CUDNN_STATUS_NOT_SUPPORTED") && !can_be_mended);
    }

    static void fails(Plan& plan, std::int64_t index, std::string why, bool lasts) {
        plan.failed.insert(index);
        plan.why = std::move(why);
        plan.lasting = plan.lasting && lasts;
    }

    std::string start(const Plan& plan, std::int64_t index, std::int64_t bytes, Memory& memory, const Caller& caller) {
        std::byte* const work = bytes > 0 ? caller.workspace(static_cast<std::size_t>(bytes)) : nullptr;
        return failure_of([&] {
            runtime_.stream(); // the library asks for this thread's card
            return plan.graph->execute_plan_at_index(handle_, memory, work, index);
        });
    }

    /// Whether plan number `index` is not a kernel in the library's file but one that it writes and compiles.
    static bool is_compiled(const Plan& plan, std::int64_t index) {
        std::vector<fe::BehaviorNote_t> notes;
        return plan.graph->get_behavior_notes_for_plan_at_index(index, notes).is_good() &&
               std::find(notes.begin(), notes.end(), fe::BehaviorNote_t::RUNTIME_COMPILATION) != notes.end();
    }

    /// Whether a kernel may have failed to load for lack of memory, which is not the fault of its plan.
    bool is_full() { return runtime_.free_memory() < loading_bytes; }

    /// Number and time of the plan that was chosen before; empty if none was, or among another number of plans.
    std::optional<std::pair<std::int64_t, float>> known(const std::string& key, const Plan& plan) const {
        const auto words = cache_.find(key);
        const auto count = static_cast<std::uint64_t>(plan.graph->get_execution_plan_count());
        if (!words || (*words)[1] != count || (*words)[0] >= count) return std::nullopt;
        return std::pair(static_cast<std::int64_t>((*words)[0]),
                         std::bit_cast<float>(static_cast<std::uint32_t>((*words)[2])));
    }

    /// What is kept on disk if none of the plans can be built. No plan has a number as large as this.
    static ProductCache::Words none_of(const Plan& plan) {
        return {~std::uint64_t{0}, static_cast<std::uint64_t>(plan.graph->get_execution_plan_count()),
                static_cast<std::uint64_t>(plan.most_workspace)};
    }

    /// Whether a plan is still to be chosen.
    bool undecided(const Plan& plan) const { return plan.index < 0 || (plan.makeshift && !runtime_.recording()); }

    /// Whether its plan's time is known, measured now or when it was chosen before.
    bool remembered(const std::string& key, Plan& plan) const {
        if (!plan.graph) return false;
        const auto before = known(key, plan);
        if (plan.time == 0 && before) plan.time = before->second;
        return plan.time > 0;
    }

    /// Takes the plan that was chosen before. False if there is none or it cannot be built.
    bool takes_known(const std::string& key, Plan& plan) {
        const auto before = known(key, plan);
        if (!remembered(key, plan) || !before || !built(plan, before->first, plan.workspace)) return false;
        plan.index = before->first;
        plan.makeshift = false;
        return true;
    }

    /// Takes the first plan that can be built; its index is -1 if there is none.
    void take_first(Plan& plan) {
        const auto count = static_cast<std::int64_t>(plan.graph->get_execution_plan_count());
        for (plan.index = 0; plan.index < count; ++plan.index)
            if (built(plan, plan.index, plan.workspace)) return;
        plan.index = -1;
    }

    /// One of a graph's plans.
    struct Candidate {
        std::int64_t index = -1, workspace = 0;
        float time = 0; ///< in milliseconds
    };
    static constexpr float failed = std::numeric_limits<float>::max(); ///< the time of one that does not run
    using Clock = std::chrono::steady_clock;
    /// The trying of a graph's plans, one after the other.
    struct Search {
        Plan& plan;
        Memory& memory;
        const Caller& caller;
        Clock::time_point began = Clock::now();
        Candidate best = {};                 ///< so far; its index is -1 if none runs
        int ready = 0;                       ///< how many of those measured did not have to be compiled
        std::optional<Error> no_memory = {}; ///< there was none for one of them to work in
    };

    bool starts(Search& s, const Candidate& c) {
        std::string why;
        try {
            why = start(s.plan, c.index, c.workspace, s.memory, s.caller);
        } catch (const Error& e) {
            if (!is_out_of_memory(e)) throw;
            s.no_memory = e; // there may be enough for another plan
            return false;
        }
        const bool good = why.empty();
        if (!good) fails(s.plan, c.index, std::move(why), false);
        return good;
    }

    float time_of(Search& s, const Candidate& c, int times) {
        bool good = true;
        const float time = runtime_.time([&] {
            for (int round = 0; round < times && good; ++round) good = starts(s, c);
        });
        return good ? time / static_cast<float>(times) : failed;
    }

    static bool too_late(const Search& s, std::int64_t index) {
        if (s.best.index < 0 || s.plan.patient) return false;
        const auto spent = Clock::now() - s.began;
        return spent > patience ||
               ((spent > patience_to_compile || s.ready >= ready_enough) && is_compiled(s.plan, index));
    }

    /// Builds a plan and, if it runs and is not clearly slower, measures it and takes it if it is better than the best.
    void consider(Search& s, std::int64_t index) {
        const auto idle_since = Clock::now();
        Candidate c{index};
        if (!built(s.plan, index, c.workspace) || !starts(s, c)) return;
        const bool is_first = s.best.index < 0;
        if (is_first) {
            warm_up([&] { return time_of(s, c, 1); });
        } else if (Clock::now() - idle_since > idle_for_long) {
            // Measures the best one again, with the clocks that the card has by now.
            warm_up([&] { return time_of(s, s.best, 1); });
            s.best.time = time_of(s, s.best, rounds);
        }
        if (!is_first && time_of(s, c, 1) > clearly_slower * s.best.time) return;
        c.time = time_of(s, c, rounds);
        if (c.time == failed) return;
        s.ready += !is_compiled(s.plan, index);
        if (is_first || c.time < clear_gain * s.best.time) s.best = c;
    }

    /// Takes the plan that was chosen before, otherwise the fastest of the first plans, as measured now. Convolutions'
    /// plans differ greatly. Attention's are listed with those for the newest generation of cards first, and the first
    /// need not be the best.
    void choose(const std::string& key, Plan& plan, Memory& memory, const Caller& caller) {
        if (plan.makeshift && !runtime_.recording()) plan.forgive(); // the recording may have been the reason
        if (takes_known(key, plan)) return;
        if (!plan.timed || runtime_.recording()) { // there is nothing to measure, or it is not possible now
            take_first(plan);
            plan.makeshift = runtime_.recording() && (plan.timed || plan.index < 0);
            return;
        }
        const auto count = static_cast<std::int64_t>(plan.graph->get_execution_plan_count());
        Search search{plan, memory, caller};
        for (std::int64_t i = 0; i < count && (search.best.index < 0 || i < candidates); ++i) {
            caller.throw_if_stopped();
            if (!too_late(search, i)) consider(search, i);
        }
        plan.makeshift = false;
        plan.index = search.best.index;
        plan.workspace = search.best.workspace;
        plan.time = search.best.time;
        if (plan.index < 0 && search.no_memory) {
            plan.forgive(); // it is not their fault if the card is full
            throw Error(*search.no_memory);
        }
        if (plan.index < 0) return;
        log::info(fmt::format("cuDNN takes plan {} of {} for {}: {:.3f} ms", plan.index, count, key, plan.time));
        if (search.no_memory) return; // not kept: at the next start there may be enough for a faster one
        cache_.keep(key, {static_cast<std::uint64_t>(plan.index), static_cast<std::uint64_t>(count),
                          std::bit_cast<std::uint32_t>(plan.time)});
    }

    /// Its plans are not searched for again, in later sessions neither if that would be in vain. During a recording
    /// nothing is done: they may have failed because of it.
    void drop(const std::string& key, Plan& plan) {
        if (!plan.graph || runtime_.recording()) return;
        if (!plan.failed.empty() && plan.lasting && !is_full()) cache_.keep(key, none_of(plan));
        plan.graph = nullptr;
    }

    /// To be called if none of its plans runs. Returns false; throws Error if the card may have been too full for them.
    bool given_up(const std::string& key, Plan& plan) {
        if (is_full()) {
            plan.forgive();
            throw Error("", "memory", "the card has no memory left (cuDNN's kernels)",
                        "use a smaller size, fewer frames or bf16, or close other programs that use the card");
        }
        if (!std::exchange(plan.told, true))
            log::info(
                fmt::format("cuDNN cannot build a plan for {}: {}", key, plan.why.empty() ? "none left" : plan.why));
        drop(key, plan);
        return false;
    }

    bool run(const std::string& key, Plan& plan, Memory& memory, const Caller& caller) {
        while (plan.graph) {
            if (undecided(plan)) choose(key, plan, memory, caller);
            if (plan.index < 0) return given_up(key, plan);
            const std::string why = start(plan, plan.index, plan.workspace, memory, caller);
            if (why.empty()) {
                if (runtime_.recording()) recorded_.insert(plan.graph);
                return true;
            }
            if (runtime_.recording()) // perhaps only because of that; another kernel would be recorded for good
                throw Error("", "device", fmt::format("cuDNN does not start {} while it is recorded: {}", key, why));
            log::info(fmt::format("cuDNN does not start plan {} of {}: {}", plan.index, key, why));
            // Another plan is chosen, which may come before or after it.
            cache_.forget(key);
            fails(plan, plan.index, why, false);
            plan.index = -1;
            plan.time = 0;
        }
        return false;
    }

    Runtime& runtime_;
    Functions f_;
    cudnnHandle_t handle_;
    ProductCache cache_;
    std::map<std::string, Plan> plans_;
    /// Recordings run the kernels of these graphs, which would be unloaded with them.
    std::set<std::shared_ptr<fe::graph::Graph>> recorded_;
};

/// Opens the compiler with which cuDNN compiles some of its kernels on first use. The compiler opens a library of its
/// own by a bare name, which is found if it has been opened already.
void open_compiler(void* dnn) {
    std::size_t (*made_with)() = nullptr; // 13010 for CUDA 13.1
    int (*compiler_version)(int*, int*) = nullptr;
    int major = 0, minor = 0;
    std::string ignored;
    if (!find(dnn, "cudnnGetCudartVersion", made_with)) return;
    void* compiler = open_library({fmt::format("libnvrtc.so.{}", made_with() / 1000).c_str()}, ignored);
    if (compiler && find(compiler, "nvrtcVersion", compiler_version) && compiler_version(&major, &minor) == 0)
        open_library({fmt::format("libnvrtc-builtins.so.{}.{}", major, minor).c_str()}, ignored);
}

} // namespace

std::unique_ptr<Dnn> open_dnn(Runtime& runtime, std::string& why) {
    // The frontend opens CUDA's runtime by its bare name, which is found if it has been opened already. If two are
    // installed, the frontend takes the older one and writes so to stderr, unless it is told which to take: the one of
    // the toolkit that this was compiled with, since the driver may be too old for the other. It is told only if there
    // are two, since another thread may be reading the environment.
    std::array runtimes{"libcudart.so.13", "libcudart.so.12"};
    if (CUDART_VERSION < 13000) std::swap(runtimes[0], runtimes[1]);
    std::string ignored;
    const bool here = open_library({runtimes[0]}, why), other = open_library({runtimes[1]}, ignored);
    if (!here && !other) return nullptr;
    if (here && other) ::setenv("CUDNN_FRONTEND_CUDART_LIB_NAME", runtimes[0], 0);
    void* library = open_library({"libcudnn.so.9"}, why);
    if (!library) return nullptr;
    open_compiler(library);
    fe::cudnn_dlhandle = library;
    Functions f{};
    cudnnHandle_t handle = nullptr;
    if (!find(library, "cudnnCreate", f.create) || !find(library, "cudnnDestroy", f.destroy) ||
        !find(library, "cudnnSetStream", f.set_stream) || !find(library, "cudnnGetVersion", f.version)) {
        why = "libcudnn is not one that is known: functions are missing";
        return nullptr;
    }
    if (f.create(&handle) != CUDNN_STATUS_SUCCESS) {
        why = "libcudnn does not start";
        return nullptr;
    }
    if (f.set_stream(handle, static_cast<cudaStream_t>(runtime.stream())) != CUDNN_STATUS_SUCCESS) {
        f.destroy(handle);
        why = "libcudnn does not take the card's queue";
        return nullptr;
    }
    return std::make_unique<DnnGraph>(runtime, f, handle);
}

} // namespace denoir::cuda
