// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QStringList>

#include <tuple>

#include "ui/studio.h"

class QWidget;

namespace denoir::ui {

class Banners;

/// The disk space that runs may use: asks for it, and asks once what may go where it is exceeded; and where a run
/// failed because their disk is full, what could go. Borrows all.
class DiskLimit : public QObject {
    Q_OBJECT
public:
    DiskLimit(Studio& studio, Banners& banners, QWidget& window);
    void ask();

private:
    void look();
    void offer_room(const QString& file); ///< that found none

    Studio& studio_;
    Banners& banners_;
    QWidget& window_;
    /// The bound, the runs whose steps could go, and whether they may, when that was looked at last.
    std::tuple<quint64, QStringList, bool> seen_;
};

} // namespace denoir::ui
