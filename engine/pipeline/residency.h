// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "engine/weights/lora.h"
#include "engine/weights/weights.h"

namespace denoir {

/// Loaded weights and encoded prompts, kept for whatever its owner does one after another. A set that a model holds
/// stays alive until that model is gone. Files that have changed are loaded anew. Not thread-safe: belongs to the
/// engine thread.
class Residency {
public:
    enum class Span {
        run, ///< the owner does one run: what it no longer needs goes at once
        runs ///< the owner will run again: what there is plenty of room for stays
    };
    explicit Residency(Span span = Span::run) : span_(span) {}
    bool lasting() const { return span_ == Span::runs; }

    /// `use`: what a backend makes of them depends on it; the same files for another use are another set, and so are
    /// those with other `loras`, of which only those for `expert` count.
    std::shared_ptr<const Weights> get(std::span<const std::filesystem::path> files, Component,
                                       std::string_view use = {}, std::span<const Lora> loras = {},
                                       Expert expert = Expert::none);
    /// Forgets the sets of a component, but for one; with vae21 those of either VAE.
    void release(Component, const Weights* but = nullptr);
    /// Forgets the sets of which a backend keeps something; those that are only mapped cost nothing.
    void release_prepared(Component);
    std::size_t bytes() const; ///< of all sets, as stored

    /// The prompts encoded last, where `lasting`.
    struct Text {
        Tensor rows;      ///< [text_len, text_dim] f32 host
        bool cut = false; ///< was longer than text_len
    };
    std::optional<Text> text(const std::string& key);
    void keep_text(const std::string& key, const Text&);

private:
    struct Entry {
        std::string key, stamp;
        std::shared_ptr<const Weights> weights;
    };
    std::list<Entry> entries_;
    std::list<std::pair<std::string, Text>> texts_; ///< most recently used first
    Span span_;
};

} // namespace denoir
