// SPDX-License-Identifier: GPL-3.0-or-later
// The part of ParametersPanel that shows the document in the controls.
#include <QComboBox>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QToolButton>

#include <algorithm>

#include "app/base/text.h"
#include "app/request/estimator.h"
#include "app/request/model_catalogue.h"
#include "app/request/request_document.h"
#include "engine/core/error.h"
#include "engine/pipeline/variant.h"
#include "engine/pipeline/windows.h"
#include "ui/docks/parameters_panel.h"
#include "ui/docks/parameters_text.h"
#include "ui/docks/sizes.h"
#include "ui/widgets/elided_combo.h"
#include "ui/widgets/field.h"

namespace denoir::ui {

namespace {

/// How long each part of the run takes.
QString parts_text(const app::Estimator::Forecast& f) {
    QStringList parts{ParametersPanel::tr("Load %1").arg(app::duration_text(f.load)),
                      ParametersPanel::tr("text %1").arg(app::duration_text(f.prompt))};
    if (f.image > 0) parts << ParametersPanel::tr("pictures encoded %1").arg(app::duration_text(f.image));
    parts << ParametersPanel::tr("%1 a step").arg(app::duration_text(f.step_seconds))
          << ParametersPanel::tr("decode %1").arg(app::duration_text(f.decode));
    return parts.join(QStringLiteral(" · "));
}

} // namespace

QString ParametersPanel::shown(const QString& key, const QVariant& value) const {
    if (!value.isValid()) return {};
    if (const auto* box = qobject_cast<const QComboBox*>(fields_[key]->control())) {
        const int row = box->findData(value);
        return row >= 0 ? box->itemText(row) : value.toString();
    }
    return number_text(value);
}

void ParametersPanel::refresh() {
    showing_ = true;
    for (auto it = fields_.cbegin(); it != fields_.cend(); ++it) refresh_field(it.key());
    refresh_seed();
    refresh_copies();
    refresh_forcing();
    refresh_sizes();
    refresh_more();
    showing_ = false;
    refresh_estimate();
    fields_[QStringLiteral("frames")]->set_note(length_text());
}

/// "33 frames · 2.1 s"; for a clip that continues a video and begins with its last pictures, "+1.4 s".
QString ParametersPanel::length_text() const {
    const auto& document = studio_.document;
    const double fps = document.value(QStringLiteral("fps")).toDouble();
    const double frames = document.value(QStringLiteral("frames")).toDouble();
    if (fps <= 0 || frames <= 0) return {};
    const auto text = [fps](double made) { return QLocale().toString(made / fps, 'f', 1); };
    const auto& forcing = document.asked().forcing;
    if (!forcing || forcing->video.empty()) return tr("%1 s").arg(text(frames));
    return tr("+%1 s").arg(text(std::max(0.0, frames - forcing->overlap)));
}

void ParametersPanel::refresh_field(const QString& key) {
    Field* field = fields_.value(key);
    const auto& document = studio_.document;
    if (const auto show = show_.value(key)) show();
    // A field may stand for two keys of a request. `said` is the text of the default.
    QStringList parts{key};
    QString said = shown(key, document.default_value(key));
    if (key == key_size) {
        parts = QStringList{QStringLiteral("width"), QStringLiteral("height")};
        const int width = document.default_value(parts[0]).toInt(), height = document.default_value(parts[1]).toInt();
        said = width > 0 ? size_text(width, height) : QString();
    } else if (key == key_precision) {
        parts = QStringList{key, QStringLiteral("dtype")};
        const QString standard =
            document.default_value(parts[1]).toString() + QLatin1Char('/') + document.default_value(key).toString();
        said = standard.size() > 1 ? shown(key, standard) : QString();
    } else if (key == key_loras) {
        said = tr("none");
    } else if (key == key_cache) {
        said = tr("off");
    } else if (key == key_whole_steps) {
        said = tr("the first and the last");
    } else if (key == QLatin1String("seed")) {
        said = tr("random");
    } else if (key == key_guidance_until) {
        said = tr("the end");
    } else if (key == key_guidance_low) {
        // Also shown if it is set but the model has only one expert and refuses it, for example after restoring a run.
        field->setVisible(two_experts() || document.has_value(key));
        if (!two_experts()) said = tr("none");
    }
    bool changed =
        std::any_of(parts.begin(), parts.end(), [&](const QString& part) { return document.is_changed(part); });
    if (key == key_whole_steps) changed = document.value(key).toBool(); // "off" is the default, even if it was set
    field->set_default(said, changed);
    QString error = refused_.value(key);
    for (const QString& part : QStringList{key} + parts)
        if (error.isEmpty()) error = words(document.issue(part));
    field->set_error(error);
    QString hint = snapped_.value(key);
    if (hint.isEmpty() && key == QLatin1String("frames")) hint = windows_text();
    if (hint.isEmpty() && key == key_guidance_until && document.has_value(key)) hint = guided_text();
    field->set_hint(error.isEmpty() ? hint : QString());
}

/// The model as it is in the list: an empty path for the bundled one, even if the request names it by its path.
QString ParametersPanel::chosen_model() const {
    const QString path = studio_.document.value(QStringLiteral("model")).toString();
    return path == studio_.models.bundled() ? QString() : path;
}

bool ParametersPanel::two_experts() const { return studio_.document.default_value(key_guidance_low).isValid(); }

void ParametersPanel::refresh_models() {
    const QSignalBlocker quiet(model_);
    const QString chosen = chosen_model();
    model_->clear();
    for (int row = 0; row < studio_.models.rowCount(); ++row) {
        const QModelIndex at = studio_.models.index(row);
        const auto state = static_cast<app::ModelCatalogue::State>(at.data(app::ModelCatalogue::StateRole).toInt());
        if (state == app::ModelCatalogue::State::unreadable) continue;
        const bool bundled = at.data(app::ModelCatalogue::BundledRole).toBool();
        const QString name = at.data(app::ModelCatalogue::NameRole).toString();
        const bool whole = state != app::ModelCatalogue::State::incomplete;
        model_->addItem(whole ? name : tr("%1 (incomplete)").arg(name),
                        bundled ? QString() : at.data(app::ModelCatalogue::PathRole).toString());
        if (!whole) model_->keep_end(model_->count() - 1, int(tr("%1 (incomplete)").arg(QString()).size()));
        QStringList tip{at.data(app::ModelCatalogue::PathRole).toString(),
                        at.data(app::ModelCatalogue::FitsTextRole).toString()};
        tip.removeAll(QString());
        model_->setItemData(model_->count() - 1, tip.join(QLatin1Char('\n')), Qt::ToolTipRole);
    }
    if (model_->findData(chosen) < 0) {
        model_->addItem(chosen.isEmpty() ? tr("Bundled model") : QFileInfo(chosen).fileName(), chosen);
        model_->setItemData(model_->count() - 1, chosen, Qt::ToolTipRole);
    }
    model_->set_command(tr("Add a folder…"));
    refresh_field(QStringLiteral("model"));
}

/// Marks the folded part if values in it were changed, and says which.
void ParametersPanel::refresh_more() {
    QStringList changed;
    for (const Field* field : advanced_->findChildren<Field*>())
        if (!field->isHidden() && field->is_changed()) changed << field->name();
    const bool mark = !changed.isEmpty();
    advanced_toggle_->setText(mark ? QStringLiteral("• %1").arg(tr("More")) : tr("More"));
    const QString what = mark ? tr("Changed: %1").arg(changed.join(QStringLiteral(", "))) : QString();
    advanced_toggle_->setToolTip(what);
    advanced_toggle_->setAccessibleDescription(what);
}

void ParametersPanel::refresh_sizes() {
    const QSize standard(studio_.document.default_value(QStringLiteral("width")).toInt(),
                         studio_.document.default_value(QStringLiteral("height")).toInt());
    const int multiple = studio_.document.variant().multiple();
    const QRect listed(QPoint(multiple, 0), standard);
    if (standard.isEmpty() || size_->property("listed").toRect() == listed) return;
    size_->setProperty("listed", listed);
    const QSignalBlocker quiet(size_);
    const QString text = size_->currentText();
    size_->clear();
    for (const auto& preset : size_presets(standard, multiple)) size_->addItem(preset.name, preset.size);
    size_->setEditText(text);
    size_->lineEdit()->setModified(false);
}

void ParametersPanel::refresh_seed() {
    const auto& document = studio_.document;
    if (!refused_.contains(QStringLiteral("seed")) && (!seed_->hasFocus() || !seed_->isModified())) {
        seed_->setText(document.has_value(QStringLiteral("seed")) ? number_text(document.value(QStringLiteral("seed")))
                                                                  : QString());
        seed_->setModified(false);
        seed_->setCursorPosition(0); // so that a long one is cut off at its end
    }
    const QSignalBlocker quiet(lock_);
    lock_->setChecked(document.seed_locked());
}

void ParametersPanel::refresh_copies() {
    const bool branches = studio_.document.asked().start.has_value();
    copies_->setEnabled(!branches);
    copies_->setToolTip(branches ? tr("A branch begins with its run's noise: every copy would be the same")
                                 : copies_->accessibleName());
}

void ParametersPanel::refresh_forcing() {
    const auto& document = studio_.document;
    const QVariantMap now = document.value(QStringLiteral("forcing")).toMap();
    const app::Issue issue = document.issue(QStringLiteral("forcing"));
    const bool goes_on = !now.value(QStringLiteral("video")).toString().isEmpty();
    const QString member = issue.field.section(QLatin1Char('.'), 1);
    // Problems with the video are shown beside the video, in the panel of images.
    const bool here = !member.startsWith(QLatin1String("video")) && !(goes_on && member == QLatin1String("overlap"));
    for (const ForcingField& f : forcing_) {
        const double value = now.value(f.member, f.usual).toDouble();
        f.field->setVisible(document.forcing_model());
        f.edit->show_value(value);
        f.field->set_default(f.usual == f.edit->minimum() && !f.edit->specialValueText().isEmpty()
                                 ? f.edit->specialValueText()
                                 : number_text(f.usual),
                             value != f.usual);
        const bool own = f.member == member || (f.member == QLatin1String("block") && !is_forcing_member(member));
        QString error;
        if (f.member == QLatin1String("block")) error = refused_.value(QStringLiteral("forcing"));
        if (error.isEmpty() && !issue.isEmpty() && here && own) error = words(issue);
        f.field->set_error(error);
        f.field->set_hint(error.isEmpty() ? snapped_.value(f.member) : QString());
    }
}

bool ParametersPanel::is_forcing_member(const QString& member) const {
    return std::any_of(forcing_.begin(), forcing_.end(), [&](const ForcingField& f) { return f.member == member; });
}

QString ParametersPanel::guided_text() const {
    const auto& request = studio_.document.resolved();
    if (!request || studio_.document.pending() || !has_guidance(*request)) return {};
    const Estimate& work = studio_.document.estimate();
    return work.steps > 0 ? tr("%1 of %n step(s)", nullptr, work.steps).arg(work.guided_steps) : QString();
}

QString ParametersPanel::windows_text() const {
    const auto& request = studio_.document.resolved();
    if (!request || studio_.document.pending() || request->mode != Mode::forcing) return {};
    try {
        const auto windows = static_cast<int>(windows_of(*request).size());
        if (windows == 1) return {};
        return tr("made in %n window(s) of %1 frames, each after the last %2 of the one before", nullptr, windows)
            .arg(*request->forcing->base)
            .arg(request->forcing->overlap);
    } catch (const Error&) {
        return {};
    }
}

bool ParametersPanel::is_seen(const QString& key) const {
    const bool size = key == QLatin1String("width") || key == QLatin1String("height");
    const Field* field = fields_.value(size ? key_size : key == QLatin1String("dtype") ? key_precision : key);
    return field && field->isVisibleTo(this);
}

void ParametersPanel::refresh_estimate() {
    const auto& document = studio_.document;
    QString changes;
    if (!refused_.isEmpty()) { // the document does not know of these
        estimate_->setText(tr("cannot start yet"));
        estimate_->setToolTip({});
    } else if (document.resolved()) {
        const auto forecast = studio_.estimator.forecast(*document.resolved(), document.estimate());
        QString text = forecast.text;
        if (forecast.basis == app::Estimator::Basis::none)
            estimate_->setToolTip(tr("Nothing was measured on this machine yet"));
        else
            estimate_->setToolTip(parts_text(forecast));
        if (copies() > 1 && !copies_->isHidden()) text = tr("each %1").arg(text);
        estimate_->setText(forecast.issue.isEmpty() ? text : tr("cannot start yet"));
        if (!forecast.issue.isEmpty())
            changes = app::words(forecast.issue);
        else if (!forecast.changes.isEmpty())
            changes =
                (forecast.possible ? tr("To make all of it fit: %1.") : tr("It does not fit. To make it fit: %1."))
                    .arg(forecast.changes.join(tr(", or ")));
        else if (!forecast.possible)
            changes = document.resolved()->device.value_or(Device{}).uses_host_memory()
                          ? tr("It does not fit into this machine's memory.")
                          : tr("It does not fit into the card's memory.");
    } else {
        estimate_->setText(document.pending() ? tr("looking at the model …") : tr("cannot start yet"));
        // A problem that is shown under its field is not repeated here.
        for (const app::Issue& issue : document.issues())
            if (changes.isEmpty() && !is_seen(issue.field) && !(told_elsewhere_ && told_elsewhere_(issue.field)))
                changes = issue.line();
    }
    changes_->setText(changes);
    changes_->setVisible(!changes.isEmpty());
    estimate_->setAccessibleName(tr("Estimate: %1").arg(estimate_->text()));
}

} // namespace denoir::ui
