// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/elided_label.h"

#include <QResizeEvent>

#include "ui/theme/spoken.h"

namespace denoir::ui {

namespace {
constexpr int longest_word = 24;
} // namespace

ElidedLabel::ElidedLabel(QWidget* parent, Qt::TextElideMode mode) : QLabel(parent), mode_(mode) {
    setTextFormat(Qt::PlainText);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
}

void ElidedLabel::set_text(const QString& text) {
    whole_ = text;
    set_spoken_name(*this, text);
    fit();
}

void ElidedLabel::set_tip(const QString& tip) {
    tip_ = tip;
    fit();
}

void ElidedLabel::resizeEvent(QResizeEvent* event) {
    QLabel::resizeEvent(event);
    fit();
}

void ElidedLabel::fit() {
    const QString shown = fontMetrics().elidedText(whole_.simplified(), mode_, contentsRect().width());
    QStringList tips;
    if (shown != whole_) tips << whole_;
    if (!tip_.isEmpty()) tips << tip_;
    setToolTip(tips.join(QLatin1Char('\n')));
    if (shown != text()) setText(shown);
}

QString breakable(const QString& text) {
    QString out;
    int run = 0;
    for (const QChar c : text) {
        // A break must not come between the two surrogates of a character.
        if (run >= longest_word && !c.isLowSurrogate()) out += QChar(0x200b), run = 0;
        out += c;
        run = c.isSpace() ? 0 : run + 1;
    }
    return out;
}

} // namespace denoir::ui
