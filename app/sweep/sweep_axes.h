// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QList>
#include <QObject>
#include <QUndoStack>
#include <chrono>
#include <vector>

#include "app/base/issue.h"
#include "engine/session/sweep.h"

namespace denoir::app {

class RequestDocument;
class Settings;

/// An axis as it is typed: a field of the request, and its values.
struct AxisText {
    QString field, text;
    friend bool operator==(const AxisText&, const AxisText&) = default;
};

/// The axes of the sweep being edited. Every edit is a command on the undo stack and is checked at once. The settings
/// keep the newest state for the next start. GUI thread.
class SweepAxes : public QObject {
    Q_OBJECT
public:
    SweepAxes(QUndoStack& undo, Settings& settings, QObject* parent = nullptr);

    const QList<AxisText>& axes() const { return axes_; }
    bool can_add() const { return axes_.size() < qsizetype(Sweep::max_axes); }
    // One undo step each; typing in the same axis merges.
    void set_text(int axis, const QString& text);
    void set_axis(int axis, const AxisText& text);
    void add(const AxisText& text);
    void remove(int axis);
    /// Moves an axis to another place: 0 are the rows, 1 the columns, others the pages.
    void move(int from, int to);
    void set_all(const QList<AxisText>& axes, const QString& label);
    /// Makes the next edit an undo step of its own.
    void settle() { merges_ = false; }

    /// What is wrong with this axis; empty if nothing is.
    const Issue& issue(int axis) const { return issues_[std::size_t(axis)]; }
    /// The first thing that is wrong with any axis or with all together; empty if nothing is.
    const Issue& issue() const { return issue_; }
    /// The sweep over `request` with these axes and the usual reference. Throws Error naming the field.
    Sweep sweep(const Request& request) const;
    /// Checks values that depend on the request, such as a LoRA's strength.
    void check_with(const Request& request);

    static QList<AxisText> usual();
    static QList<AxisText> texts_of(const std::vector<SweepAxis>& axes);

signals:
    void changed();

private:
    friend class AxesCommand;
    void push(QList<AxisText> after, const QString& label, int typed = -1);
    void apply(const QList<AxisText>& axes);
    void judge();
    QUndoStack& undo_;
    Settings& settings_;
    QList<AxisText> axes_;
    Request request_;
    std::vector<Issue> issues_;
    Issue issue_;
    std::chrono::steady_clock::time_point edited_;
    bool merges_ = false;
};

/// The values of a cell, in the studio's language: "steps 8 · guidance 3". `longest` limits each value, in bytes.
QString cell_title(const Sweep& sweep, std::size_t cell, std::size_t longest = 40);

/// A field that can be swept over with the chosen model, and values to begin with.
struct SweepField {
    QString field;
    QString title; ///< translated
    QString usual; ///< values as they are typed
    QString hint;  ///< says how values are written
};
/// The fields that make sense to sweep over with this request and its model, the usual ones first.
QList<SweepField> sweep_fields(const RequestDocument& document);

} // namespace denoir::app
