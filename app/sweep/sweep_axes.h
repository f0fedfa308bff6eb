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

/// An axis as the user types it: a field of the request and its values.
struct AxisText {
    QString field, text;
    friend bool operator==(const AxisText&, const AxisText&) = default;
};

/// The axes of the sweep being edited. Every edit is a command on the undo stack and is checked at once; the settings
/// keep the newest state over restarts. GUI thread.
class SweepAxes : public QObject {
    Q_OBJECT
public:
    SweepAxes(QUndoStack& undo, Settings& settings, QObject* parent = nullptr);

    const QList<AxisText>& axes() const { return axes_; }
    bool can_add() const { return axes_.size() < qsizetype(Sweep::max_axes); }
    // Each of these is one undo step; only typing in one axis merges into one.
    void set_text(int axis, const QString& text);
    void set_axis(int axis, const AxisText& text);
    void add(const AxisText& text);
    void remove(int axis);
    /// Moves an axis to another place: axis 0 are the rows, 1 the columns, others the pages.
    void move(int from, int to);
    void set_all(const QList<AxisText>& axes, const QString& label);
    /// Makes the next edit an undo step of its own.
    void settle() { merges_ = false; }

    /// What is wrong with this axis; empty if nothing is.
    const Issue& issue(int axis) const { return issues_[std::size_t(axis)]; }
    /// The first thing that is wrong with an axis or, if there is none, with all together.
    const Issue& issue() const { return issue_; }
    /// The sweep over `request` with these axes and the usual reference. Throws Error naming the field.
    Sweep sweep(const Request& request) const;
    /// The request to check against, which some values need (a LoRA's strength). Checks everything again.
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

/// The values of a cell in the language of the window: "steps 8 · guidance 3"; at most `longest` bytes of each value.
QString cell_title(const Sweep& sweep, std::size_t cell, std::size_t longest = 40);

/// A field that can be swept over.
struct SweepField {
    QString field;
    QString title; ///< translated
    QString usual; ///< values to begin with, as they are typed
    QString hint;  ///< how its values are written
};
/// The fields that make sense to sweep over with this request and its model, the most usual ones first.
QList<SweepField> sweep_fields(const RequestDocument& document);

} // namespace denoir::app
