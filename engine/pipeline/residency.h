// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "engine/weights/lora.h"
#include "engine/weights/weights.h"

namespace denoir {

/// Loaded weights and encoded prompts, kept from one stage or run of its owner to the next. Files that have changed are
/// loaded again. A released set of weights stays alive as long as a model holds it. Not thread-safe: belongs to the
/// engine thread.
class Residency {
public:
    enum class Span {
        run, ///< the owner does one run: what that no longer needs is released at once
        runs ///< the owner will run again: what fits easily is kept
    };
    explicit Residency(Span span = Span::run) : span_(span) {}
    bool lasting() const { return span_ == Span::runs; }

    /// The weights of `files`, loaded unless they are here already. Sets are told apart by files, `use` (whatever
    /// decides in which form a backend prepares them) and those of `loras` that are for `expert`. Throws Error.
    std::shared_ptr<const Weights> get(std::span<const std::filesystem::path> files, Component,
                                       std::string_view use = {}, std::span<const Lora> loras = {},
                                       Expert expert = Expert::none);
    /// Releases the sets of a component except one; vae21 stands for either VAE.
    void release(Component, const Weights* except = nullptr);
    /// Releases the sets that a backend has prepared copies of; those that are merely mapped cost nothing.
    void release_prepared(Component);
    std::size_t bytes() const; ///< of all sets, as stored

    /// An encoded prompt.
    struct Text {
        Tensor rows;      ///< [text_len, text_dim] f32 host
        bool cut = false; ///< the prompt was longer than text_len tokens
    };
    /// The text kept under `key`, if it is still here.
    std::optional<Text> text(const std::string& key);
    /// Keeps a text if lasting(), in place of the least recently used one if there are too many.
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
