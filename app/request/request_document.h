// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QHash>
#include <QObject>
#include <QStringList>
#include <QUndoStack>
#include <QVariant>
#include <chrono>
#include <memory>
#include <optional>

#include "app/base/issue.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/variant.h"

namespace denoir::app {

/// The request being edited. Fields are named by their key in the request's JSON: "prompt", "width", "steps", "model",
/// "image", "forcing.ar_step", …; request_values.h says which values they take, and an invalid value stands for the
/// model's default. Every edit is a command on the undo stack; a burst of edits of one field is one step. Defaults and
/// messages come from the engine on another thread, so that typing never waits for a model's headers. GUI thread.
class RequestDocument : public QObject {
    Q_OBJECT
public:
    /// Borrows the stack (the project's).
    explicit RequestDocument(QUndoStack& undo, QObject* parent = nullptr);
    ~RequestDocument() override;

    /// What the user set; everything else is empty. The prompt still has its wildcards.
    const Request& asked() const { return asked_; }
    /// The request with all defaults; empty while a field is wrong or the model is missing. Includes the newest edits
    /// once pending() is false.
    const std::optional<Request>& resolved() const { return resolved_; }
    const Estimate& estimate() const { return estimate_; } ///< of resolved()

    /// The value to show: the user's or the default; invalid if neither is known (yet).
    QVariant value(const QString& key) const;
    QVariant default_value(const QString& key) const; ///< for the chosen model and mode; invalid if not known (yet)
    bool is_changed(const QString& key) const;        ///< whether the user's value differs from the default
    bool has_value(const QString& key) const;         ///< whether the user set it
    Issue issue(const QString& key) const;            ///< what is wrong with this field; empty if nothing is
    QList<Issue> issues() const { return issues_; } ///< all of them; those of the model's parts have the field "model"
    bool valid() const { return resolved_.has_value() && !pending_; }
    bool pending() const { return pending_; } ///< whether defaults and messages are being renewed
    std::optional<Device> device() const;     ///< the user's or the default; empty if not known (yet)
    Mode mode() const;          ///< that of resolved(), the default or the user's, whichever is known first
    bool forcing_model() const; ///< whether the chosen model does diffusion forcing
    bool takes_image() const;   ///< whether the chosen model can start from an image
    bool takes_last_image() const;
    const Variant& variant() const; ///< of the chosen model, from its files' headers

    /// Sets a field as one undo step, which merges with the step before if that set the same key. Returns an issue, and
    /// changes nothing, for a value that the field can never have (a word for a number, 6 frames). Another model clears
    /// the fields that no control shows and that were meant for the model before: family and preprocess.
    Issue set_value(const QString& key, const QVariant& value);
    /// Settings::model_parts(), which are set together with a model that is chosen from now on.
    void set_model_parts(const QVariantMap& parts) { model_parts_ = parts; }
    /// Sets several fields as one undo step, such as width and height. If a value is refused, none is set.
    Issue set_values(const QVariantMap& values, const QString& label);
    void reset(const QString& key); ///< back to the default
    void reset_all();               ///< everything but prompts, images, model and LoRAs
    /// Takes over the parameters of a run or a video, as an undo step. Values stay set even if they are the model's
    /// defaults. Only a family that the model's files tell as well is cleared: it would be wrong for another model, and
    /// no control shows it.
    void restore(const Request& request, const QString& label, const QString& prompt_template = {});
    /// Restores the resolved request of a run, so that it makes the same again: a clip of diffusion forcing that was
    /// made in one window is made in one window again, even if a new clip of its length would be made in several.
    void restore_made(const Request& made, const QString& label, const QString& prompt_template = {});
    /// The same for a request that is to begin with the stored step that its `start` names.
    void restore_branch(const Request& branch, const QString& label);
    /// Replaces the request without an undo step, for loading a project.
    void load(const Request& request);
    /// The request to give to load() later: asked(), without a seed that is not locked.
    Request to_keep() const;
    /// The state before or after a step of the undo stack.
    struct State {
        Request request;
        bool seed_locked = false;
    };
    State state() const { return {asked_, seed_locked_}; }
    /// Adds an undo step that brings `before` back, after something else was loaded in its place.
    void replaced(const State& before, const QString& label);
    /// Makes the next edit an undo step of its own, as it is anyway after a pause of about a second.
    void settle();

    /// If false (the default), snapshot() draws a new seed. Typing a seed locks it, resetting it unlocks it, and
    /// undoing that restores the lock with the seed. Changing the lock alone is no undo step.
    bool seed_locked() const { return seed_locked_; }
    void set_seed_locked(bool locked);

    /// A request for the queue: with a seed, and with its wildcards resolved by that.
    struct Snapshot {
        Request request;
        QString prompt_template, negative_template; ///< the prompts with wildcards; empty if they have none
    };
    /// For several at once, `variation` counts from 0 and is added to a locked seed. A branch keeps its seed.
    Snapshot snapshot(int variation = 0) const;

    /// Blocks until defaults and messages are up to date, at most this long. Returns whether they are. For tests and
    /// --screenshot.
    bool wait_resolved(int milliseconds);
    /// Looks at the model again, for example because its folder changed.
    void refresh();

signals:
    void changed(const QStringList& keys); ///< fields that were set or cleared
    void resolved_changed();               ///< defaults, issues, estimate or pending() changed
    void seed_locked_changed(bool locked);

private:
    friend class RequestCommand;
    class Resolver;
    struct Resolution;
    void push(State after, const QString& label, const QString& merge_key = {});
    void restore_made(const Request& made, State after, const QString& label);
    void keep_one_window();
    void go(const State& from, const State& to);
    void apply(const Request& request, const QStringList& keys);
    void take_harmless();
    void resolve_soon();
    void take(const Resolution& resolution);

    QUndoStack& undo_;
    QVariantMap model_parts_;
    Request asked_;
    std::optional<Request> resolved_, defaults_;
    Estimate estimate_;
    QList<Issue> issues_;
    quint64 serial_ = 0;                                         ///< of the newest question to the resolver
    quint64 burst_ = 0;                                          ///< number of the burst; edits of one burst may merge
    std::chrono::steady_clock::time_point edited_, burst_began_; ///< burst_began_ is zero if the next edit begins one
    /// The request of restore_made(), kept until the model's usual length is known.
    struct OneWindow {
        Request made;
        QString label, merge_key;
    };
    std::optional<OneWindow> one_window_;
    bool pending_ = false, seed_locked_ = false;
    bool takes_image_ = true, takes_last_image_ = true;
    Variant variant_;
    std::unique_ptr<Resolver> resolver_;
};

} // namespace denoir::app
