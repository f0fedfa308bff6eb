// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDBusVariant>
#include <QObject>
#include <QPalette>
#include <QString>

#include "ui/theme/colours.h"

class QApplication;

namespace denoir::ui {

enum class Scheme { system, light, dark };

/// Gives the application its palette and the look of its controls, and follows the desktop's theme with `system`. Shows
/// tool tips as plain text, as they contain prompts and file names. Owned by main(), outlives every widget.
class Theme : public QObject {
    Q_OBJECT
public:
    explicit Theme(QApplication& application, QObject* parent = nullptr);

    Scheme scheme() const { return scheme_; }
    void set_scheme(Scheme scheme);
    bool dark() const;
    bool eventFilter(QObject* watched, QEvent* event) override;

signals:
    void changed();

private slots:
    /// The desktop portal's setting has changed (org.freedesktop.appearance color-scheme: 1 dark, 2 light, 0 neither).
    void desktop_changed(const QString& space, const QString& key, const QDBusVariant& value);

private:
    void ask_desktop();
    void apply();

    QApplication& application_;
    Scheme scheme_ = Scheme::system;
    const bool platform_dark_; ///< whether the palette was dark when the program started
    bool desktop_dark_;
    bool applied_dark_ = false, applied_ = false;
};

QPalette palette_of(const Colours& colours);
/// A Qt style sheet for the controls, made from the same colours.
QString style_sheet_of(const Colours& colours);

/// "system", "light" or "dark"; anything else is `system`.
Scheme scheme_from_name(const QString& name);
QString scheme_name(Scheme scheme);

} // namespace denoir::ui
