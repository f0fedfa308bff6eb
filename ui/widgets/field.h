// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDoubleSpinBox>
#include <QLabel>
#include <QWidget>

#include <functional>
#include <optional>

class QHBoxLayout;
class QToolButton;

namespace denoir::ui {

/// The name of a field. Dragging it sideways changes the value: scrubbed() has the number of notches since the last
/// call (a notch is 8 pixels; with Shift a tenth of the speed).
class ScrubLabel : public QLabel {
    Q_OBJECT
public:
    explicit ScrubLabel(const QString& text, QWidget* parent = nullptr);
    void set_scrubbable(bool scrubbable);

signals:
    void scrubbed(int notches);

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    bool scrubbable_ = false, dragging_ = false;
    double from_ = 0, rest_ = 0;
};

/// A number with its unit. Takes the wheel only while it has the focus; may snap to a grid (4n+1).
class NumberEdit : public QDoubleSpinBox {
    Q_OBJECT
public:
    /// With `decimals` 0 it is a whole number.
    NumberEdit(double low, double high, double step, int decimals, QWidget* parent = nullptr);
    /// `snap` is called with each value typed or stepped to, and returns the valid value nearest to it.
    void set_snap(std::function<double(double)> snap);
    /// Sets the unit, which begins with its space and is shown after the number if there is room. `of_one` is used
    /// after the number 1, unless it is empty.
    void set_unit(const QString& unit, const QString& of_one = {});
    /// A second unit that may be typed after a number, such as "s"; `value_of` converts that number to a value.
    void set_typed_unit(const QString& unit, std::function<double(double)> value_of);
    /// Sets the value without emitting a signal.
    void show_value(double value);
    /// Shows no number, as the value is not known before the model has been looked at.
    void show_unknown();
    void stepBy(int steps) override;

signals:
    /// The user has changed the value, which is snapped. Emitted often during a drag or while an arrow key is held.
    void edited(double value);
    /// Emitted after edited() if the value `asked` for was not on the grid.
    void snapped(double asked, double value);
    /// A typed number was out of range and was replaced by the nearest value; `told` says so in words.
    void limited(const QString& told);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    QString textFromValue(double value) const override;
    double valueFromText(const QString& text) const override;
    /// Takes a comma and a full stop as the decimal point, in every language.
    QValidator::State validate(QString& text, int& at) const override;
    void fixup(QString& text) const override;

private:
    void commit();
    std::optional<double> beyond(const QString& text) const; ///< the typed number if it is out of range
    void fit_unit();
    QString without_unit(const QString& text) const;
    std::optional<double> of_typed_unit(const QString& text) const; ///< the value if the text ends with that unit
    std::function<double(double)> snap_, value_of_;
    QString unit_, unit_of_one_, typed_unit_;
    bool unknown_ = false;
    mutable QString limited_; ///< the typed text, if fixup() has changed it
};

/// One line of a form: the name on the left, the control, a button to go back to the default, and the error below. The
/// name has a dot and stands out while the value is not the default.
class Field : public QWidget {
    Q_OBJECT
public:
    Field(const QString& name, QWidget* control, QWidget* parent = nullptr);

    ScrubLabel* label() const { return label_; }
    QWidget* control() const { return control_; }
    /// Adds a control after the first (a lock).
    void add_control(QWidget* control);
    /// Adds a control that is hidden while the field is too narrow (a dice).
    void add_spare_control(QWidget* control);
    /// Sets a short text after the control: "2.1 s".
    void set_note(const QString& note);
    /// `shown_default` is the default as the user reads it, which is added to the control's tool tip; empty if there is
    /// none to go back to.
    void set_default(const QString& shown_default, bool changed);
    bool is_changed() const { return changed_; } ///< whether it differs from a default that it can go back to
    const QString& name() const { return name_; }
    /// Sets the error under the field; empty for none.
    void set_error(const QString& error);
    /// Sets a text shown under the field while there is no error, such as the value that it was rounded to.
    void set_hint(const QString& hint);

    static constexpr int wide = 320;  ///< least width to show the default beside its button
    static constexpr int roomy = 270; ///< least width to show spare controls

signals:
    void reset_asked();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fit_words();
    void describe();
    QString default_words_;          ///< says that it is not the default; empty if it is
    QString wrong_;                  ///< the full text of the error
    QString name_, tip_, whole_tip_; ///< the control's own tool tip, and the same with the default
    QWidget* control_;
    ScrubLabel* label_;
    QHBoxLayout* row_;
    QLabel* note_;
    QWidget* spare_ = nullptr;
    bool changed_ = false;
    QToolButton* reset_;
    QWidget* problem_;
    QLabel *error_, *hint_;
};

} // namespace denoir::ui
