// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/request/request_document.h"

#include <QUndoCommand>
#include <algorithm>
#include <utility>

#include "app/base/text.h"
#include "app/base/wait_until.h"
#include "app/request/field_title.h"
#include "app/request/request_resolver.h"
#include "app/request/request_values.h"
#include "app/request/wildcards.h"
#include "engine/pipeline/seed.h"
#include "engine/session/model_lookup.h"
#include "engine/weights/model_folder.h"

namespace denoir::app {
namespace {

constexpr int request_command = 0x5e01; ///< QUndoCommand::id(), for merging
constexpr auto burst_pause = std::chrono::milliseconds(1200), longest_burst = std::chrono::milliseconds(8000);

/// True for fields that change neither defaults nor messages nor the estimate.
bool is_harmless(const QString& key) {
    return key == QStringLiteral("prompt") || key == QStringLiteral("negative_prompt") || key == QStringLiteral("seed");
}

/// The family that the chosen model's files tell; empty if they do not, or cannot be read.
std::optional<Family> family_told(const Request& r) {
    try {
        return ModelFolder::open(find_model(r.model), r.parts).family;
    } catch (const Error&) { // resolving the request will report this
        return {};
    }
}

/// Clears fields that no control shows, unless they are among `chosen`: they were meant for the previous model.
void forget_hidden(Request& r, const QStringList& chosen = {}) {
    for (const char* key : {"family", "preprocess"})
        if (!chosen.contains(QLatin1String(key))) clear_request_field(r, key);
}

/// The request of a run or a file, made fit for editing.
Request to_edit(Request r, const QString& prompt_template) {
    r.start.reset(); // so that a branch is made as a run of its own
    r.mode.reset();  // follows from the model and the images, which may change
    // Fields that no control shows are cleared if the model's own value is the same.
    if (r.family && r.family == family_told(r)) r.family.reset();
    if (r.preprocess == Preprocess::original) r.preprocess.reset();
    if (!prompt_template.isEmpty()) r.prompt = prompt_template.toStdString();
    return r;
}

} // namespace

/// What a request was before and after an edit.
class RequestCommand : public QUndoCommand {
public:
    using State = RequestDocument::State;
    /// Commands with the same `merge_key` merge, unless it is empty.
    RequestCommand(RequestDocument& document, State before, State after, const QString& label, QString merge_key)
        : QUndoCommand(label),
          document_(document),
          before_(std::move(before)),
          after_(std::move(after)),
          key_(std::move(merge_key)) {}
    void redo() override { document_.go(before_, after_); }
    void undo() override { document_.go(after_, before_); }
    int id() const override { return key_.isEmpty() ? -1 : request_command; }
    bool mergeWith(const QUndoCommand* other) override {
        const auto* next = static_cast<const RequestCommand*>(other);
        if (next->key_ != key_ || &next->document_ != &document_) return false;
        after_ = next->after_;
        setObsolete(changed_keys(before_.request, after_.request).isEmpty());
        return true;
    }

private:
    RequestDocument& document_;
    State before_, after_;
    QString key_;
};

RequestDocument::RequestDocument(QUndoStack& undo, QObject* parent) : QObject(parent), undo_(undo) {
    resolver_ = std::make_unique<Resolver>([this](Resolution resolution) {
        QMetaObject::invokeMethod(this, [this, result = std::move(resolution)] { take(result); });
    });
    resolve_soon();
}

RequestDocument::~RequestDocument() = default;

QVariant RequestDocument::value(const QString& key) const {
    const QVariant own = field_value(asked_, key);
    return own.isValid() ? own : default_value(key);
}

QVariant RequestDocument::default_value(const QString& key) const {
    if (key == QStringLiteral("prompt")) return QString();
    return defaults_ ? field_value(*defaults_, key) : QVariant();
}

bool RequestDocument::has_value(const QString& key) const {
    if (key == QStringLiteral("prompt")) return !asked_.prompt.empty();
    // These always have a value, so they count as set if it is not the default.
    if (key == QStringLiteral("threads")) return asked_.threads != 0;
    if (key == QStringLiteral("guidance_until")) return asked_.guidance_until != 0;
    if (key == QStringLiteral("latents")) return asked_.latents != KeepLatents::all;
    if (key == QStringLiteral("noise")) return asked_.noise != NoiseSource{};
    return field_value(asked_, key).isValid();
}

bool RequestDocument::is_changed(const QString& key) const {
    return has_value(key) && to_json(field_value(asked_, key)) != to_json(default_value(key));
}

Issue RequestDocument::issue(const QString& key) const {
    for (const Issue& issue : issues_)
        if (issue.field == key || top_key(issue.field) == key) return issue;
    return {};
}

std::optional<Device> RequestDocument::device() const {
    return asked_.device || !defaults_ ? asked_.device : defaults_->device;
}

Mode RequestDocument::mode() const {
    for (const Request* r : {resolved_ ? &*resolved_ : nullptr, defaults_ ? &*defaults_ : nullptr, &asked_})
        if (r && r->mode) return *r->mode;
    return Mode::t2v;
}

bool RequestDocument::forcing_model() const { return defaults_ && defaults_->family == Family::skyreels_df; }
bool RequestDocument::takes_image() const { return takes_image_; }
bool RequestDocument::takes_last_image() const { return takes_last_image_; }
const Variant& RequestDocument::variant() const { return variant_; }

Issue RequestDocument::set_value(const QString& key, const QVariant& value) {
    State after = state();
    try {
        set_field(after.request, key, value);
        if (key == QStringLiteral("model"))
            set_field(after.request, QStringLiteral("parts"), model_parts_.value(value.toString()));
        if (after.request.model != asked_.model) forget_hidden(after.request);
    } catch (const Error& e) {
        return Issue::from(e);
    }
    if (key == QStringLiteral("seed")) after.seed_locked = value.isValid();
    push(std::move(after), tr("change %1").arg(field_title(key)), key);
    return {};
}

Issue RequestDocument::set_values(const QVariantMap& values, const QString& label) {
    State after = state();
    try {
        for (auto it = values.begin(); it != values.end(); ++it) set_field(after.request, it.key(), it.value());
        if (after.request.model != asked_.model) forget_hidden(after.request, values.keys());
    } catch (const Error& e) {
        return Issue::from(e);
    }
    if (values.contains(QStringLiteral("seed"))) after.seed_locked = values[QStringLiteral("seed")].isValid();
    // A dragged size merges like a single field.
    push(std::move(after), label, QStringList(values.keys()).join(QLatin1Char(',')));
    return {};
}

void RequestDocument::reset(const QString& key) {
    State after = state();
    set_field(after.request, key, {});
    if (key == QStringLiteral("model")) {
        after.request.parts = {};
        forget_hidden(after.request);
    }
    if (key == QStringLiteral("seed")) after.seed_locked = false;
    const QString label = tr("reset %1").arg(field_title(key));
    if (key == QStringLiteral("start") && one_window_ && asked_.start) {
        one_window_->label = label; // keep_one_window() becomes part of this step once the model is read
        one_window_->merge_key = QStringLiteral("made %1").arg(++burst_);
        return undo_.push(new RequestCommand(*this, state(), std::move(after), label, one_window_->merge_key));
    }
    push(std::move(after), label);
}

void RequestDocument::reset_all() {
    Request after;
    after.prompt = asked_.prompt;
    after.negative_prompt = asked_.negative_prompt;
    after.image = asked_.image;
    after.last_image = asked_.last_image;
    after.model = asked_.model;
    after.parts = asked_.parts;
    after.loras = asked_.loras;
    if (asked_.family && !family_told(asked_)) after.family = asked_.family; // the model needs it
    push({std::move(after), false}, tr("reset every parameter"));
}

void RequestDocument::restore(const Request& request, const QString& label, const QString& prompt_template) {
    one_window_.reset();
    push({to_edit(request, prompt_template), request.seed.has_value()}, label);
}

void RequestDocument::restore_made(const Request& made, const QString& label, const QString& prompt_template) {
    restore_made(made, {to_edit(made, prompt_template), made.seed.has_value()}, label);
}

void RequestDocument::restore_branch(const Request& branch, const QString& label) {
    State after{to_edit(branch, {}), branch.seed.has_value()};
    after.request.start = branch.start;
    restore_made(branch, std::move(after), label);
}

void RequestDocument::restore_made(const Request& made, State after, const QString& label) {
    one_window_.reset();
    const bool one_window = made.mode == Mode::forcing && made.forcing && !made.forcing->base;
    if (!one_window) return push(std::move(after), label);
    const QString merge_key = QStringLiteral("made %1").arg(++burst_);
    one_window_ = {after.request, label, merge_key};
    if (changed_keys(asked_, after.request).isEmpty())
        set_seed_locked(after.seed_locked);
    else
        undo_.push(new RequestCommand(*this, state(), after, label, merge_key));
    resolve_soon();
}

/// Keeps the restored clip in one window, as part of the step that restored it, unless the user has changed the length
/// or the windows since. A branch always has the windows of the run that it starts from.
void RequestDocument::keep_one_window() {
    if (!one_window_ || asked_.start || undo_.canRedo()) return;
    const OneWindow kept = *std::exchange(one_window_, std::nullopt);
    const Request& made = kept.made;
    if (asked_.model != made.model || asked_.frames != made.frames || asked_.forcing != made.forcing) return;
    State after = state();
    Pipeline::keep_one_window(after.request, *defaults_);
    if (after.request.forcing != made.forcing)
        undo_.push(new RequestCommand(*this, state(), after, kept.label, kept.merge_key));
}

Request RequestDocument::to_keep() const {
    Request out = asked_;
    if (!seed_locked_) out.seed.reset();
    return out;
}

void RequestDocument::replaced(const State& before, const QString& label) {
    if (!changed_keys(before.request, asked_).isEmpty())
        undo_.push(new RequestCommand(*this, before, state(), label, {}));
}

void RequestDocument::load(const Request& request) {
    const QStringList keys = changed_keys(asked_, request);
    set_seed_locked(request.seed.has_value());
    apply(request, keys);
}

void RequestDocument::set_seed_locked(bool locked) {
    if (seed_locked_ == locked) return;
    seed_locked_ = locked;
    emit seed_locked_changed(locked);
}

RequestDocument::Snapshot RequestDocument::snapshot(int variation) const {
    Snapshot out;
    out.request = asked_;
    const bool branches = asked_.start.has_value(); // it has the noise of its run, so that a seed has no effect
    if (!asked_.seed || (!seed_locked_ && !branches)) {
        out.request.seed = draw_seed();
    } else if (!branches) {
        *out.request.seed += quint64(variation); // after the largest seed comes 0
    }
    const auto resolve = [&](std::string& text, QString& text_template) {
        const QString written = to_qstring(text);
        if (!has_wildcards(written)) return;
        text_template = written;
        text = resolve_wildcards(written, *out.request.seed).toStdString();
    };
    resolve(out.request.prompt, out.prompt_template);
    if (out.request.negative_prompt) resolve(*out.request.negative_prompt, out.negative_template);
    return out;
}

bool RequestDocument::wait_resolved(int milliseconds) {
    return wait_until([this] { return !pending_; }, milliseconds);
}

void RequestDocument::refresh() { resolve_soon(); }

void RequestDocument::settle() { burst_began_ = {}; }

void RequestDocument::push(State after, const QString& label, const QString& merge_key) {
    if (changed_keys(asked_, after.request).isEmpty()) return set_seed_locked(after.seed_locked);
    // Choosing a file is a step of its own, as it is not typed letter by letter.
    const bool merges = !merge_key.isEmpty() && !merge_key.contains(QLatin1String("image")) &&
                        !merge_key.contains(QLatin1String("model"));
    const auto now = std::chrono::steady_clock::now();
    if (now - edited_ > burst_pause || now - burst_began_ > longest_burst) settle();
    if (burst_began_ == decltype(now){}) burst_began_ = now, ++burst_;
    edited_ = now;
    undo_.push(new RequestCommand(*this, state(), std::move(after), label,
                                  merges ? QStringLiteral("%1 %2").arg(burst_).arg(merge_key) : QString()));
}

/// Makes an undo step or its opposite. A step that does not change the lock leaves it as the user has set it since.
void RequestDocument::go(const State& from, const State& to) {
    if (from.seed_locked != to.seed_locked) set_seed_locked(to.seed_locked);
    apply(to.request, changed_keys(from.request, to.request));
}

void RequestDocument::apply(const Request& request, const QStringList& keys) {
    asked_ = request;
    emit changed(keys);
    if (!std::all_of(keys.begin(), keys.end(), is_harmless)) return resolve_soon();
    take_harmless();
}

/// Takes over changes that need no new answer from the resolver.
void RequestDocument::take_harmless() {
    if (!resolved_) return;
    resolved_->prompt = asked_.prompt;
    if (asked_.seed) resolved_->seed = asked_.seed;
    resolved_->negative_prompt = asked_.negative_prompt ? asked_.negative_prompt : defaults_->negative_prompt;
}

void RequestDocument::resolve_soon() {
    serial_ = resolver_->ask(asked_);
    if (pending_) return;
    pending_ = true;
    emit resolved_changed();
}

void RequestDocument::take(const Resolution& resolution) {
    if (resolution.serial != serial_) return; // the answer to an older question
    resolved_ = resolution.resolved;
    if (resolution.defaults) defaults_ = resolution.defaults;
    take_harmless(); // these may have been edited since the question
    estimate_ = resolution.estimate;
    issues_ = resolution.issues;
    takes_image_ = resolution.takes_image;
    takes_last_image_ = resolution.takes_last_image;
    variant_ = resolution.variant;
    pending_ = false;
    if (resolution.defaults) keep_one_window();
    emit resolved_changed();
}

} // namespace denoir::app
