// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/banner.h"

#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/theme/colours.h"
#include "ui/theme/icons.h"
#include "ui/widgets/announcer.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/make_layout.h"
#include "ui/widgets/page_area.h"
#include "ui/widgets/tool_button.h"

namespace denoir::ui {

namespace {

constexpr qsizetype most_seen = 2;
const QString answers_name = QStringLiteral("banner-answers");

} // namespace

Banners::Banners(QWidget* parent)
    : QFrame(parent),
      list_(new QWidget),
      area_(new PageArea(this)),
      column_(make_layout<QVBoxLayout>(list_, 0)),
      more_(new QToolButton(list_)),
      announcer_(new Announcer(this)) {
    setObjectName(QStringLiteral("banners"));
    setAccessibleName(tr("Messages"));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    area_->setFocusPolicy(Qt::NoFocus); // the buttons in it have the focus, and are scrolled to
    area_->setWidget(list_);
    list_->installEventFilter(this);
    connect(area_->verticalScrollBar(), &QScrollBar::rangeChanged, this, &Banners::show_newest);
    more_->setObjectName(QStringLiteral("banners-more"));
    more_->setAutoRaise(true);
    column_->addWidget(more_, 0, Qt::AlignRight);
    connect(more_, &QToolButton::clicked, this, [this] {
        unfolded_ = !unfolded_;
        newest_ = unfolded_ ? nullptr : lines().constLast();
        fold();
        if (unfolded_) area_->verticalScrollBar()->setValue(0); // the oldest comes first
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
    take_out(key); // the new one is laid out in its place: without either, the picture would grow and shrink again
    emit shown(kind, text);
    QFrame* line = make_line(kind, text);
    line->setObjectName(key);
    auto* answers = line->findChild<QWidget*>(answers_name);
    for (const auto& [name, act] : choices) {
        auto* button = new QPushButton(name, answers);
        answers->layout()->addWidget(button);
        connect(button, &QPushButton::clicked, this, [this, key, act = act] {
            remove(key);
            act();
        });
    }
    auto* close = new QToolButton(line);
    set_drawing(*close, icon(QStringLiteral("close")), tr("Dismiss message"), tr("Dismiss"));
    close->setIconSize({12, 12});
    close->setObjectName(QStringLiteral("banner-close"));
    static_cast<QGridLayout*>(line->layout())->addWidget(close, 0, 3);
    connect(close, &QToolButton::clicked, this, [this, key, closed] {
        remove(key);
        if (closed) closed();
    });
    column_->addWidget(line);
    newest_ = line;
    fit(*line);
    fold();
    announcer_->announce(text);
    if (seconds > 0) QTimer::singleShot(seconds * 1000, line, [this, key] { remove(key); });
}

/// Makes the icon and the text, with room for answers.
QFrame* Banners::make_line(Kind kind, const QString& text) {
    auto* line = new QFrame(list_);
    line->setProperty("banner", true);
    auto* row = make_layout<QGridLayout>(line, grid::half, {grid::two, grid::half, grid::unit, grid::half});
    row->setHorizontalSpacing(0); // the words have their own, or choices below them would leave a gap beside them
    row->setColumnStretch(1, 1);
    auto* mark = new QLabel(line);
    const QString name = kind == Kind::error     ? QStringLiteral("error")
                         : kind == Kind::warning ? QStringLiteral("warning")
                                                 : QStringLiteral("info");
    mark->setPixmap(icon(name).pixmap(QSize(16, 16), devicePixelRatioF()));
    auto* words = new QLabel(breakable(text), line);
    words->setObjectName(QStringLiteral("banner-text"));
    words->setWordWrap(true);
    words->setContentsMargins(grid::unit, 0, grid::unit, 0);
    words->setTextInteractionFlags(Qt::TextSelectableByMouse);
    words->setTextFormat(Qt::PlainText);
    if (kind == Kind::error) words->setProperty("error", true);
    row->addWidget(mark, 0, 0);
    row->addWidget(words, 0, 1);
    auto* answers = new QWidget(line);
    answers->setObjectName(answers_name);
    make_layout<QHBoxLayout>(answers, grid::half, {0, 0, grid::unit, 0});
    row->addWidget(answers, 0, 2);
    return line;
}

QSize Banners::sizeHint() const {
    const int high = list_->hasHeightForWidth() ? list_->heightForWidth(width()) : list_->sizeHint().height();
    return {minimumSizeHint().width(), high};
}

QSize Banners::minimumSizeHint() const { return {160, 40}; }

void Banners::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    area_->setGeometry(rect());
    for (const QFrame* line : lines()) fit(*line);
    updateGeometry(); // at another width, words take another height
}

bool Banners::eventFilter(QObject* watched, QEvent* event) {
    if (watched == list_ && event->type() == QEvent::LayoutRequest) updateGeometry();
    return QFrame::eventFilter(watched, event);
}

/// Puts the choices beside the text, or below it if that would leave the text too narrow to read, and there one below
/// the other if they are wider than the line.
void Banners::fit(const QFrame& line) const {
    constexpr int least = 240;
    auto* row = static_cast<QGridLayout*>(line.layout());
    auto* answers = line.findChild<QWidget*>(answers_name);
    auto& choices = static_cast<QBoxLayout&>(*answers->layout());
    answers->setHidden(choices.isEmpty());
    choices.setDirection(QBoxLayout::LeftToRight);
    const int wide = choices.sizeHint().width();
    const bool beside = width() - wide >= least;
    if (wide > width() - grid::two - grid::unit) choices.setDirection(QBoxLayout::TopToBottom);
    row->removeWidget(answers);
    if (beside)
        row->addWidget(answers, 0, 2);
    else
        row->addWidget(answers, 1, 0, 1, 4, Qt::AlignRight);
}

void Banners::set_text(const QString& key, const QString& text) {
    for (const auto* line : lines())
        if (line->objectName() == key)
            line->findChild<QLabel*>(QStringLiteral("banner-text"))->setText(breakable(text));
}

void Banners::take_out(const QString& key) {
    for (auto* line : lines())
        if (line->objectName() == key) {
            line->setProperty("gone", true);
            line->hide();
            line->deleteLater();
            if (newest_ == line) newest_ = nullptr;
        }
}

void Banners::remove(const QString& key) {
    take_out(key);
    if (const auto left = lines(); !newest_ && !unfolded_ && !left.isEmpty()) newest_ = left.constLast();
    fold();
}

void Banners::show_newest() {
    if (newest_) area_->verticalScrollBar()->setValue(newest_->y());
}

QList<QFrame*> Banners::lines() const {
    QList<QFrame*> all = list_->findChildren<QFrame*>(QString(), Qt::FindDirectChildrenOnly);
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
    // Everything gets its place at once, as a press would miss a button that is shown but not laid out yet. The list is
    // laid out a second time because the window may have given it another width.
    list_->layout()->activate();
    updateGeometry();
    if (QLayout* around = parentWidget() ? parentWidget()->layout() : nullptr) around->activate();
    list_->layout()->activate();
    show_newest(); // the scroll bar's range may be as it was
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
