// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFrame>
#include <QList>
#include <QPointer>

#include <functional>
#include <utility>
#include <vector>

class QPushButton;
class QToolButton;
class QVBoxLayout;

namespace denoir::ui {

class Announcer;

/// Short messages to the user above the picture, one line each: what happened, what can be done, a cross to close it.
/// The newest two are shown, and a button that unfolds the older ones.
class Banners : public QFrame {
    Q_OBJECT
public:
    enum class Kind { info, warning, error };
    using Choice = std::pair<QString, std::function<void()>>;

    explicit Banners(QWidget* parent = nullptr);
    /// `key`: a later banner of the same key takes this one's place. `seconds` 0: stays until it is closed or answered.
    /// `closed` is called when the user presses the cross: if the banner stands for something that goes on, that ends.
    void show_banner(const QString& key, Kind kind, const QString& text, const std::vector<Choice>& choices = {},
                     int seconds = 0, const std::function<void()>& closed = {});
    /// Changes the text of a banner that is shown, such as a number in it. Screen readers do not say it again.
    void set_text(const QString& key, const QString& text);
    void remove(const QString& key);
    /// All texts, oldest first, folded ones too.
    QStringList texts() const;
    struct Answer {
        QString text; ///< of its banner
        QPointer<QPushButton> button;
    };
    /// Every choice that can be made now, of folded banners too.
    QList<Answer> answers() const;

signals:
    void shown(denoir::ui::Banners::Kind kind, const QString& text);

private:
    QFrame* make_line(Kind kind, const QString& text);
    QList<QFrame*> lines() const; ///< oldest first
    void resizeEvent(QResizeEvent* event) override;
    void fit(const QFrame& line) const;
    void fold();

    QVBoxLayout* column_;
    QToolButton* more_;
    bool unfolded_ = false;
    Announcer* announcer_;
};

} // namespace denoir::ui
