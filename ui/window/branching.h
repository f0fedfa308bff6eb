// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>

namespace denoir::app {
class Preparations;
class RequestDocument;
} // namespace denoir::app

namespace denoir::ui {

class Banners;

/// Makes requests that begin with a stored step of a run, and shows a banner that says so, as nothing else does.
/// Borrows all.
class Branching : public QObject {
    Q_OBJECT
public:
    Branching(app::RequestDocument& document, app::Preparations& inputs, Banners& banners, QObject* parent = nullptr);
    /// Puts the run's request into the parameters, to begin after `step`. For 0 (the noise) and a negative step (none
    /// was picked), says what to do instead.
    void branch(const QString& run, int step);
    bool active() const; ///< whether the next run begins with a stored step
    void end();

signals:
    void said(const QString& text);
    void prepared(); ///< the parameters have been changed

private:
    void tell();

    app::RequestDocument& document_;
    app::Preparations& inputs_;
    Banners& banners_;
};

} // namespace denoir::ui
