// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/precision.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/backend/cards.h"
#include "engine/compare/difference.h"
#include "engine/compare/rgb8.h"
#include "engine/core/atomic_file.h"
#include "engine/core/error.h"
#include "engine/core/thread_pool.h"
#include "engine/media/frames.h"
#include "engine/metrics/summary.h"
#include "engine/session/output_check.h"
#include "engine/session/request_json.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

/// A temporary folder for the traces. Traces that are to be kept are moved out of it at the end, so that an interrupted
/// comparison leaves nothing behind.
class Workplace {
public:
    Workplace(const fs::path& keep, const fs::path& beside) : keep_(keep) {
        std::error_code code;
        if (!keep.empty()) {
            if (fs::exists(keep, code) && !fs::is_directory(keep, code))
                throw Error(keep.string(), "", "is a file", "name a new or empty folder");
            check_output_folder(keep, {});
            made_ = fs::create_directories(keep, code);
            if (code)
                throw Error(keep.string(), "", "this folder cannot be created: " + code.message(),
                            "choose another --keep");
        }
        own_.emplace(".denoir-precision-", keep.empty() ? beside : keep);
    }
    Workplace(const Workplace&) = delete;
    Workplace& operator=(const Workplace&) = delete;
    ~Workplace() {
        std::error_code code;
        own_.reset();
        if (made_) fs::remove(keep_, code); // only if it is empty
    }
    fs::path file(const char* name) const { return own_->path() / name; }
    /// Moves the files of these names to the folder that keeps them, if there is one.
    void keep(std::initializer_list<const char*> names) {
        for (const char* name : names) {
            std::error_code code;
            if (!keep_.empty()) fs::rename(file(name), keep_ / name, code);
            if (code) throw Error((keep_ / name).string(), "", code.message(), "choose another --keep");
        }
    }

private:
    bool made_ = false;
    fs::path keep_;
    std::optional<ScratchFolder> own_;
};

/// Completes the part about pictures from the metrics of all frames, with the worst `shown` of them side by side.
void finish(PicturePart& p, const std::vector<Image>& a, const std::vector<Image>& b, int shown) {
    const metrics::Summary summary = metrics::summarize(p.frames);
    p.mean = summary.mean;
    p.verdict = metrics::verdict(summary.mean).text;
    double largest = 0;
    for (const metrics::FrameMetrics& frame : p.frames) largest = std::max(largest, frame.difference.max);
    p.amplified = fitting_amplification(largest);
    std::vector<std::size_t> worst = metrics::worst_frames(p.frames, std::size_t(shown), 2);
    if (worst.empty() && !a.empty()) worst.push_back(a.size() / 2);
    for (const std::size_t i : worst) p.shown.push_back({i, a[i], b[i], amplified_difference(a[i], b[i], p.amplified)});
}

std::string label(const Request& r) {
    const Json stored = to_json(r);
    return fmt::format("{}, cast points {}, on {}", stored["dtype"].get<std::string>(),
                       stored["precision"].get<std::string>(), r.device->name());
}

/// What the words of one side say; a field that they do not mention is empty.
struct Side {
    std::string type, casts, device;
};

Side side_of(const std::string& words, std::string_view option) {
    Side side;
    auto& [type, casts, device] = side;
    const auto say = [&](std::string& said, const std::string& word) {
        if (!said.empty() && said != word)
            throw UsageError("", std::string(option),
                             fmt::format("{} and {} exclude each other", printable(said, 40), printable(word, 40)),
                             "use one of them");
        said = word;
    };
    for (std::size_t begin = 0; begin <= words.size();) {
        const std::size_t end = std::min(words.find('+', begin), words.size());
        const std::string word = words.substr(begin, end - begin);
        if (word == "f32" || word == "bf16")
            say(type, word);
        else if (word == "wan" || word == "skyreels")
            say(casts, word);
        else if (word == "cpu" || word.starts_with("cuda"))
            say(device, word);
        else
            throw UsageError("", std::string(option),
                             fmt::format("'{}' is not a precision or device", printable(word, 40)),
                             "use f32, bf16, wan, skyreels, cpu or cuda:N, joined by +");
        begin = end + 1;
    }
    if (type == "f32" && !casts.empty()) say(type, casts);
    return side;
}

} // namespace

Request with_precision(Request r, const std::string& words, std::string_view option) {
    const auto [type, casts, device] = side_of(words, option);
    const auto set = [&](const char* field, const std::string& word) {
        try {
            set_request_field(r, field, word, {});
        } catch (const UsageError& e) {
            throw UsageError("", std::string(option), e.message(), e.hint());
        }
    };
    if (!type.empty()) set("dtype", type);
    if (!casts.empty()) r.dtype = DType::bf16, set("precision", casts);
    if (type == "f32") r.precision = PrecisionPolicy::f32;
    // The request's own cast points stay those of bf16; f32's do not fit it.
    if (type == "bf16" && r.precision == PrecisionPolicy::f32) r.precision.reset();
    if (!device.empty()) set("device", device);
    return r;
}

std::vector<std::string_view> fields_of_the_sides(const PrecisionOptions& options) {
    const Side a = side_of(options.a, "--a"), b = side_of(options.b, "--b");
    const auto says_type = [](const Side& s) { return !s.type.empty() || !s.casts.empty(); };
    const auto says_casts = [](const Side& s) { return s.type == "f32" || !s.casts.empty(); };
    std::vector<std::string_view> out;
    if (says_type(a) && says_type(b)) out.emplace_back("dtype");
    if (says_casts(a) && says_casts(b)) out.emplace_back("precision");
    if (!a.device.empty() && !b.device.empty()) out.emplace_back("device");
    return out;
}

PrecisionResult compare_precision(const Request& asked, const PrecisionOptions& options,
                                  const std::function<void(const std::string&)>& begins, Observer& observer,
                                  const ProgressCall& comparing, std::stop_token stop) {
    Request a = with_precision(asked, options.a, "--a"), b = with_precision(asked, options.b, "--b");
    for (const Request* r : {&a, &b}) // refuses before anything is made
        require_device(r->device ? *r->device : default_device());
    Workplace place(options.keep, options.work);
    PrecisionResult result;
    PicturePart& p = result.pictures;
    std::vector<Image> frames_a, frames_b;

    begins("A");
    constexpr const char *name_a = "A.safetensors", *name_b = "B.safetensors";
    TraceOptions trace_a{place.file(name_a), options.select, {}, {}};
    trace_a.picture = [&](int, const Tensor& frame) { frames_a.push_back(to_image(frame.unsqueeze(1), 0)); };
    result.a = trace(a, trace_a, observer, stop).request;

    b.seed = result.a.seed; // a random seed is drawn once, for both
    ThreadPool pool(b.threads);
    begins("B");
    TraceOptions trace_b{place.file(name_b), options.select, {}, {}};
    trace_b.picture = [&](int index, const Tensor& frame) {
        frames_b.push_back(to_image(frame.unsqueeze(1), 0));
        if (const auto i = std::size_t(index); i < frames_a.size())
            p.frames.push_back(metrics::compare_frames(rgb8(frames_a[i]), rgb8(frames_b.back()), pool));
    };
    result.b = trace(b, trace_b, observer, stop).request;

    const TraceFiles files(trace_a.out, trace_b.out);
    result.traces = files.compare(comparing, stop);
    p.label_a = result.traces.name_a = label(result.a);
    p.label_b = result.traces.name_b = label(result.b);
    finish(p, frames_a, frames_b, options.shown);
    result.report = trace_report(result.traces, &files, p);
    place.keep({name_a, name_b});
    return result;
}

} // namespace denoir
