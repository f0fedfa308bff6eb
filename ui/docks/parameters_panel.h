// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QHash>
#include <QWidget>

#include <functional>

#include "engine/core/units.h"
#include "ui/studio.h"

class QAction;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QScrollArea;
class QSpinBox;
class QToolButton;
class QVBoxLayout;

namespace denoir::ui {

class ElidedCombo;
class Field;
class NumberEdit;

/// Every parameter of the request with its default, a mark, reset and error; what the run will take; the button.
class ParametersPanel : public QWidget {
    Q_OBJECT
public:
    /// `generate` is the window's action, which the button triggers.
    ParametersPanel(Studio& studio, QAction& generate, QWidget* parent = nullptr);

    /// How many runs one press of the button queues; one for a branch, whose noise is given, so that copies would be
    /// equal.
    int copies() const;
    /// Accepts what is still being typed, like Enter. Returns what is wrong with a field that holds no valid value, or
    /// an empty text.
    QString commit();
    void reset_all();
    /// Adds files to the request's LoRAs.
    void take_loras(const QStringList& files);
    /// Whether to show the button; not in a layout that has one of its own.
    void set_generates(bool generates);
    QStringList keys() const { return fields_.keys(); }
    QList<Field*> fields() const; ///< in the order of the form
    /// Focuses a field, unfolding the part that hides it. Returns false if the model has no such parameter.
    bool go_to(const Field& field);
    /// `told(key)` returns whether another visible part of the window shows what is wrong with that field, so that the
    /// panel need not repeat it.
    void set_told_elsewhere(std::function<bool(const QString& key)> told) { told_elsewhere_ = std::move(told); }

public slots:
    void refresh_estimate();

signals:
    /// The last entry of the list of models was chosen: "Add a folder…".
    void add_models_asked();
    void said(const QString& text);

private:
    QScrollArea* make_form();
    NumberEdit* add_number(QVBoxLayout* form, const QString& key, const QString& name, Range range, double step,
                           int decimals, const QString& unit = {});
    void tell_limits(const NumberEdit& edit, const QString& key);
    void list_cards(QComboBox* device);
    QComboBox* add_choice(QVBoxLayout* form, const QString& key, const QString& name);
    void add_model(QVBoxLayout* form);
    void add_loras(QVBoxLayout* form);
    void add_cache(QVBoxLayout* form);
    void add_size(QVBoxLayout* form);
    void add_frames(QVBoxLayout* form);
    void add_advanced(QVBoxLayout* form); ///< the part that can be folded away, and its button
    void add_seed(QVBoxLayout* form);
    void add_forcing(QVBoxLayout* form);
    void add_bottom(QVBoxLayout* column, QAction& generate);
    void set_advanced(bool open);
    void show_advanced();
    void refresh();
    void refresh_field(const QString& key);
    void refresh_more();
    bool is_seen(const QString& key) const; ///< whether its field here is not folded away
    QString chosen_model() const;
    bool two_experts() const; ///< whether the chosen model has a transformer each for high and low noise
    void refresh_models();
    void refresh_sizes();
    void refresh_seed();
    void refresh_copies();
    void refresh_forcing();
    bool is_forcing_member(const QString& member) const; ///< whether it has a field here
    QString length_text() const;                         ///< length of the clip, or of what it adds to a video
    QString guided_text() const;                         ///< steps with guidance; empty if all have it
    QString windows_text() const;                        ///< windows of the clip; empty if it is made in one
    void set(const QString& key, const QVariant& value);
    void set_forcing(const QString& member, const QVariant& value); ///< an invalid value restores the usual one
    void reset(const QString& key);
    void set_size(const QString& text);
    QString shown(const QString& key, const QVariant& value) const;

    Studio& studio_;
    QHash<QString, Field*> fields_;
    QHash<QString, std::function<void()>> show_; ///< by key: puts the document's value into the control
    /// By key, shown until the document changes: why a typed value was refused; to which value it was rounded.
    QHash<QString, QString> refused_, snapped_;
    ElidedCombo* model_;
    QComboBox* size_;
    QLineEdit* seed_;
    QToolButton *lock_, *dice_;
    QWidget* advanced_;
    QToolButton* advanced_toggle_;
    struct ForcingField {
        QString member; ///< of `forcing`
        double usual;
        Field* field;
        NumberEdit* edit;
    };
    QList<ForcingField> forcing_;
    QLabel *estimate_, *changes_;
    QPushButton* generate_;
    QSpinBox* copies_;
    std::function<bool(const QString&)> told_elsewhere_;
    bool showing_ = false;
};

} // namespace denoir::ui
