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

/// The request being edited. Fields are named by their key in the request's JSON (CONTRACT.md): "prompt", "width",
/// "steps", "model", "image", "forcing.ar_step", …; values as request_values.h says, an invalid one is the model's
/// default. Every edit is a command on the undo stack; a burst of edits of one field is one step. Defaults and messages
/// come from the engine on a thread of their own, so typing never waits for a model's headers. GUI thread.
class RequestDocument : public QObject {
    Q_OBJECT
public:
    /// Borrows the stack (the project's).
    explicit RequestDocument(QUndoStack& undo, QObject* parent = nullptr);
    ~RequestDocument() override;

    /// What the user set; everything else is empty. The prompt is the template, wildcards included.
    const Request& asked() const { return asked_; }
    /// The whole request, defaults filled in; nothing while a field is wrong or the model is missing. Of the newest
    /// edits once pending() is false.
    const std::optional<Request>& resolved() const { return resolved_; }
    const Estimate& estimate() const { return estimate_; } ///< of resolved()

    /// The shown value: the user's, else the default; invalid where neither is known (yet).
    QVariant value(const QString& key) const;
    QVariant default_value(const QString& key) const; ///< of the chosen model and mode; invalid: not known (yet)
    bool is_changed(const QString& key) const;        ///< the user's value differs from the default
    bool has_value(const QString& key) const;         ///< the user set it
    Issue issue(const QString& key) const;            ///< what is wrong with this field; empty: nothing
    QList<Issue> issues() const { return issues_; } ///< all; what is wrong with the model's parts has the field "model"
    bool valid() const { return resolved_.has_value() && !pending_; }
    bool pending() const { return pending_; } ///< defaults and messages are being renewed
    std::optional<Device> device() const;     ///< the user's, else the default; none: not known (yet)
    Mode mode() const;                        ///< resolved, else the default, else as asked
    bool forcing_model() const;               ///< the chosen model does diffusion forcing
    bool takes_image() const;                 ///< the chosen model can start from an image
    bool takes_last_image() const;
    const Variant& variant() const; ///< of the chosen model, as its files' headers have it

    /// One undo step (merging with the one before if that was of the same key). A value that the field can never have
    /// (a word for a number, 6 frames) is refused: returns the issue, nothing changes. With another model goes what no
    /// control shows and was said of the one before: family and preprocess.
    Issue set_value(const QString& key, const QVariant& value);
    /// Of models, as Settings::model_parts(): they come with a model that is chosen from then on.
    void set_model_parts(const QVariantMap& parts) { model_parts_ = parts; }
    /// Several as one undo step: width with height; a dropped image with its size. Refused as a whole.
    Issue set_values(const QVariantMap& values, const QString& label);
    void reset(const QString& key); ///< back to the default
    void reset_all();               ///< but prompts, images, model and LoRAs
    /// The parameters of a run or a video, undoable. Values that are the model's defaults stay marked as set, but for a
    /// family that the model's files tell as well: with another model it would be wrong, and no control shows it.
    void restore(const Request& request, const QString& label, const QString& prompt_template = {});
    /// Restores the resolved request that a run was made with. What it leaves open stays as it was made: a clip of
    /// diffusion forcing in one window is made in one again, where a new one of its length would be made in several.
    void restore_made(const Request& made, const QString& label, const QString& prompt_template = {});
    /// The same for one that is to begin with the stored step of a run that its `start` names.
    void restore_branch(const Request& branch, const QString& label);
    /// Without an undo step: for loading a project.
    void load(const Request& request);
    /// What load() makes the same of again: asked(), without a seed that is not locked.
    Request to_keep() const;
    /// What a step of the undo stack leads from and to.
    struct State {
        Request request;
        bool seed_locked = false;
    };
    State state() const { return {asked_, seed_locked_}; }
    /// After something else was loaded over what was being edited: undo brings that back.
    void replaced(const State& before, const QString& label);
    /// The next edit is an undo step of its own. By itself after a pause of a second.
    void settle();

    /// False (default): snapshot() draws a new seed. Typing a seed locks it, resetting unlocks, and undo takes the lock
    /// back with the seed. By itself it is no undo step.
    bool seed_locked() const { return seed_locked_; }
    void set_seed_locked(bool locked);

    /// What is put into the queue: a request with its seed, and the wildcards resolved by it.
    struct Snapshot {
        Request request;
        QString prompt_template, negative_template; ///< empty where they hold no wildcards
    };
    /// `variation` 0, 1, 2 …: for several at once; each gets the next seed after a locked one. A branch keeps its seed.
    Snapshot snapshot(int variation = 0) const;

    /// Blocks until defaults and messages are up to date, at most this long; false: not in time. For tests and
    /// --screenshot.
    bool wait_resolved(int milliseconds);
    /// Looks at the model again (its folder changed).
    void refresh();

signals:
    void changed(const QStringList& keys); ///< values the user set
    void resolved_changed();               ///< defaults, issues, estimate, pending()
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
    quint64 burst_ = 0;                                          ///< edits that may merge share it
    std::chrono::steady_clock::time_point edited_, burst_began_; ///< burst_began_ zero: the next edit begins one
    /// What restore_made() restored, until the model's usual length is known.
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
