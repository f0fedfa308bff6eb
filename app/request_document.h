// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QHash>
#include <QObject>
#include <QStringList>
#include <QUndoStack>
#include <QVariant>
#include <memory>
#include <optional>

#include "app/issue.h"
#include "engine/pipeline/pipeline.h"

namespace denoir::app {

/// The request being edited. Fields are named by their key in the request's JSON (CONTRACT.md): "prompt", "width",
/// "steps", "model", "image", …; values are QVariant of the JSON type (seed: qulonglong; empty variant: the model's
/// default). Every edit is a command on the undo stack; edits of one field in a row merge. Defaults and messages come
/// from the engine on a thread of their own, so typing never waits for a model's headers.
class RequestDocument : public QObject {
    Q_OBJECT
public:
    /// Borrows the stack (the project's).
    explicit RequestDocument(QUndoStack& undo, QObject* parent = nullptr);
    ~RequestDocument() override;

    /// What the user set; everything else is empty. The prompt is the template, wildcards included.
    const Request& asked() const { return asked_; }
    /// The last completely valid request, defaults filled in; nothing while the model is missing or a field is wrong.
    const std::optional<Request>& resolved() const { return resolved_; }
    const Estimate& estimate() const { return estimate_; } ///< of resolved()

    /// The shown value: the user's, else the default; invalid where neither is known (yet).
    QVariant value(const QString& key) const;
    QVariant default_value(const QString& key) const; ///< of the chosen model and mode; invalid: not known (yet)
    bool is_changed(const QString& key) const;        ///< the user's value differs from the default
    bool has_value(const QString& key) const;         ///< the user set it
    Issue issue(const QString& key) const;            ///< what is wrong with this field; empty: nothing
    QList<Issue> issues() const;                      ///< all, those of no field shown here included (field "model")
    bool valid() const { return resolved_.has_value() && !pending_; }
    bool pending() const { return pending_; } ///< defaults and messages are being renewed
    Mode mode() const;                        ///< asked, else resolved, else t2v
    bool forcing_model() const;               ///< the chosen model does diffusion forcing
    bool takes_image() const;                 ///< of the chosen model: a start image
    bool takes_last_image() const;

    /// One undo step (merging with the one before if it was of the same single key). Values that are no such thing at
    /// all (a word for a number) are refused at once: returns the issue, nothing changes.
    Issue set_value(const QString& key, const QVariant& value);
    /// Several as one undo step: width with height; a dropped image with its size.
    Issue set_values(const QVariantMap& values, const QString& label);
    void reset(const QString& key); ///< back to the default
    void reset_all();               ///< but prompt, images and model
    /// The parameters of a run or a video, undoable.
    void restore(const Request& request, const QString& label, const QString& prompt_template = {});
    /// Without an undo step: for loading a project.
    void load(const Request& request);

    bool seed_locked() const { return seed_locked_; } ///< false (default): generate draws a new seed each time
    void set_seed_locked(bool locked);

    /// What is put into the queue: a request of its own with seed drawn (or the locked one) and wildcards resolved by
    /// it.
    struct Snapshot {
        Request request;
        QString prompt_template, negative_template; ///< empty where they hold no wildcards
    };
    /// `variation` 0, 1, 2 …: for several at once each gets the next seed of a locked one.
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
    struct Resolver;
    void apply(const Request& request, const QStringList& keys);
    void start_resolving();
    void take_result(quint64 serial);

    QUndoStack& undo_;
    Request asked_;
    std::optional<Request> resolved_, defaults_;
    Estimate estimate_;
    QList<Issue> issues_;
    bool pending_ = false, seed_locked_ = false, takes_image_ = true, takes_last_image_ = true;
    std::unique_ptr<Resolver> resolver_;
};

} // namespace denoir::app
