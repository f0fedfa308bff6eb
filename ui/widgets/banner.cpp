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
#include "ui/widgets/make_layout.h"
#include "ui/widgets/tool_button.h"

namespace denoir::ui {

namespace {

constexpr qsizetype most_seen = 2;
const QString answers_name = QStringLiteral("banner-answers");

} // namespace

Banners::Banners(QWidget* parent)
    : QFrame(parent), column_(new QVBoxLayout(this)), more_(new QToolButton(this)), announcer_(new Announcer(this)) {
    setObjectName(QStringLiteral("banners"));
    setAccessibleName(tr("Messages"));
    column_->setContentsMargins(0, 0, 0, 0);
    column_->setSpacing(0);
    more_->setObjectName(QStringLiteral("banners-more"));
    more_->setAutoRaise(true);
    column_->addWidget(more_, 0, Qt::AlignRight);
    connect(more_, &QToolButton::clicked, this, [this] {
        unfolded_ = !unfolded_;
        fold();
    });
    // Text that is copied from a banner must not contain the zero-width spaces that break its long words.
    connect(QGuiApplication::clipboard(), &QClipboard::dataChanged, this, [this] {
        const QWidget* from = QApplication::focusWidget();
        if (!from || !isAncestorOf(from)) return; // the clipboard of another program may be large or slow
        QString copied = QGuiApplication::clipboard()->text();
        if (copied.contains(QChar(0x200b))) QGuiApplication::clipboard()->setText(copied.remove(QChar(0x200b)));
    });
    hide();
}

void Banners::show_banner(const QString& key, Kind kind, const QString& text, const std::vector<Choice>& choices,
                          int seconds, const std::function<void()>& closed) {
    remove(key);
    emit shown(kind, text);
    QFrame* line = make_line(kind, text);
    line->setObjectName(key);
    auto* answers = line->findChild<QHBoxLayout*>(answers_name);
    for (const auto& [name, act] : choices) {
        auto* button = new QPushButton(name, line);
        answers->addWidget(button);
        connect(button, &QPushButton::clicked, this, [this, key, act = act] {
            remove(key);
            act();
        });
    }
    auto* close = new QToolButton(line);
    set_drawing(*close, icon(QStringLiteral("close")), tr("Dismiss message"), tr("Dismiss"));
    close->setIconSize({12, 12});
    close->setObjectName(QStringLiteral("banner-close"));
    line->layout()->addWidget(close);
    connect(close, &QToolButton::clicked, this, [this, key, closed] {
        remove(key);
        if (closed) closed();
    });
    column_->addWidget(line);
    fit(*line);
    fold();
    announcer_->announce(text);
    if (seconds > 0) QTimer::singleShot(seconds * 1000, line, [this, key] { remove(key); });
}

/// Makes the icon and the text, with room for answers.
QFrame* Banners::make_line(Kind kind, const QString& text) {
    auto* line = new QFrame(this);
    line->setProperty("banner", true);
    auto* row = make_layout<QHBoxLayout>(line, grid::unit, {grid::two, grid::half, grid::unit, grid::half});
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
    auto* middle = new QBoxLayout(QBoxLayout::LeftToRight);
    middle->setObjectName(QStringLiteral("banner-middle"));
    middle->addWidget(words, 1);
    row->addLayout(middle, 1);
    auto* answers = new QHBoxLayout;
    answers->setObjectName(answers_name);
    answers->addStretch(1);
    middle->addLayout(answers);
    return line;
}

void Banners::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    for (const QFrame* line : lines()) fit(*line);
}

/// Puts the choices beside the text, or below it if that would leave the text too narrow to read.
void Banners::fit(const QFrame& line) const {
    constexpr int least = 240;
    auto* middle = line.findChild<QBoxLayout*>(QStringLiteral("banner-middle"));
    const QLayout& answers = *middle->itemAt(1)->layout();
    const bool beside = answers.count() == 1 || width() - answers.sizeHint().width() >= least;
    middle->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

void Banners::set_text(const QString& key, const QString& text) {
    for (const auto* line : lines())
        if (line->objectName() == key)
            line->findChild<QLabel*>(QStringLiteral("banner-text"))->setText(breakable(text));
}

void Banners::remove(const QString& key) {
    for (auto* line : lines())
        if (line->objectName() == key) {
            line->setProperty("gone", true);
            line->hide();
            line->deleteLater();
        }
    fold();
}

QList<QFrame*> Banners::lines() const {
    QList<QFrame*> all = findChildren<QFrame*>(QString(), Qt::FindDirectChildrenOnly);
    all.removeIf(
        [](const QFrame* line) { return !line->property("banner").toBool() || line->property("gone").toBool(); });
    return all;
}

void Banners::fold() {
    const QList<QFrame*> all = lines();
    const qsizetype older = all.size() - most_seen;
    if (older <= 0) unfolded_ = false;
    for (qsizetype i = 0; i < all.size(); ++i) all[i]->setVisible(unfolded_ || i >= older);
    more_->setVisible(older > 0);
    more_->setText(unfolded_ ? tr("Only the newest") : tr("%n more", nullptr, int(older)));
    setVisible(!all.isEmpty());
}

namespace {

QString text_of(const QFrame& line) {
    return line.findChild<QLabel*>(QStringLiteral("banner-text"))->text().remove(QChar(0x200b));
}

} // namespace

QStringList Banners::texts() const {
    QStringList all;
    for (const auto* line : lines()) all.append(text_of(*line));
    return all;
}

QList<Banners::Answer> Banners::answers() const {
    QList<Answer> all;
    for (const auto* line : lines())
        for (auto* button : line->findChildren<QPushButton*>()) all.append({text_of(*line), button});
    return all;
}

} // namespace denoir::ui
