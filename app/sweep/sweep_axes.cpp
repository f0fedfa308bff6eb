// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sweep/sweep_axes.h"

#include <QUndoCommand>
#include <algorithm>
#include <utility>

#include "app/base/settings.h"
#include "app/base/text.h"
#include "app/request/field_title.h"

namespace denoir::app {
namespace {

constexpr int axes_command = 0x5e02; ///< QUndoCommand::id(), for merging
constexpr auto burst_pause = std::chrono::milliseconds(1200);
const QString stored_key = QStringLiteral("tune/axes");

Json to_json(const QList<AxisText>& axes) {
    Json out = Json::array();
    for (const AxisText& axis : axes)
        out.push_back({{"field", axis.field.toStdString()}, {"values", axis.text.toStdString()}});
    return out;
}

QList<AxisText> from_json(const Json& json) {
    QList<AxisText> out;
    for (const Json& one : json)
        if (one.is_object() && out.size() < qsizetype(Sweep::max_axes))
            out << AxisText{to_qstring(one.value("field", std::string())),
                            to_qstring(one.value("values", std::string()))};
    return out;
}

} // namespace

class AxesCommand : public QUndoCommand {
public:
    /// `typed` is the axis in which the user typed, or -1 for an edit that merges with no other.
    AxesCommand(SweepAxes& axes, QList<AxisText> before, QList<AxisText> after, const QString& label, int typed)
        : QUndoCommand(label), axes_(axes), before_(std::move(before)), after_(std::move(after)), typed_(typed) {}
    void redo() override { axes_.apply(after_); }
    void undo() override {
        axes_.settle();
        axes_.apply(before_);
    }
    int id() const override { return typed_ < 0 ? -1 : axes_command; }
    bool mergeWith(const QUndoCommand* other) override {
        const auto* next = static_cast<const AxesCommand*>(other);
        if (next->typed_ != typed_ || &next->axes_ != &axes_ || !axes_.merges_) return false;
        after_ = next->after_;
        setObsolete(after_ == before_);
        return true;
    }

private:
    SweepAxes& axes_;
    QList<AxisText> before_, after_;
    int typed_;
};

SweepAxes::SweepAxes(QUndoStack& undo, Settings& settings, QObject* parent)
    : QObject(parent), undo_(undo), settings_(settings) {
    const QString stored = settings_.value(stored_key).toString();
    try {
        if (!stored.isEmpty()) axes_ = from_json(parse_json(stored.toStdString(), "settings"));
    } catch (const std::exception&) { // written by another version: begin with the usual axes
    }
    if (axes_.isEmpty()) axes_ = usual();
    judge();
}

QList<AxisText> SweepAxes::usual() {
    return {{QStringLiteral("steps"), QStringLiteral("4, 8, 20")},
            {QStringLiteral("guidance"), QStringLiteral("1, 3, 6")}};
}

QList<AxisText> SweepAxes::texts_of(const std::vector<SweepAxis>& axes) {
    QList<AxisText> out;
    for (const SweepAxis& axis : axes) out << AxisText{to_qstring(axis.field), to_qstring(axis_text(axis))};
    return out;
}

void SweepAxes::set_text(int axis, const QString& text) {
    if (axis < 0 || axis >= axes_.size()) return;
    QList<AxisText> after = axes_;
    after[axis].text = text;
    push(std::move(after), tr("change the values of %1").arg(field_title(axes_[axis].field)), axis);
}

void SweepAxes::set_axis(int axis, const AxisText& text) {
    if (axis < 0 || axis >= axes_.size()) return;
    QList<AxisText> after = axes_;
    after[axis] = text;
    push(std::move(after), tr("sweep over %1").arg(field_title(text.field)));
}

void SweepAxes::add(const AxisText& text) {
    if (can_add()) push(QList<AxisText>(axes_) << text, tr("sweep over %1").arg(field_title(text.field)));
}

void SweepAxes::remove(int axis) {
    if (axis < 0 || axis >= axes_.size()) return;
    QList<AxisText> after = axes_;
    after.removeAt(axis);
    push(std::move(after), tr("remove the axis %1").arg(field_title(axes_[axis].field)));
}

void SweepAxes::move(int from, int to) {
    const auto inside = [&](int i) { return i >= 0 && i < axes_.size(); };
    if (!inside(from) || !inside(to) || from == to) return;
    QList<AxisText> after = axes_;
    after.move(from, to);
    push(std::move(after), tr("turn the grid"));
}

void SweepAxes::set_all(const QList<AxisText>& axes, const QString& label) { push(axes, label); }

Sweep SweepAxes::sweep(const Request& request) const {
    Sweep out;
    out.request = request;
    for (const AxisText& axis : axes_)
        out.axes.push_back(parse_axis(axis.field.toStdString(), axis.text.toStdString()));
    check(out, "");
    out.reference = usual_reference(out.axes);
    return out;
}

void SweepAxes::check_with(const Request& request) {
    request_ = request;
    const std::vector<Issue> before = issues_;
    const Issue all = issue_;
    judge();
    if (issues_ != before || issue_ != all) emit changed();
}

void SweepAxes::judge() {
    issues_.assign(std::size_t(axes_.size()), {});
    issue_ = {};
    const auto place = [](Issue issue) {
        issue.file.clear();
        return issue;
    };
    Sweep whole;
    whole.request = request_;
    for (qsizetype i = 0; i < axes_.size(); ++i) try {
            whole.axes.push_back(parse_axis(axes_[i].field.toStdString(), axes_[i].text.toStdString()));
            // Each axis is checked alone first, so that it says what is wrong with itself.
            check({request_, {whole.axes.back()}, {}}, "");
        } catch (...) {
            issues_[std::size_t(i)] = place(Issue::from_current_exception());
        }
    const auto wrong = std::find_if(issues_.begin(), issues_.end(), [](const Issue& i) { return !i.isEmpty(); });
    if (wrong != issues_.end()) {
        issue_ = *wrong;
        return;
    }
    try {
        check(whole, "");
    } catch (...) {
        issue_ = place(Issue::from_current_exception());
        for (qsizetype i = axes_.size(); i-- > 0;)
            if (issue_.field == QStringLiteral("axes.") + axes_[i].field) {
                issues_[std::size_t(i)] = issue_;
                break;
            }
    }
}

void SweepAxes::push(QList<AxisText> after, const QString& label, int typed) {
    if (after == axes_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - edited_ > burst_pause) merges_ = false;
    edited_ = now;
    auto* command = new AxesCommand(*this, axes_, std::move(after), label, typed);
    undo_.push(command); // mergeWith() looks at merges_
    merges_ = typed >= 0;
}

void SweepAxes::apply(const QList<AxisText>& axes) {
    axes_ = axes;
    judge();
    settings_.set_value(stored_key, axes_ == usual() ? QVariant() : QString::fromStdString(to_json(axes_).dump()));
    emit changed();
}

QString cell_title(const Sweep& sweep, std::size_t cell, std::size_t longest) {
    const std::vector<std::size_t> at = sweep.place(cell);
    QStringList parts;
    for (std::size_t i = 0; i < sweep.axes.size(); ++i)
        parts << field_title(to_qstring(sweep.axes[i].field)) + QLatin1Char(' ') +
                     to_qstring(value_text(sweep.axes[i], at[i], longest));
    return parts.join(QStringLiteral(" · "));
}

} // namespace denoir::app
