// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/request/estimator.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "app/base/file_saver.h"
#include "app/base/text.h"
#include "engine/backend/backend.h"
#include "engine/core/memory.h"
#include "engine/core/own_folders.h"
#include "engine/core/units.h"
#include "engine/pipeline/variant.h"
#include "engine/pipeline/windows.h"
#include "engine/session/model_lookup.h"

namespace denoir::app {
namespace {

constexpr double share_of_products = 0.6; ///< speed of a whole model relative to that of its matrix products alone
constexpr double trial_seconds = 0.1;
constexpr int trial_rounds = 16; ///< at least so many, as on a busy machine most are interrupted
/// Models are assumed to reach the same speed if their work per step differs by no more than this factor. Small models
/// make less use of a device: on a large card, the bundled one is far slower than one of billions of parameters.
constexpr double alike = 10;
constexpr double newest_counts = 0.5; ///< weight of the newest run in averages, as the machine may have been busy

QString place_of(const Request& r) {
    const char* precision = r.precision == PrecisionPolicy::f32   ? "f32"
                            : r.precision == PrecisionPolicy::wan ? "wan"
                                                                  : "skyreels";
    return to_qstring(r.device.value_or(Device{}).name()) + QLatin1Char('|') + QLatin1String(precision);
}
/// The path of the model: for the bundled one it is empty in requests, but not in records.
QString model_of(const Request& r) {
    std::filesystem::path model = r.model;
    try {
        model = find_model(r.model);
    } catch (const Error&) { // the model is gone, so its name stays as it is written
    }
    return to_qstring(model);
}
QString key_of(const Request& r) { return place_of(r) + QLatin1Char('|') + model_of(r); }

double followed(double before, double now) {
    if (!(now > 0) || !std::isfinite(now)) return before;
    return before > 0 ? before + newest_counts * (now - before) : now;
}

/// The same for an amount per second, averaging the time for each unit: so a single run that was extremely fast only
/// counts as one that took no time.
double speed_followed(double before, double amount, double seconds) {
    if (!(amount > 0)) return before;
    const double each = followed(before > 0 ? 1 / before : 0, seconds / amount);
    return each > 0 ? 1 / each : before;
}

/// Floating-point operations of one step.
double step_flop(const Request& r, const Estimate& work) {
    const int own = Pipeline::step_count(r) - (r.start ? r.start->step : 0);
    return work.flop / std::max(1, own);
}

/// The VAE's work for a run, in pixels times frames.
struct PictureWork {
    double encoded_first = 0, encoded_between = 0; ///< before the first step; before the later windows
    double decoded_between = 0, decoded_last = 0;  ///< for the windows before the last one; for the last one
    double encoded() const { return encoded_first + encoded_between; }
    double decoded() const { return decoded_between + decoded_last; }
};

PictureWork picture_work(const Request& r) {
    const double area = double(*r.width) * *r.height;
    PictureWork work;
    // An image-to-video model encodes only the images: its encoder stops when the rest of the clip repeats itself.
    work.encoded_first = area * (int(!r.image.empty()) + int(!r.last_image.empty()));
    if (goes_on(r)) work.encoded_first += area * r.forcing->overlap;
    const int start = r.start ? r.start->step : 0;
    for (const Window& w : windows_of(r)) {
        if (w.index > 0 && w.first_step >= start) work.encoded_between += area * r.forcing->overlap;
        (w.last ? work.decoded_last : work.decoded_between) += area * video_frames(w.frames);
    }
    return work;
}

/// Changes to a request that needs `needed` bytes beside the weights, so that it needs at most `available`.
QStringList smaller(const Request& r, const Estimate& work, double available, double needed) {
    QStringList out;
    const double fixed = double(work.fixed_bytes), ratio = (available - fixed) / (needed - fixed);
    if (!(ratio > 0 && ratio < 1)) return out;
    const int multiple = work.size_multiple;
    const int latents = int(latent_frames(*r.frames) * ratio);
    if (latents > std::max(1, ready_frames(r)) && available >= double(work.decode_bytes))
        out << QObject::tr("use %1 frames").arg(video_frames(latents));
    const double side = std::sqrt(ratio);
    const int width = int(*r.width * side / multiple) * multiple, height = int(*r.height * side / multiple) * multiple;
    if (width >= 64 && height >= 64) out << QObject::tr("use the size %1x%2").arg(width).arg(height);
    return out;
}

/// What to change so that the run becomes possible or, if it is, fits into `available` bytes. Empty if nothing is
/// known.
QStringList changes_for(const Request& r, const Estimate& work, quint64 needed, double available, bool possible) {
    if (!possible) return smaller(r, work, available, double(work.least_bytes));
    const double weights = double(work.held_bytes), beside = double(needed) - weights;
    if (beside <= 0) return {};
    if (available > weights)
        if (const QStringList out = smaller(r, work, available - weights, beside); !out.isEmpty()) return out;
    if (available <= beside) return {};
    return {QObject::tr("use a model with weights of at most %1").arg(bytes_text(available - beside))};
}

/// Floating-point operations per second of a matrix product.
double measured_flops(Backend& backend, bool card) {
    // Large enough to keep the whole device busy: each thread of a processor gets several tiles, and there are more
    // than 512 rows, so that oneDNN, if it is there, computes the product in the way of a model's.
    const std::int64_t m = card ? 4096 : 768, n = card ? 4096 : 256 * std::int64_t{backend.threads()},
                       k = card ? 4096 : 512;
    const Weight weight("trial", Tensor::zeros({n, k}));
    const LinearOptions options{.compute = backend.fast_bf16() ? DType::bf16 : DType::f32};
    const Tensor x = backend.upload(Tensor::zeros({m, k}));
    Tensor out_rows = backend.empty({m, n}, DType::f32);
    const Tensor first_row = out_rows.slice(0, 0, 1);
    const auto product = [&] {
        backend.linear(x, weight, nullptr, options, out_rows);
        if (card) backend.download(first_row); // waits for the product
    };
    product(); // packs the weight
    // The fastest round counts, as other programs may have taken the time of the others.
    double seconds = 0, fastest = std::numeric_limits<double>::infinity();
    for (int round = 0; round < trial_rounds || seconds < trial_seconds; ++round) {
        const auto begin = std::chrono::steady_clock::now();
        product();
        const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        seconds += took;
        fastest = std::min(fastest, took);
    }
    return 2.0 * double(m) * double(n) * double(k) / fastest;
}

} // namespace

Estimator::Estimator(QObject* parent, Look look)
    : QObject(parent),
      look_(std::move(look)),
      saver_(std::make_unique<FileSaver>(denoir::cache_folder() / "speed.json")) {
    load();
}

Estimator::~Estimator() = default;

/// The speed of other models on the same device, preferably in the same precision, as the average time for the same
/// work.
double Estimator::flops_of_others(const Request& r, const Estimate& work, Others which) const {
    const double own = step_flop(r, work);
    const auto counts = [&](const Speed& other) {
        if (which == Others::any) return other.flops > 0;
        return other.flops > 0 && other.step_flop <= own * alike && own <= other.step_flop * alike;
    };
    const QString place = place_of(r) + QLatin1Char('|'), device = place.section(QLatin1Char('|'), 0, 0);
    for (const QString& start : {place, device + QLatin1Char('|')}) {
        double each = 0;
        int models = 0;
        for (auto other = speeds_.constBegin(); other != speeds_.constEnd(); ++other)
            if (other.key().startsWith(start) && counts(*other)) each += 1 / other->flops, ++models;
        if (models > 0) return models / each;
    }
    return 0;
}

double Estimator::measured_flops_of(const Request& r, const Estimate& work) const {
    const double own = speeds_.value(key_of(r)).flops;
    return own > 0 ? own : flops_of_others(r, work, Others::alike);
}

/// The best known speed of a request's steps; 0 if none is known.
double Estimator::flops_of(const Request& r, const Estimate& work, Basis& basis) const {
    basis = Basis::measured;
    if (const double measured = measured_flops_of(r, work); measured > 0) return measured;
    basis = Basis::trial;
    const double trial = facts_.value(to_qstring(r.device.value_or(Device{}).name())).flops;
    if (trial > 0) return trial * share_of_products;
    const double others = flops_of_others(r, work, Others::any);
    basis = others > 0 ? Basis::measured : Basis::none;
    return others;
}

Estimator::Forecast Estimator::forecast(const Request& r, const Estimate& work) const {
    const Device device = r.device.value_or(Device{});
    return forecast(r, work, device.uses_host_memory() ? available_memory() : free_bytes(device));
}

Estimator::Forecast Estimator::forecast(const Request& r, const Estimate& work, quint64 available_bytes) const {
    Forecast f;
    const auto speed = speeds_.constFind(key_of(r));
    const bool same_model = speed != speeds_.constEnd();
    const double flops = flops_of(r, work, f.basis);
    const Device device = r.device.value_or(Device{});
    const QString name = to_qstring(device.name());
    if (!device.uses_host_memory()) f.issue = facts_.value(name).issue;
    if (flops > 0) {
        f.denoise = work.flop / flops;
        f.step_seconds = step_flop(r, work) / flops;
        f.whole = same_model && speed->decode_pixels > 0;
        if (same_model) {
            const PictureWork pictures = picture_work(r);
            const auto seconds = [](double amount, double each) { return each > 0 ? amount / each : 0; };
            const Loaded last = loaded_.value(name);
            f.load = last.again && last.model == model_of(r) ? *last.again
                                                             : seconds(double(work.weight_bytes), speed->load_bytes);
            f.prompt = speed->prompt_seconds;
            f.image = seconds(pictures.encoded(), speed->encode_pixels);
            f.decode = seconds(pictures.decoded(), speed->decode_pixels);
            f.before = f.load + f.prompt + seconds(pictures.encoded_first, speed->encode_pixels);
            f.after = seconds(pictures.decoded_last, speed->decode_pixels);
        }
        f.seconds = f.load + f.prompt + f.image + f.denoise + f.decode;
    }
    f.peak_bytes = device.uses_host_memory() ? work.peak_bytes : work.steps_bytes;
    f.least_bytes = work.least_bytes;
    f.available_bytes = available_bytes;
    if (f.available_bytes > 0) {
        f.fits = f.peak_bytes <= f.available_bytes;
        f.possible = f.least_bytes <= f.available_bytes;
        if (!f.fits) f.changes = changes_for(r, work, f.peak_bytes, double(f.available_bytes), f.possible);
    }
    f.text = text_of(f, device);
    return f;
}

QString Estimator::text_of(const Forecast& f, const Device& device) {
    const QString memory = bytes_text(double(f.peak_bytes)), available = bytes_text(double(f.available_bytes));
    if (!f.possible)
        return tr("too large: needs %1 at least, %2 are free").arg(bytes_text(double(f.least_bytes)), available);
    const bool known = f.seconds >= 0;
    QString time = tr("time is known after the first run");
    if (known) time = tr("≈ %1").arg(duration_text(f.seconds));
    // If decoding was never measured, the time does not contain it.
    const auto whole = [&](const QString& text) {
        return known && f.decode <= 0 ? tr("%1, then decoding").arg(text) : text;
    };
    if (f.available_bytes == 0) return tr("%1 · needs %2").arg(whole(time), memory); // not known how much there is
    if (f.fits) return tr("%1 · %2 fits").arg(whole(time), memory);
    const QString needs =
        (device.uses_host_memory() ? tr("needs %1 of %2: weights are read again in every step")
                                   : tr("needs %1 of %2: weights come from this machine's memory in every step"))
            .arg(memory, available);
    return QStringLiteral("%1 · %2").arg(whole(known ? tr("%1 or more").arg(time) : time), needs);
}

void Estimator::learn(const RunRecord& record, const Estimate& work) {
    const Request& r = record.request;
    double load = 0, prompt = 0, image = 0, denoise = 0, decode = 0;
    for (const auto& [stage, seconds] : record.stages) {
        const QString name = to_qstring(stage);
        (name.startsWith(QLatin1String("load")) ? load
         : name == QLatin1String("denoise")     ? denoise
         : name == QLatin1String("decode")      ? decode
         : name == QLatin1String("image")       ? image
                                                : prompt) += seconds;
    }
    const PictureWork pictures = picture_work(r);
    Speed& speed = speeds_[key_of(r)];
    if (denoise > 0) {
        speed.flops = followed(speed.flops, work.flop / denoise);
        speed.step_flop = step_flop(r, work);
    }
    if (image > 0) speed.encode_pixels = followed(speed.encode_pixels, pictures.encoded() / image);
    if (decode > 0) speed.decode_pixels = followed(speed.decode_pixels, pictures.decoded() / decode);
    // If the run before used this model, the weights were in memory already, and this is not the speed of reading them.
    Loaded& last = loaded_[to_qstring(r.device.value_or(Device{}).name())];
    const QString model = model_of(r);
    if (last.model == model) {
        last.again = load;
    } else {
        last = {model, std::nullopt};
        if (load > 0) speed.load_bytes = speed_followed(speed.load_bytes, double(work.weight_bytes), load);
    }
    if (prompt > 0) speed.prompt_seconds = followed(speed.prompt_seconds, prompt);
    save();
    emit changed();
}

Estimator::Facts Estimator::look_into(const Device& device) {
    Facts out;
    std::shared_ptr<Backend> backend;
    const bool card = !device.uses_host_memory();
    try {
        backend = open_backend(device);
        if (card) out.free_bytes = backend->free_memory();
    } catch (...) {
        out.issue = Issue::from_current_exception();
        return out;
    }
    try {
        out.flops = measured_flops(*backend, card);
        keep_open(std::move(backend)); // for the first run
    } catch (const std::exception&) {  // a full card, of which only the free memory is known
    }
    return out;
}

void Estimator::look_at(const Device& device) {
    const auto ran = [start = to_qstring(device.name()) + QLatin1Char('|')](const QString& key) {
        return key.startsWith(start);
    };
    if (!device.uses_host_memory() || std::ranges::none_of(speeds_.keys(), ran)) look_into_anew(device);
}

void Estimator::look_at(const Request& r, const Estimate& work) {
    const Device device = r.device.value_or(Device{});
    if (device.uses_host_memory() && measured_flops_of(r, work) <= 0) look_into_anew(device);
}

void Estimator::look_into_anew(const Device& device) {
    const QString name = to_qstring(device.name());
    const auto known = facts_.constFind(name);
    if (known != facts_.constEnd() && known->issue.isEmpty()) return; // known, or being looked into
    facts_.insert(name, {});
    ++looking_;
    thread_.put([this, device, name] {
        QMetaObject::invokeMethod(this, [this, name, found = look_(device)] {
            facts_.insert(name, found);
            --looking_;
            emit changed();
        });
    });
}

Issue Estimator::issue(const Device& device) const { return facts_.value(to_qstring(device.name())).issue; }

quint64 Estimator::free_bytes(const Device& device) const { return facts_.value(to_qstring(device.name())).free_bytes; }

void Estimator::load() {
    Issue issue;
    read_own_file(saver_->path(), issue, [&](const std::string& text) {
        const Json json = parse_json(text, saver_->path().string());
        if (!json.is_object()) throw Error(saver_->path().string(), {}, "holds no object");
        for (const auto& item : json.items()) {
            const Json& value = item.value();
            const auto number = [&](const char* name) {
                const auto it = value.find(name);
                return value.is_object() && it != value.end() && it->is_number() ? std::max(0.0, it->get<double>())
                                                                                 : 0.0;
            };
            speeds_[to_qstring(item.key())] = {.flops = number("flops"),
                                               .step_flop = number("step_flop"),
                                               .encode_pixels = number("encode_pixels"),
                                               .decode_pixels = number("decode_pixels"),
                                               .load_bytes = number("load_bytes"),
                                               .prompt_seconds = number("prompt_seconds")};
        }
    });
}

void Estimator::save() {
    Json json = Json::object();
    for (auto it = speeds_.constBegin(); it != speeds_.constEnd(); ++it)
        json[it.key().toStdString()] = {{"flops", it->flops},
                                        {"step_flop", it->step_flop},
                                        {"encode_pixels", it->encode_pixels},
                                        {"decode_pixels", it->decode_pixels},
                                        {"load_bytes", it->load_bytes},
                                        {"prompt_seconds", it->prompt_seconds}};
    saver_->save(json.dump(1) + "\n");
}

} // namespace denoir::app
