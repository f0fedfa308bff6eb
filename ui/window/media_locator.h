// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>

#include <vector>

#include "app/project/project.h"
#include "app/project/take_reader.h"

class QWidget;

namespace denoir::app {
class Settings;
}

namespace denoir::ui {

class TimelineView;

/// Asks where the missing video of a shot is, checks whether it has all of the take, and relinks it together with
/// others that were moved as well. Borrows all.
class MediaLocator : public QObject {
    Q_OBJECT
public:
    MediaLocator(TimelineView& timeline, app::Settings& settings, QWidget& window);
    void locate(int row);

signals:
    void said(const QString& text);

private:
    void look(const app::Take& take, const QString& path);
    void relink(const std::vector<app::MovedTake>& moved, const std::vector<app::TakeReader::Found>& found);

    TimelineView& timeline_;
    app::Settings& settings_;
    QWidget& window_;
};

} // namespace denoir::ui
