// SPDX-License-Identifier: Apache-2.0
#include "engine/models/wan/vae.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "engine/core/error.h"
#include "engine/models/wan/vae_layers.h"

namespace denoir::wan {
namespace {

using vae::Memory;
using vae::Stream;
using Level = VaeConfig::Level;

Module at(const Weights& weights, const std::string& prefix) { return Module(weights, prefix); }

/// The module of a whole level in the nested naming (2.2): two names above its first block.
std::string level_name(const Level& l) {
    const std::string& block = l.blocks.front();
    return block.substr(0, block.rfind('.', block.rfind('.') - 1));
}

/// Normalises one channel of the latent to the mean 0 and standard deviation 1 that the transformer sees, and back.
class Normalisation {
public:
    Normalisation(const VaeConfig& config, std::int64_t channel)
        : mean_(config.mean[static_cast<std::size_t>(channel)]),
          scale_(1.0f / config.std[static_cast<std::size_t>(channel)]) {}
    float normalised(float v) const { return (v - mean_) * scale_; }
    float denormalised(float v) const { return v / scale_ + mean_; }

private:
    float mean_, scale_;
};

// Layouts -----------------------------------------------------------------------------------------------------------

/// [3, H, W] -> [H/p, W/p, 3·p·p]; channel c·p·p + (column in the cell)·p + (row in the cell) (spec/vae22.md 3)
Tensor to_channels_last(Backend& backend, const Tensor& frame, std::int64_t patch, DType dtype) {
    const std::int64_t height = frame.size(1) / patch, width = frame.size(2) / patch;
    Tensor out = backend.empty({height, width, frame.size(0), patch, patch}, dtype);
    ops::copy(nn::on(backend, frame).split(2, patch).split(1, patch).permute({1, 3, 0, 4, 2}),
              out); // from [3, h, p rows, w, p columns]
    return out.reshape({height, width, frame.size(0) * patch * patch});
}

/// [h, w, 3·p·p] -> [3, h·p, w·p] f32
Tensor to_image(Backend& backend, const Tensor& x, std::int64_t patch) {
    const std::int64_t height = x.size(0), width = x.size(1), colours = x.size(2) / (patch * patch);
    Tensor image = backend.empty({colours, height, patch, width, patch}, DType::f32);
    ops::copy(x.split(2, patch * patch).split(3, patch).permute({2, 0, 4, 1, 3}),
              image); // from [h, w, 3, p columns, p rows]
    return image.reshape({colours, height * patch, width * patch});
}

/// Stores mean [z, h, w] f32 host as latent frame t of an encoded video of `frames` latent frames.
void store_latent_frame(const VaeConfig& config, const Tensor& mean, std::int64_t t, std::int64_t frames,
                        Vae::Encoded& out) {
    const std::int64_t area = mean.size(1) * mean.size(2);
    if (!out.mean.defined()) {
        out.mean = Tensor::host({config.z, frames, mean.size(1), mean.size(2)});
        out.latent = Tensor::host(out.mean.shape());
    }
    for (std::int64_t c = 0; c < config.z; ++c) {
        const Normalisation n(config, c);
        const float* in = mean.data<float>() + c * area;
        const std::int64_t place = (c * frames + t) * area;
        for (std::int64_t i = 0; i < area; ++i) {
            out.mean.data<float>()[place + i] = in[i];
            out.latent.data<float>()[place + i] = n.normalised(in[i]);
        }
    }
}

/// Frame t of latent [z, T, h, w] f32 host, denormalised -> [h, w, z] on the backend.
Tensor load_latent_frame(Backend& backend, const VaeConfig& config, const Tensor& latent, std::int64_t t, DType dtype) {
    const std::int64_t height = latent.size(2), width = latent.size(3);
    Tensor frame = Tensor::host({config.z, height, width});
    const Tensor in = latent.select(1, t);
    for (std::int64_t c = 0; c < config.z; ++c) {
        const Normalisation n(config, c);
        for (std::int64_t i = 0; i < height * width; ++i)
            frame.data<float>()[c * height * width + i] = n.denormalised(in.data<float>()[c * in.stride(0) + i]);
    }
    Tensor channels_last = backend.empty({height, width, config.z}, dtype);
    ops::copy(backend.upload(frame).permute({1, 2, 0}), channels_last);
    return channels_last;
}

/// Copies strip [3, rows, W] f32 to the rows of frame [3, H, W] from `top` on; both on the host.
void put_strip(const Tensor& strip, std::int64_t top, const Tensor& frame) {
    const Tensor place = frame.slice(1, top, top + strip.size(1));
    for (std::int64_t c = 0; c < 3; ++c)
        from_f32(frame.dtype(), strip.select(0, c).data<float>(), place.select(0, c).raw(),
                 strip.size(1) * strip.size(2));
}

/// Results on their way to the host. Each is handed to the sink only after the copy of the next one was started, so
/// that a device need not wait for the host between two frames.
class Arrivals {
public:
    using Sink = std::function<void(const Tensor& host)>;
    Arrivals(Backend& backend, Sink sink) : backend_(backend), sink_(std::move(sink)) {}
    void push(const Tensor& x) {
        Tensor next = backend_.download_later(x);
        hand_over();
        waiting_ = std::move(next);
    }
    /// Hands over the last result. To be called after the last push.
    void hand_over() {
        if (!waiting_.defined()) return;
        backend_.finish(waiting_);
        sink_(std::exchange(waiting_, {}));
    }

private:
    Backend& backend_;
    Sink sink_;
    Tensor waiting_;
};

/// Frames are stored as bf16 to save memory; the arithmetic is bf16 only where that is faster.
Stream vae_stream(Backend& backend, DType dtype, const Vae::Options& options, nn::Probe* probe) {
    return {backend, dtype, backend.fast_bf16() ? dtype : DType::f32, options.tf32, probe, false, {}};
}

/// Returns free memory to the system before the next level starts: levels differ in size, so that blocks freed by one
/// rarely fit the next. Small amounts are kept: returning them took a tenth of the time and saved a twentieth of the
/// memory.
void trim(Backend& backend) {
    constexpr std::size_t little = std::size_t{256} << 20;
    if (backend.keeps_memory()) return;
    const Backend::MemoryStats memory = backend.memory();
    if (memory.held > little && memory.held - memory.in_use > memory.in_use / 128 + (std::size_t{8} << 20))
        backend.trim();
}

// Encoder (spec/vae21.md 3.1, spec/vae22.md 5) ----------------------------------------------------------------------

class Encoder {
public:
    using Sink = std::function<void(const Tensor& moments)>; ///< [h, w, 2z]
    Encoder(const Weights& weights, const VaeConfig& config, Stream stream, Sink sink)
        : weights_(weights), config_(config), stream_(std::move(stream)), sink_(std::move(sink)) {}

    /// Takes the next frame x [H, W, C]. The first frame, and then every temporal() frames, reach the sink as one.
    void push(const Tensor& x) {
        level(0, vae::steady(stream_, "encoder.conv1", 2, x,
                             [&] { return vae::causal_conv(conv("encoder.conv1"), stream_, x); }));
    }

private:
    Module conv(const std::string& prefix) const { return at(weights_, prefix); }

    void level(std::size_t index, const Tensor& x) {
        if (index == config_.encoder.size()) return finish(x);
        const Level& l = config_.encoder[index];
        trim(stream_.backend);
        Tensor y = x;
        for (const std::string& block : l.blocks) y = vae::residual_block(at(weights_, block), stream_, std::move(y));
        if (!l.resample.empty()) y = vae::downsample(at(weights_, l.resample), stream_, y);
        if (l.temporal) y = vae::halve_frames(at(weights_, l.resample), stream_, y);
        if (config_.shortcuts) y = add_shortcut(l, x, y);
        if (y.defined() && config_.shortcuts) stream_.tell(at(weights_, level_name(l)), "", y);
        if (y.defined()) level(index + 1, y);
    }

    /// The sum of main branch and shortcut; undefined if `main` is, for the first frame of a pair, which waits for the
    /// second.
    Tensor add_shortcut(const Level& l, const Tensor& x, const Tensor& main) {
        Memory& memory = stream_.memory[l.blocks.front() + ".shortcut"];
        std::array<Tensor, 2> pair{memory.past[0], x};
        memory.past[0] = main.defined() ? Tensor{} : x;
        if (!main.defined()) return {};
        // `main` repeats only when the frames that both branches read repeat, so that looking at it alone is enough.
        return vae::steady(stream_, l.blocks.front() + ".sum", 0, main, [&] {
            const std::span<const Tensor> frames =
                l.temporal ? std::span<const Tensor>(pair) : std::span<const Tensor>(&pair[1], 1);
            return ops::add(main, vae::average_down(stream_, frames, l.resample.empty() ? 1 : 2, l.out), stream_.dtype);
        });
    }

    void finish(const Tensor& x) {
        const Tensor y = vae::head(conv("encoder.head"), stream_, vae::middle(conv("encoder.middle"), stream_, x));
        sink_(vae::pointwise(conv("conv1"), stream_, y));
    }

    const Weights& weights_;
    const VaeConfig& config_;
    Stream stream_;
    Sink sink_;
};

// Decoder (spec/vae21.md 3.2, spec/vae22.md 6) ----------------------------------------------------------------------

struct Rows {
    std::int64_t begin, end;
    std::int64_t count() const { return end - begin; }
};

/// The rows that must enter each level so that rows `out` of the last level come out exact. At a cut edge a convolution
/// sees zeros in place of the rest of the picture, so that each one spoils one more row there. Spoiled rows are cut
/// away: each level takes a smaller range than the one before, and `out` is the smallest.
std::vector<Rows> rows_needed(const VaeConfig& config, std::int64_t latent_rows, Rows out) {
    const std::size_t levels = config.decoder.size();
    std::vector<Rows> needed(levels);
    for (std::size_t l = levels; l-- > 0;) {
        const bool last = l + 1 == levels;
        if (!last)
            // The upsampling's convolution needs one more row on either side, and its input has half as many rows.
            out = {(needed[l + 1].begin - 1) >> 1, (needed[l + 1].end + 2) >> 1};
        const std::int64_t reach = 2 * std::ssize(config.decoder[l].blocks) + (last ? 1 : 0), all = latent_rows << l;
        // The first row is even, since a device may compute pairs of rows together.
        needed[l] = {std::max<std::int64_t>(0, out.begin - reach) / 2 * 2, std::min(all, out.end + reach)};
    }
    return needed;
}

class Decoder {
public:
    using Sink = std::function<void(const Tensor& frame)>; ///< [rows, W, 3·p·p]
    /// Computes `rows` of the last level's grid.
    Decoder(const Weights& weights, const VaeConfig& config, Stream stream, std::int64_t latent_rows, Rows rows,
            Sink sink)
        : weights_(weights),
          config_(config),
          stream_(std::move(stream)),
          rows_(rows),
          needed_(rows_needed(config, latent_rows, rows)),
          sink_(std::move(sink)) {}

    /// Takes the next latent frame [h, w, z], denormalised. The sink gets one frame for the first, temporal() for each
    /// later one.
    void push(const Tensor& z) {
        stream_.side_by_side = false;
        Tensor x = vae::pointwise(at(weights_, "conv2"), stream_, z);
        x = vae::causal_conv(at(weights_, "decoder.conv1"), stream_, std::move(x));
        level(0, vae::middle(at(weights_, "decoder.middle"), stream_, std::move(x)), 0);
    }

private:
    /// `x` starts at row `top` of this level's grid. Depth first: each frame reaches the sink before the next is
    /// computed.
    void level(std::size_t index, Tensor x, std::int64_t top) {
        const Level& l = config_.decoder[index];
        const Rows rows = needed_[index];
        trim(stream_.backend);
        if (x.size(0) != rows.count()) x = ops::contiguous(x.slice(0, rows.begin - top, rows.end - top));
        const Tensor entered = config_.shortcuts && !l.resample.empty() ? x : Tensor{};
        // Only at the last level, whose frames are the largest: gathering three frames for each convolution would take
        // about a fifth of its time there (estimated). The other levels would save less than the three arrangements of
        // the weights cost.
        stream_.side_by_side = l.resample.empty();
        for (const std::string& block : l.blocks) x = vae::residual_block(at(weights_, block), stream_, std::move(x));
        if (l.resample.empty()) return finish(x, rows.begin);

        const Module resample = at(weights_, l.resample);
        std::vector<Tensor> frames{x};
        if (l.temporal) frames = vae::double_frames(resample, stream_, std::move(x));
        x = {};
        const int factor = l.temporal ? 2 : 1;
        const int skipped =
            factor - static_cast<int>(frames.size()); // the first frame does not double: its first copy is dropped
        for (std::size_t i = 0; i < frames.size(); ++i) {
            Tensor y = vae::upsample(resample, stream_, std::exchange(frames[i], {}));
            if (entered.defined())
                y = ops::add(y, vae::duplicate_up(stream_, entered, l.out, skipped + static_cast<int>(i), factor),
                             stream_.dtype);
            if (entered.defined()) stream_.tell(at(weights_, level_name(l)), "", y);
            level(index + 1, std::move(y), rows.begin * 2);
        }
    }

    void finish(const Tensor& x, std::int64_t top) {
        const Tensor y = vae::head(at(weights_, "decoder.head"), stream_, x);
        sink_(y.slice(0, rows_.begin - top, rows_.end - top));
    }

    const Weights& weights_;
    const VaeConfig& config_;
    Stream stream_;
    Rows rows_;
    std::vector<Rows> needed_;
    Sink sink_;
};

Rows strip(std::int64_t rows, int index, int strips) { return {rows * index / strips, rows * (index + 1) / strips}; }

void append_residual(std::vector<std::string>& names, const std::string& block, bool shortcut) {
    for (const int i : {0, 1, 2, 3, 6}) {
        if (i == 2 && shortcut) names.push_back(block + ".shortcut");
        names.push_back(fmt::format("{}.residual.{}", block, i));
        if (i == 3) names.push_back(block + ".residual.4");
    }
    names.push_back(block);
}

void append_middle(std::vector<std::string>& names, const std::string& m) {
    append_residual(names, m + ".0", false);
    for (const char* leaf : {".1.norm", ".1.to_qkv", ".1.proj.input", ".1.proj", ".1"}) names.push_back(m + leaf);
    append_residual(names, m + ".2", false);
}

void append_level(std::vector<std::string>& names, const Level& l) {
    for (std::size_t i = 0; i < l.blocks.size(); ++i)
        append_residual(names, l.blocks[i], (i == 0 ? l.in : l.width) != l.width);
}

void append_head(std::vector<std::string>& names, const std::string& head) {
    for (const char* leaf : {".0", ".1", ".2"}) names.push_back(head + leaf);
}

} // namespace

std::vector<std::string> encoder_layer_names(const VaeConfig& c) {
    std::vector<std::string> names{"encoder.conv1"};
    for (const Level& l : c.encoder) {
        append_level(names, l);
        if (!l.resample.empty()) names.push_back(l.resample + ".resample.1");
        if (l.temporal) names.push_back(l.resample + ".time_conv");
        if (c.shortcuts) names.push_back(level_name(l));
    }
    append_middle(names, "encoder.middle");
    append_head(names, "encoder.head");
    names.emplace_back("conv1");
    return names;
}

std::vector<std::string> decoder_layer_names(const VaeConfig& c) {
    std::vector<std::string> names{"conv2", "decoder.conv1"};
    append_middle(names, "decoder.middle");
    for (const Level& l : c.decoder) {
        append_level(names, l);
        if (l.temporal) names.push_back(l.resample + ".time_conv");
        if (!l.resample.empty()) names.push_back(l.resample + ".resample.1");
        if (c.shortcuts && !l.resample.empty()) names.push_back(level_name(l));
    }
    append_head(names, "decoder.head");
    return names;
}

Vae::Vae(std::shared_ptr<const Weights> weights, std::shared_ptr<Backend> backend, Options options)
    : weights_(std::move(weights)),
      backend_(std::move(backend)),
      config_(VaeConfig::read(*weights_)),
      options_(options) {
    if (options_.strips < 1) throw UsageError({}, "strips", "must be at least 1", {});
}

/// The type in which a causal state of so many values is kept.
DType Vae::storage(std::int64_t values) const {
    return static_cast<std::size_t>(values) * sizeof(float) > options_.bf16_above ? options_.dtype : DType::f32;
}

Vae::Encoded Vae::encode(const FrameSource& source, std::int64_t frames, std::int64_t height, std::int64_t width,
                         nn::Probe* probe) const {
    // The shortcuts of 2.2 join pairs of neighbouring pixels at every level, so that sizes must divide; 2.1 drops the
    // rest.
    const std::int64_t unit = config_.spatial(), patch = config_.patch, grain = patch > 1 ? unit : 1;
    const std::string hint = fmt::format("use sizes in multiples of {}", unit);
    if (frames < 1) throw Error({}, "video", "holds no frames", "give one or more");
    if (height < unit || width < unit)
        throw Error({}, "video", fmt::format("{}x{} pixels are fewer than {}x{}", width, height, unit, unit), hint);
    if (height % grain || width % grain)
        throw Error({}, "video", fmt::format("{}x{} pixels are not whole latents of {}x{}", width, height, unit, unit),
                    hint);
    const std::int64_t latent_frames = config_.latent_frames(frames);
    Encoded result;
    std::int64_t done = 0;
    Arrivals arrivals(*backend_,
                      [&](const Tensor& mean) { store_latent_frame(config_, mean, done++, latent_frames, result); });
    const DType dtype = storage(config_.encoder_state(height, width));
    Stream stream = vae_stream(*backend_, dtype, options_, probe);
    Encoder encoder(*weights_, config_, std::move(stream), [&](const Tensor& moments) {
        const Tensor means = moments.slice(2, 0, config_.z).permute({2, 0, 1});
        Tensor dense = backend_->empty(means.shape(), DType::f32);
        ops::copy(means, dense);
        arrivals.push(dense);
    });
    Tensor grey; // one tensor for all zero frames: vae::steady recognises it when it comes again
    for (std::int64_t i = 0; i < config_.frames(latent_frames); ++i) {
        const Tensor frame = source(i);
        if (frame.defined()) {
            assert((frame.shape() == Shape{3, height, width}));
            encoder.push(to_channels_last(*backend_, frame, patch, dtype));
            continue;
        }
        if (!grey.defined()) {
            grey = backend_->empty({height / patch, width / patch, 3 * patch * patch}, dtype);
            backend_->fill(grey, 0.0f);
        }
        encoder.push(grey);
    }
    arrivals.hand_over();
    return result;
}

Vae::Encoded Vae::encode(const Tensor& video) const {
    if (video.rank() != 4 || video.size(0) != 3 || video.dtype() != DType::f32)
        throw Error({}, "video",
                    fmt::format("{} must be f32 of shape [3, frames, height, width]", to_string(video.shape())), {});
    return encode([&](std::int64_t i) { return ops::contiguous(nn::on(*backend_, video.select(1, i))); }, video.size(1),
                  video.size(2), video.size(3));
}

void Vae::decode(const Tensor& latent, const FrameSink& sink, nn::Probe* probe) const {
    if (latent.rank() != 4 || latent.size(0) != config_.z || latent.dtype() != DType::f32 || latent.elements() < 1)
        throw Error(
            {}, "latent",
            fmt::format("{} must be f32 of shape [{}, frames, height, width]", to_string(latent.shape()), config_.z),
            {});
    const Tensor host = nn::host_f32(latent);
    const std::int64_t height = latent.size(2), width = latent.size(3), rows = height << (config_.decoder.size() - 1);

    const DType dtype = storage(config_.decoder_state(height, width));
    const auto run = [&](Rows part, const Decoder::Sink& image_sink) {
        Arrivals arrivals(*backend_, [&](const Tensor& image) {
            if (options_.clamp)
                for (float& v : image.span<float>()) v = std::clamp(v, -1.0f, 1.0f);
            image_sink(image);
        });
        Stream stream = vae_stream(*backend_, dtype, options_, probe);
        Decoder decoder(*weights_, config_, std::move(stream), height, part,
                        [&](const Tensor& x) { arrivals.push(to_image(*backend_, x, config_.patch)); });
        for (std::int64_t t = 0; t < latent.size(1); ++t)
            decoder.push(load_latent_frame(*backend_, config_, host, t, dtype));
        arrivals.hand_over();
    };
    std::int64_t index = 0;
    const int strips = probe ? 1 : static_cast<int>(std::min<std::int64_t>(options_.strips, rows));
    if (strips == 1) return run({0, rows}, [&](const Tensor& image) { sink(index++, image); });

    // Frames wait for their last strip. If the state is bf16, so is the last convolution's result, and keeping frames
    // in that type loses nothing.
    const std::int64_t image_width = width * config_.spatial();
    std::vector<Tensor> frames(static_cast<std::size_t>(config_.frames(latent.size(1))));
    for (int i = 0; i < strips; ++i) {
        const Rows part = strip(rows, i, strips);
        index = 0;
        run(part, [&](const Tensor& image) {
            Tensor& frame = frames[static_cast<std::size_t>(index++)];
            if (!frame.defined()) frame = Tensor::host({3, rows * config_.patch, image_width}, dtype);
            put_strip(image, part.begin * config_.patch, frame);
        });
    }
    for (index = 0; index < std::ssize(frames); ++index)
        sink(index, std::exchange(frames[static_cast<std::size_t>(index)], {}).to_host_f32());
}

Tensor Vae::decode(const Tensor& latent) const {
    Tensor video;
    decode(latent, [&](std::int64_t index, const Tensor& frame) {
        if (!video.defined()) video = Tensor::host({3, config_.frames(latent.size(1)), frame.size(1), frame.size(2)});
        for (std::int64_t c = 0; c < 3; ++c) {
            const std::span<const float> plane = frame.select(0, c).span<float>();
            std::copy(plane.begin(), plane.end(), video.select(0, c).select(0, index).data<float>());
        }
    });
    return video;
}

} // namespace denoir::wan
