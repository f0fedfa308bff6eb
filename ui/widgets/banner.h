// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFrame>
#include <QList>
#include <QPointer>

#include <functional>
#include <utility>
#include <vector>

class QPushButton;
class QScrollArea;
class QToolButton;
class QVBoxLayout;

namespace denoir::ui {

class Announcer;

/// Short messages to the user above the picture, each with what happened, what can be done, and a cross to close it.
/// The newest two are shown, and a button that unfolds older ones. They are as high as their text if there is room, and
/// are scrolled if there is not: the window must neither grow nor move its docks for a message.
class Banners : public QFrame {
    Q_OBJECT
public:
    enum class Kind { info, warning, error };
    using Choice = std::pair<QString, std::function<void()>>;

    explicit Banners(QWidget* parent = nullptr);
    /// Shows a banner in place of an earlier one with the same `key`. With `seconds` 0 it stays until it is closed or
    /// answered. `closed` is called when the user presses the cross, to end what the banner stands for.
    void show_banner(const QString& key, Kind kind, const QString& text, const std::vector<Choice>& choices = {},
                     int seconds = 0, const std::function<void()>& closed = {});
    /// Changes the text of a banner that is shown, such as a number in it. Screen readers do not say it again.
    void set_text(const QString& key, const QString& text);
    void remove(const QString& key);
    /// All texts, oldest first, including folded ones.
    QStringList texts() const;
    struct Answer {
        QString text; ///< text of its banner
        QPointer<QPushButton> button;
    };
    /// Every choice that can be made now, including those of folded banners.
    QList<Answer> answers() const;
    QSize sizeHint() const override; ///< the height that all that is shown needs at the width that there is
    QSize minimumSizeHint() const override;

signals:
    void shown(denoir::ui::Banners::Kind kind, const QString& text);

private:
    QFrame* make_line(Kind kind, const QString& text);
    QList<QFrame*> lines() const; ///< oldest first
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void fit(const QFrame& line) const;
    void take_out(const QString& key); ///< without laying out what is left
    void fold();
    void show_newest(); ///< if not all lines have room

    QWidget* list_; ///< all of them, below each other
    QScrollArea* area_;
    QVBoxLayout* column_;
    QToolButton* more_;
    QPointer<QFrame> newest_; ///< to be seen if not all can be; null while older ones are looked at
    bool unfolded_ = false;
    Announcer* announcer_;
};

} // namespace denoir::ui
