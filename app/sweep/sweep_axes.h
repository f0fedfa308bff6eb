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

/// The axes of the sweep being edited. Every edit is a command on the undo stack and is checked at once; the newest
/// state outlives the program in the settings. GUI thread.
class SweepAxes : public QObject {
    Q_OBJECT
public:
    SweepAxes(QUndoStack& undo, Settings& settings, QObject* parent = nullptr);

    const QList<AxisText>& axes() const { return axes_; }
    bool can_add() const { return axes_.size() < qsizetype(Sweep::max_axes); }
    /// One undo step each; typing in one axis merges.
    void set_text(int axis, const QString& text);
    void set_axis(int axis, const AxisText& text);
    void add(const AxisText& text);
    void remove(int axis);
    /// The axis comes to stand at another place: 0 are the rows, 1 the columns, others the pages.
    void move(int from, int to);
    void set_all(const QList<AxisText>& axes, const QString& label);
    /// The next edit is an undo step of its own.
    void settle() { merges_ = false; }

    /// What is wrong with this axis; empty: nothing.
    const Issue& issue(int axis) const { return issues_[std::size_t(axis)]; }
    /// The first thing that is wrong with any, or with all together.
    const Issue& issue() const { return issue_; }
    /// The sweep over this request with these axes and the usual reference. Throws Error naming the field.
    Sweep sweep(const Request& request) const;
    /// Values that cannot be judged without the request (a LoRA's strength) are checked with it.
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

/// What makes a cell, in the language of the window: "steps 8 · guidance 3"; at most so many bytes of each value.
QString cell_title(const Sweep& sweep, std::size_t cell, std::size_t longest = 40);

/// A field that can be swept over, as the chosen model has it, with values to begin with.
struct SweepField {
    QString field;
    QString title; ///< translated
    QString usual; ///< values, as they are typed
    QString hint;  ///< how values of it are written
};
/// The fields that make sense to sweep over with this request and its model, the usual ones first.
QList<SweepField> sweep_fields(const RequestDocument& document);

} // namespace denoir::app
