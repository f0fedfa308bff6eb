// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/banner.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/theme/colours.h"
#include "ui/theme/icons.h"
#include "ui/widgets/announcer.h"
#include "ui/widgets/elided_label.h"

namespace denoir::ui {

Banners::Banners(QWidget* parent) : QFrame(parent), column_(new QVBoxLayout(this)), announcer_(new Announcer(this)) {
    setObjectName(QStringLiteral("banners"));
    setAccessibleName(tr("Messages"));
    column_->setContentsMargins(0, 0, 0, 0);
    column_->setSpacing(0);
    // What breaks long words is not copied with them.
    connect(QGuiApplication::clipboard(), &QClipboard::dataChanged, this, [this] {
        const QWidget* from = QApplication::focusWidget();
        if (!from || !isAncestorOf(from)) return; // what another program holds may be large, or slow to come
        QString copied = QGuiApplication::clipboard()->text();
        if (copied.contains(QChar(0x200b))) QGuiApplication::clipboard()->setText(copied.remove(QChar(0x200b)));
    });
    hide();
}

void Banners::show_banner(const QString& key, Kind kind, const QString& text, const std::vector<Choice>& choices,
                          int seconds, const std::function<void()>& closed) {
    remove(key);
    emit shown(kind, text);
    auto* line = new QFrame(this);
    line->setObjectName(key);
    line->setProperty("banner", true);
    auto* row = new QHBoxLayout(line);
    row->setContentsMargins(grid::two, grid::half, grid::unit, grid::half);
    row->setSpacing(grid::unit);
    auto* mark = new QLabel(line);
    const QString name = kind == Kind::error     ? QStringLiteral("error")
                         : kind == Kind::warning ? QStringLiteral("warning")
                                                 : QStringLiteral("info");
    mark->setPixmap(icon(name).pixmap(QSize(16, 16), devicePixelRatioF()));
    auto* words = new QLabel(breakable(text), line);
    words->setObjectName(QStringLiteral("banner-text"));
    words->setWordWrap(true);
    words->setTextInteractionFlags(Qt::TextSelectableByMouse);
    words->setTextFormat(Qt::PlainText);
    if (kind == Kind::error) words->setProperty("error", true);
    row->addWidget(mark);
    row->addWidget(words, 1);
    for (const auto& [name_of_choice, act] : choices) {
        auto* button = new QPushButton(name_of_choice, line);
        row->addWidget(button);
        connect(button, &QPushButton::clicked, this, [this, key, act = act] {
            remove(key);
            act();
        });
    }
    auto* close = new QToolButton(line);
    close->setIcon(icon(QStringLiteral("close")));
    close->setIconSize({12, 12});
    close->setObjectName(QStringLiteral("banner-close"));
    close->setToolTip(tr("Dismiss"));
    close->setAccessibleName(tr("Dismiss message"));
    row->addWidget(close);
    connect(close, &QToolButton::clicked, this, [this, key, closed] {
        remove(key);
        if (closed) closed();
    });
    column_->addWidget(line);
    show();
    announcer_->announce(text);
    if (seconds > 0) QTimer::singleShot(seconds * 1000, line, [this, key] { remove(key); });
}

void Banners::remove(const QString& key) {
    int left = 0;
    for (auto* line : findChildren<QFrame*>(QString(), Qt::FindDirectChildrenOnly)) {
        if (line->objectName() == key && !line->property("gone").toBool()) {
            line->setProperty("gone", true);
            line->hide();
            line->deleteLater();
        } else if (!line->property("gone").toBool()) {
            ++left;
        }
    }
    setVisible(left > 0);
}

QStringList Banners::texts() const {
    QStringList all;
    for (const auto* line : findChildren<QFrame*>(QString(), Qt::FindDirectChildrenOnly))
        if (!line->property("gone").toBool())
            if (const auto* words = line->findChild<QLabel*>(QStringLiteral("banner-text")))
                all.append(words->text().remove(QChar(0x200b)));
    return all;
}

} // namespace denoir::ui
