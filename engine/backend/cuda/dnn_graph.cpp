// SPDX-License-Identifier: Apache-2.0
// The only file that speaks to cuDNN, through the graphs of its header-only frontend (a minute to compile).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
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
void* cudnn_dlhandle = nullptr; // asked for by the frontend
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

/// A graph with its plan; null graph: there is none.
struct Plan {
    std::shared_ptr<fe::graph::Graph> graph;
    std::int64_t index = -1; ///< of the plan among the graph's; -1: not chosen yet
    std::int64_t workspace = 0;
    bool timed = false;     ///< its plans differ so much in speed that they are tried
    bool patient = false;   ///< all of them, however long they take to be compiled
    bool makeshift = false; ///< they are to be tried yet: this one, or none, was taken while it was recorded
    float time = 0;         ///< of the chosen one in milliseconds, now or when it was chosen; 0: not measured
    std::int64_t most_workspace = 0;
    std::string why;               ///< the last of its plans could not be built; empty: none failed
    std::set<std::int64_t> failed; ///< of its plans: could not be built, or did not start
    bool lasting = true;           ///< each of those would fail in the next session, too
    bool told = false;             ///< that none of them runs

    /// What failed may be tried again.
    void forgive() {
        failed.clear();
        lasting = true;
    }
};
using Memory = std::unordered_map<std::int64_t, void*>;
using Outcome = fe::error_t;

/// Of a graph's plans so many are tried: the library's guesses come in no good order (the tile that fits was found at
/// place 28 of 35). Most are ready, and cost the loading of their kernel; some are compiled as they are built, a second
/// or two each, for which there is less patience. Once there is one plan, no more are begun after that. Attention's
/// are few and all compiled, and take most of a step: there each is tried, once a shape.
constexpr std::int64_t candidates = 48;
constexpr std::chrono::milliseconds patience{4000}, patience_to_compile{1500};
constexpr int ready_enough = 4; ///< measured of the library's file: then none is compiled any more
constexpr int rounds = 3;
/// A plan whose first run takes so many times the best one's is not measured further; one that saves less than a
/// hundredth is not taken in its place.
constexpr float clearly_slower = 1.5f, clear_gain = 0.99f;
/// While a plan is built for longer than this the card stands idle and loses speed.
constexpr std::chrono::milliseconds idle_for_long{100};
/// Up to this version the library's plans for pictures are the better ones (asked without a card, for an H200), and
/// from 9.8 to 9.14 its convolutions of several frames are silently wrong in bf16 (pytorch/pytorch #163539).
constexpr std::size_t frames_behind_each_other_from = 92400;
/// But for pictures with so few channels it has none on the matrix units in f32 (likewise), such as a decoder's last.
constexpr std::int64_t few_channels = 64;
/// Smaller convolutions take microseconds by any plan. Of attention it is what tokens have with each other, which takes
/// most of a step, and long clips' with a picture: a plan that is compiled takes seconds to be made.
constexpr std::int64_t worth_timing = 2'000'000'000, attention_worth_timing = 20'000'000'000;
constexpr std::size_t loading_bytes = std::size_t{64} << 20; ///< with less free, a kernel may not have been loaded

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
            // What was chosen stays, even where its memory is missing: the same request gives the same bytes.
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
    /// The library has two ways to express attention, each with kernels of its own; which of them a version on a card
    /// knows is not told before it is tried.
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

    /// As far as it is known. Where it is worth it, both ways' plans are chosen first.
    bool composite_is_faster(const FusedAttention& a, Memory& memory, const Caller& caller) {
        if (a.keys != a.all_keys) // as the block that sees all of them
            return faster(time_of(attention_key(a, a.all_keys, Way::COMPOSITE)),
                          time_of(attention_key(a, a.all_keys, Way::UNIFIED)));
        Plan& unified = expressed(a, Way::UNIFIED);
        if (!unified.timed) return false;
        Plan& composite = expressed(a, Way::COMPOSITE);
        const std::string key = attention_key(a, a.keys, Way::UNIFIED),
                          other = attention_key(a, a.keys, Way::COMPOSITE);
        // Plans are compiled, a second each: where both were measured before, only the faster one's is made.
        if (!remembered(key, unified) || !remembered(other, composite)) {
            const auto no_memory = choose_if_there_is_memory(key, unified, memory, caller),
                       nor_here = choose_if_there_is_memory(other, composite, memory, caller);
            if (unified.index < 0 && composite.index < 0 && (no_memory || nor_here))
                throw Error(no_memory ? *no_memory : *nor_here);
            // What one of them lacks is not looked for again while the other has it.
            if (composite.index < 0 && unified.index >= 0) drop(other, composite);
            if (unified.index < 0 && composite.index >= 0) drop(key, unified);
        }
        return faster(composite.time, unified.time);
    }
    /// Chooses, if that is still to be done; what is returned: there was no memory for any of its plans to work in.
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
    /// Of times in milliseconds, 0: not measured.
    static bool faster(float one, float other) { return one > 0 && (other == 0 || one < other); }
    float time_of(const std::string& key) const {
        const auto found = plans_.find(key);
        return found == plans_.end() ? 0 : found->second.time;
    }

    /// The library's kernels are told that every tensor starts at a multiple of 16 bytes, and read rows that way.
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

    /// What went wrong in one line; empty: nothing.
    template <class Work> static std::string failure_of(Work work) {
        try {
            Outcome outcome = work();
            if (outcome.is_good()) return {};
            std::string why = outcome.get_message();
            std::replace(why.begin(), why.end(), '\n', ' ');
            return why.empty() ? "it does not say why" : printable(why, 200);
        } catch (const Error&) {
            throw; // ours: no memory for it, say
        } catch (const std::exception& e) {
            return printable(e.what(), 200);
        }
    }

    /// Makes plan number `index` ready to run; false: it is not, plan.why says why.
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

    /// Whether what the frontend says of a plan that cannot be built is a property of card, version and shape: it was
    /// refused unbuilt, or the library does not support it. Otherwise memory may have been missing, or a file that can
    /// be installed.
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

    /// Plan number `index` is no kernel of the library's file but one that it writes and compiles.
    static bool is_compiled(const Plan& plan, std::int64_t index) {
        std::vector<fe::BehaviorNote_t> notes;
        return plan.graph->get_behavior_notes_for_plan_at_index(index, notes).is_good() &&
               std::find(notes.begin(), notes.end(), fe::BehaviorNote_t::RUNTIME_COMPILATION) != notes.end();
    }

    /// A kernel may not have been loaded for lack of memory: that is no property of its plan.
    bool is_full() { return runtime_.free_memory() < loading_bytes; }

    /// Number and time of the plan that was chosen for it before, among as many.
    std::optional<std::pair<std::int64_t, float>> known(const std::string& key, const Plan& plan) const {
        const auto words = cache_.find(key);
        const auto count = static_cast<std::uint64_t>(plan.graph->get_execution_plan_count());
        if (!words || (*words)[1] != count || (*words)[0] >= count) return std::nullopt;
        return std::pair(static_cast<std::int64_t>((*words)[0]),
                         std::bit_cast<float>(static_cast<std::uint32_t>((*words)[2])));
    }

    /// What is kept on disk where none of the plans can be built: no number is as large.
    static ProductCache::Words none_of(const Plan& plan) {
        return {~std::uint64_t{0}, static_cast<std::uint64_t>(plan.graph->get_execution_plan_count()),
                static_cast<std::uint64_t>(plan.most_workspace)};
    }

    /// A plan is still to be chosen.
    bool undecided(const Plan& plan) const { return plan.index < 0 || (plan.makeshift && !runtime_.recording()); }

    /// Its plan's time is known: from now, or from when it was chosen before.
    bool remembered(const std::string& key, Plan& plan) const {
        if (!plan.graph) return false;
        const auto before = known(key, plan);
        if (plan.time == 0 && before) plan.time = before->second;
        return plan.time > 0;
    }

    bool takes_known(const std::string& key, Plan& plan) {
        const auto before = known(key, plan);
        if (!remembered(key, plan) || !before || !built(plan, before->first, plan.workspace)) return false;
        plan.index = before->first;
        plan.makeshift = false;
        return true;
    }

    /// The first plan that can be built; index -1: none.
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
    static constexpr float failed = std::numeric_limits<float>::max(); ///< its time
    using Clock = std::chrono::steady_clock;
    /// The trying of a graph's plans, one after the other.
    struct Search {
        Plan& plan;
        Memory& memory;
        const Caller& caller;
        Clock::time_point began = Clock::now();
        Candidate best = {};                 ///< so far; index -1: none runs
        int ready = 0;                       ///< of those that were measured
        std::optional<Error> no_memory = {}; ///< for one of them to work in
    };

    bool starts(Search& s, const Candidate& c) {
        std::string why;
        try {
            why = start(s.plan, c.index, c.workspace, s.memory, s.caller);
        } catch (const Error& e) {
            if (!is_out_of_memory(e)) throw;
            s.no_memory = e; // another may have enough
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

    /// Builds a plan and measures it, if it runs and is not clearly slower, beside the best one.
    void consider(Search& s, std::int64_t index) {
        const auto idle_since = Clock::now();
        Candidate c{index};
        if (!built(s.plan, index, c.workspace) || !starts(s, c)) return;
        const bool is_first = s.best.index < 0;
        if (is_first) {
            warm_up([&] { return time_of(s, c, 1); });
        } else if (Clock::now() - idle_since > idle_for_long) {
            // The best one again, as fast as the card is by now.
            warm_up([&] { return time_of(s, s.best, 1); });
            s.best.time = time_of(s, s.best, rounds);
        }
        if (!is_first && time_of(s, c, 1) > clearly_slower * s.best.time) return;
        c.time = time_of(s, c, rounds);
        if (c.time == failed) return;
        s.ready += !is_compiled(s.plan, index);
        if (is_first || c.time < clear_gain * s.best.time) s.best = c;
    }

    /// The one that was chosen before, else the fastest of the first plans, as measured now: those of convolutions
    /// differ by far, and of attention's, which come with the newest generation of cards first, the first need not be
    /// the best.
    void choose(const std::string& key, Plan& plan, Memory& memory, const Caller& caller) {
        if (plan.makeshift && !runtime_.recording()) plan.forgive(); // it may have been the recording that failed
        if (takes_known(key, plan)) return;
        if (!plan.timed || runtime_.recording()) { // nothing to be timed, or not now
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
            plan.forgive(); // of a full card that is no property of theirs
            throw Error(*search.no_memory);
        }
        if (plan.index < 0) return;
        log::info(fmt::format("cuDNN takes plan {} of {} for {}: {:.3f} ms", plan.index, count, key, plan.time));
        if (search.no_memory) return; // at the next start there may be enough for a faster one
        cache_.keep(key, {static_cast<std::uint64_t>(plan.index), static_cast<std::uint64_t>(count),
                          std::bit_cast<std::uint32_t>(plan.time)});
    }

    /// None of its plans is looked for again, but those that failed while it was recorded; in later sessions neither,
    /// if that would be in vain.
    void drop(const std::string& key, Plan& plan) {
        if (!plan.graph || runtime_.recording()) return;
        if (!plan.failed.empty() && plan.lasting && !is_full()) cache_.keep(key, none_of(plan));
        plan.graph = nullptr;
    }

    /// False: none of its plans runs. Throws Error where the card may have been too full for that.
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
            if (runtime_.recording()) // it may be the recording that it cannot be in, and what is recorded stays
                throw Error("", "device", fmt::format("cuDNN does not start {} while it is recorded: {}", key, why));
            log::info(fmt::format("cuDNN does not start plan {} of {}: {}", plan.index, key, why));
            // Another is chosen, before it or behind it.
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
    /// Recordings run their kernels, which go with them.
    std::set<std::shared_ptr<fe::graph::Graph>> recorded_;
};

/// cuDNN compiles some of its kernels when they are first asked for. The compiler looks for a library of its own by a
/// bare name; it is found when it is here already.
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
    // The frontend asks the loader for CUDA's runtime by its bare name; it is found when it is here already. Where two
    // are installed it takes the older one and writes so to stderr, unless it is told which: the one of the toolkit
    // that this was compiled with, since the driver may be too old for the other. Only then: another thread may be
    // reading the environment.
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
