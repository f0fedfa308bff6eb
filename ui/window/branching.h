// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>

namespace denoir::app {
class Preparations;
class RequestDocument;
} // namespace denoir::app

namespace denoir::ui {

class Banners;

/// Requests that begin with a stored step of a run, and the banner that says so, as nothing else shows it. Borrows all.
class Branching : public QObject {
    Q_OBJECT
public:
    Branching(app::RequestDocument& document, app::Preparations& inputs, Banners& banners, QObject* parent = nullptr);
    /// Puts the run's request into the parameters, to begin after that step; 0 is the noise, of which is said what
    /// to do instead; negative: none was picked.
    void branch(const QString& run, int step);
    bool active() const; ///< the next run begins with a stored step
    void end();

signals:
    void said(const QString& text);
    void prepared(); ///< the parameters can be changed now

private:
    void tell();

    app::RequestDocument& document_;
    app::Preparations& inputs_;
    Banners& banners_;
};

} // namespace denoir::ui
