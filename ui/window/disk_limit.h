// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QStringList>

#include <tuple>

#include "ui/studio.h"

class QWidget;

namespace denoir::ui {

class Banners;

/// The disk space that runs may use: asks for the limit, and asks once what may be deleted when it is exceeded, or when
/// a run failed because the disk is full. Borrows all.
class DiskLimit : public QObject {
    Q_OBJECT
public:
    DiskLimit(Studio& studio, Banners& banners, QWidget& window);
    void ask();

private:
    void look();
    void offer_room(const QString& file); ///< `file` could not be written as the disk is full

    Studio& studio_;
    Banners& banners_;
    QWidget& window_;
    /// The limit, the runs whose steps could be deleted, and whether they may be, as of the last look().
    std::tuple<quint64, QStringList, bool> seen_;
};

} // namespace denoir::ui
