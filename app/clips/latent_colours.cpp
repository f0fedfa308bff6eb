// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/clips/latent_colours.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "engine/core/atomic_file.h"
#include "engine/core/file.h"
#include "engine/core/json.h"
#include "engine/core/own_folders.h"
#include "engine/core/units.h"
#include "engine/pipeline/variant.h"
#include "engine/session/model_lookup.h"
#include "engine/session/run_folder.h"
#include "engine/session/sha256.h"
#include "engine/weights/model_folder.h"

namespace denoir::app {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t file_limit = 1 << 20;
constexpr std::uintmax_t hashed_bytes = 64 << 20; ///< larger VAEs are recognised by their sizes
constexpr int most_channels = 256;

std::mutex file_mutex;

/// Mean colour of a block of pixels for each latent pixel, over the frames [first, last].
std::vector<std::array<double, 3>> mean_colours(const std::vector<Image>& frames, int first, int last, int h, int w) {
    std::vector<std::array<double, 3>> means(static_cast<std::size_t>(h) * static_cast<std::size_t>(w));
    for (int f = first; f <= last; ++f) {
        const Image& image = frames[static_cast<std::size_t>(f)];
        const int step = image.height / h;
        for (int y = 0; y < h * step; ++y)
            for (int x = 0; x < w * step; ++x) {
                auto& mean = means[static_cast<std::size_t>(y / step * w + x / step)];
                const std::uint8_t* p = image.row(y) + 3 * x;
                for (std::size_t c = 0; c < 3; ++c) mean[c] += p[c];
            }
    }
    const int step = frames[static_cast<std::size_t>(first)].height / h;
    const double scale = 1.0 / (255.0 * step * step * (last - first + 1));
    for (auto& mean : means)
        for (double& v : mean) v *= scale;
    return means;
}

/// Solves the symmetric positive definite system a x = b for three right-hand sides, in place (Cholesky).
void solve(std::vector<double>& a, std::vector<std::array<double, 3>>& b) {
    const std::size_t n = b.size();
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = a[i * n + j];
            for (std::size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
            a[i * n + j] = i == j ? std::sqrt(std::max(sum, 1e-12)) : sum / a[j * n + j];
        }
    for (std::size_t c = 0; c < 3; ++c) {
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < i; ++k) b[i][c] -= a[i * n + k] * b[k][c];
            b[i][c] /= a[i * n + i];
        }
        for (std::size_t i = n; i-- > 0;) {
            for (std::size_t k = i + 1; k < n; ++k) b[i][c] -= a[k * n + i] * b[k][c];
            b[i][c] /= a[i * n + i];
        }
    }
}

float value_at(const Tensor& latent, std::int64_t c, std::int64_t t, std::int64_t y, std::int64_t x) {
    return latent
        .data<float>()[c * latent.stride(0) + t * latent.stride(1) + y * latent.stride(2) + x * latent.stride(3)];
}

Json to_json(const LatentColours& colours) {
    Json factors = Json::array();
    for (const auto& f : colours.factors) factors.push_back({f[0], f[1], f[2]});
    return {{"factors", factors}, {"bias", {colours.bias[0], colours.bias[1], colours.bias[2]}}};
}

/// Empty if a value is missing or is no number, as the file may have been edited.
std::optional<LatentColours> from_json(const Json& json) {
    const auto triple = [](const Json& j, std::array<float, 3>& out) {
        if (!j.is_array() || j.size() != 3) return false;
        for (std::size_t c = 0; c < 3; ++c) {
            if (!j[c].is_number() || !(std::abs(j[c].get<double>()) < 1e3)) return false;
            out[c] = j[c].get<float>();
        }
        return true;
    };
    if (!json.is_object() || !json.contains("factors") || !json.contains("bias")) return {};
    LatentColours colours;
    if (!triple(json["bias"], colours.bias) || !json["factors"].is_array() || json["factors"].size() > most_channels)
        return {};
    for (const Json& row : json["factors"])
        if (!triple(row, colours.factors.emplace_back())) return {};
    return colours;
}

Json read_json(const fs::path& file) {
    try {
        const Json json = parse_json(read_text(file, file_limit), file.string());
        return json.is_object() ? json : Json::object();
    } catch (const Error&) {
        return Json::object();
    }
}

fs::path learned_file() { return cache_folder() / "preview_factors.json"; }

std::optional<ModelFolder> model_of(const Request& r) {
    try {
        return ModelFolder::open(find_model(r.model), r.parts);
    } catch (const Error&) {
        return {};
    }
}

/// The file that holds the VAE; empty if there is none.
fs::path vae_file(const Request& r) {
    const auto model = model_of(r);
    return model && !model->vae.empty() ? model->vae.front() : fs::path();
}

/// Identifies a VAE's file in its present state, for learned maps.
std::string key_of(const fs::path& file) {
    std::error_code code;
    const auto bytes = fs::file_size(file, code);
    const auto time = fs::last_write_time(file, code).time_since_epoch().count();
    return fs::weakly_canonical(file, code).string() + " " + std::to_string(bytes) + " " + std::to_string(time);
}

/// Statistics of a latent's channels over all its positions.
struct Statistics {
    std::vector<double> mean, covariance; ///< [C], [C, C]
};

Statistics statistics_of(const Tensor& latent) {
    const auto channels = static_cast<std::size_t>(latent.size(0));
    std::vector<double> mean(channels, 0), covariance(channels * channels, 0), v(channels);
    const auto each = [&](auto&& body) {
        for (std::int64_t t = 0; t < latent.size(1); ++t)
            for (std::int64_t y = 0; y < latent.size(2); ++y)
                for (std::int64_t x = 0; x < latent.size(3); ++x) {
                    for (std::size_t c = 0; c < channels; ++c)
                        v[c] = value_at(latent, static_cast<std::int64_t>(c), t, y, x);
                    body();
                }
    };
    const auto count = static_cast<double>(latent.elements()) / static_cast<double>(channels);
    each([&] {
        for (std::size_t c = 0; c < channels; ++c) mean[c] += v[c] / count;
    });
    each([&] {
        for (std::size_t i = 0; i < channels; ++i)
            for (std::size_t j = 0; j < channels; ++j)
                covariance[i * channels + j] += (v[i] - mean[i]) * (v[j] - mean[j]) / count;
    });
    return {std::move(mean), std::move(covariance)};
}

constexpr double no_variance = 1e-12;

struct Direction {
    std::vector<double> unit; ///< [C], of length 1
    double variance = 0;      ///< along it; below `no_variance` it is only noise
};

/// The direction in which the channels of a covariance [C, C] vary most, by power iteration.
Direction widest_direction(const std::vector<double>& covariance, std::size_t channels) {
    constexpr int turns = 100;
    Direction d{std::vector<double>(channels)};
    std::vector<double> next(channels);
    for (std::size_t c = 0; c < channels; ++c) d.unit[c] = 1 + 0.1 * static_cast<double>(c % 7); // not symmetric
    for (int turn = 0; turn < turns; ++turn) {
        double norm = 0;
        for (std::size_t i = 0; i < channels; ++i) {
            next[i] = 0;
            for (std::size_t j = 0; j < channels; ++j) next[i] += covariance[i * channels + j] * d.unit[j];
            norm += next[i] * next[i];
        }
        d.variance = std::sqrt(norm);
        if (d.variance < no_variance) break;
        for (std::size_t i = 0; i < channels; ++i) d.unit[i] = next[i] / d.variance;
    }
    return d;
}

} // namespace

QImage LatentColours::picture(const Tensor& latent, int frame) const {
    if (!fits(latent) || frame < 0 || frame >= latent.size(1)) return {};
    const auto h = static_cast<int>(latent.size(2)), w = static_cast<int>(latent.size(3));
    QImage out(w, h, QImage::Format_RGB32);
    const auto byte = [](float v) { return static_cast<int>(std::clamp(v, 0.0f, 1.0f) * 255.0f + 0.5f); };
    for (int y = 0; y < h; ++y) {
        auto* row = reinterpret_cast<QRgb*>(out.scanLine(y));
        for (int x = 0; x < w; ++x) {
            std::array<float, 3> rgb = bias;
            for (std::size_t c = 0; c < factors.size(); ++c) {
                const float v = value_at(latent, static_cast<std::int64_t>(c), frame, y, x);
                for (std::size_t k = 0; k < 3; ++k) rgb[k] += factors[c][k] * v;
            }
            row[x] = qRgb(byte(rgb[0]), byte(rgb[1]), byte(rgb[2]));
        }
    }
    return out;
}

std::optional<LatentColours> LatentColours::fit(const Tensor& latent, const std::vector<Image>& frames) {
    if (latent.rank() != 4 || frames.empty() || latent.size(0) > most_channels) return {};
    const auto channels = static_cast<std::size_t>(latent.size(0));
    const auto t = static_cast<int>(latent.size(1)), h = static_cast<int>(latent.size(2)),
               w = static_cast<int>(latent.size(3));
    const int step = frames.front().height / std::max(1, h);
    if (static_cast<int>(frames.size()) != video_frames(t) || step < 1 || frames.front().height != h * step ||
        frames.front().width != w * step)
        return {};
    const std::size_t n = channels + 1; // the last one is the bias
    std::vector<double> a(n * n, 0);
    std::vector<std::array<double, 3>> b(n);
    std::vector<double> row(n, 1);
    for (int f = 0; f < t; ++f) {
        const auto colours = mean_colours(frames, first_frame_in(f), first_frame_in(f + 1) - 1, h, w);
        for (int y = 0; y < h; ++y)
            for (int x = 0; x < w; ++x) {
                for (std::size_t c = 0; c < channels; ++c)
                    row[c] = value_at(latent, static_cast<std::int64_t>(c), f, y, x);
                const auto& colour = colours[static_cast<std::size_t>(y * w + x)];
                for (std::size_t i = 0; i < n; ++i) {
                    for (std::size_t j = 0; j <= i; ++j) a[i * n + j] += row[i] * row[j];
                    for (std::size_t k = 0; k < 3; ++k) b[i][k] += row[i] * colour[k];
                }
            }
    }
    // A little is added to the diagonal, as some channels may not vary in a clip.
    for (std::size_t i = 0; i < channels; ++i) a[i * n + i] += 1e-3 * a[n * n - 1];
    solve(a, b);
    LatentColours out;
    out.factors.resize(channels);
    for (std::size_t c = 0; c < channels; ++c)
        for (std::size_t k = 0; k < 3; ++k) out.factors[c][k] = static_cast<float>(b[c][k]);
    for (std::size_t k = 0; k < 3; ++k) out.bias[k] = static_cast<float>(b[channels][k]);
    return out;
}

LatentColours LatentColours::principal(const Tensor& latent) {
    LatentColours out;
    if (latent.rank() != 4 || latent.elements() == 0 || latent.size(0) > most_channels) return out;
    // How each of the three directions changes red, green and blue.
    constexpr std::array<std::array<double, 3>, 3> colours{{{1, 1, 1}, {0.6, 0, -0.6}, {0.3, -0.4, 0.3}}};
    constexpr double contrast = 0.2; // per standard deviation: black and white are 2.5 deviations from the mean
    auto [mean, covariance] = statistics_of(latent);
    const std::size_t channels = mean.size();
    out.factors.assign(channels, {0, 0, 0});
    for (const auto& colour : colours) {
        const auto [direction, variance] = widest_direction(covariance, channels);
        if (variance < no_variance) break;
        const double scale = contrast / std::sqrt(variance);
        for (std::size_t c = 0; c < channels; ++c)
            for (std::size_t k = 0; k < 3; ++k) {
                const double factor = direction[c] * scale * colour[k];
                out.factors[c][k] += static_cast<float>(factor);
                out.bias[k] -= static_cast<float>(factor * mean[c]);
            }
        for (std::size_t i = 0; i < channels; ++i)
            for (std::size_t j = 0; j < channels; ++j)
                covariance[i * channels + j] -= variance * direction[i] * direction[j];
    }
    return out;
}

bool learned_colours(const Request& r) {
    const fs::path file = vae_file(r);
    const std::lock_guard lock(file_mutex);
    return !file.empty() && read_json(learned_file()).contains(key_of(file));
}

std::optional<LatentColours> known_colours(const Request& r) try {
    const auto model = model_of(r);
    if (!model || model->vae.empty()) return {};
    const fs::path& file = model->vae.front();
    const Json scale = model->config.value("latents_std", Json());
    {
        const std::lock_guard lock(file_mutex);
        const Json learned = read_json(learned_file());
        if (const auto it = learned.find(key_of(file)); it != learned.end())
            if (auto colours = from_json(*it)) return colours;
    }
    const Json shipped = read_json(resources_folder() / "preview_factors.json");
    const auto entries = shipped.find("entries");
    if (entries == shipped.end() || !entries->is_array()) return {};
    std::error_code code;
    const std::uintmax_t bytes = fs::file_size(file, code);
    std::string hash;
    for (const Json& entry : *entries) {
        if (!entry.is_object()) continue;
        if (const auto it = entry.find("sha256"); it != entry.end() && it->is_string() && bytes <= hashed_bytes) {
            if (hash.empty()) hash = file_sha256(file);
            if (it->get<std::string>() == hash) return from_json(entry);
        }
        // A VAE whose decoder was trained further has the same latent space, recognised by its scaling.
        if (const auto it = entry.find("latents_std"); it != entry.end() && !scale.is_null() && *it == scale)
            return from_json(entry);
        // The published VAEs have 254 or 508 million bytes (Wan 2.1: bf16, f32), or 1.4 or 2.8 thousand million (Wan
        // 2.2), in any kind of file; the number of latent channels distinguishes them.
        if (entry.value("large", false) && bytes > std::uintmax_t{200} << 20)
            if (auto colours = from_json(entry);
                colours && colours->factors.size() == static_cast<std::size_t>(Variant::guess(*model).channels))
                return colours;
    }
    return {};
} catch (const std::exception&) { // a preview's colours are no reason to fail
    return {};
}

void remember_colours(const Request& r, const LatentColours& colours) {
    const fs::path file = vae_file(r);
    if (file.empty()) return;
    try {
        const std::lock_guard lock(file_mutex);
        Json all = read_json(learned_file());
        if (all.size() > 100) all = Json::object();
        all[key_of(file)] = to_json(colours);
        write_file(learned_file(), all.dump(1));
    } catch (const Error&) {
    }
}

} // namespace denoir::app
