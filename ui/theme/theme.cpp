// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/theme.h"

#include <QApplication>
#include <QCursor>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>
#include <QEvent>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QPixmapCache>
#include <QProxyStyle>
#include <QStyleOption>
#include <QTimer>
#include <QToolButton>

#include "app/desktop/session_bus.h"

namespace denoir::ui {

namespace {
constexpr auto portal = "org.freedesktop.portal.Desktop";
constexpr auto portal_path = "/org/freedesktop/portal/desktop";
constexpr auto portal_settings = "org.freedesktop.portal.Settings";
constexpr auto appearance = "org.freedesktop.appearance";
constexpr auto scheme_key = "color-scheme";

/// Fusion, with two changes that no style sheet can make. Fusion's own greys would show above and below the list of a
/// combo box; and the button for menus that do not fit into the menu bar would be 12 pixels wide, too few for an icon.
class ControlStyle : public QProxyStyle {
public:
    ControlStyle() : QProxyStyle(QStringLiteral("Fusion")) {}
    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override {
        constexpr int extension = 24; // pixels
        return metric == PM_ToolBarExtensionExtent ? extension : QProxyStyle::pixelMetric(metric, option, widget);
    }
    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override {
        const bool of_list = widget && widget->inherits("QComboBoxPrivateContainer");
        if (!of_list || (element != PE_PanelMenu && element != PE_Frame && element != PE_FrameMenu))
            return QProxyStyle::drawPrimitive(element, option, painter, widget);
        const Colours& c = colours(option->palette);
        if (element == PE_PanelMenu) painter->fillRect(option->rect, c.panel);
        painter->setPen(c.rim);
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
    }
};

/// Qt does not tell a button that the pointer has left it where a press elsewhere closed its menu: it would look as if
/// the pointer were on it for good.
void leave_if_left(QToolButton& button) {
    if (!button.underMouse() || button.rect().contains(button.mapFromGlobal(QCursor::pos()))) return;
    QEvent left(QEvent::Leave);
    QApplication::sendEvent(&button, &left);
    button.update();
}

} // namespace

Scheme scheme_from_name(const QString& name) {
    if (name == QLatin1String("light")) return Scheme::light;
    if (name == QLatin1String("dark")) return Scheme::dark;
    return Scheme::system;
}

QString scheme_name(Scheme scheme) {
    switch (scheme) {
    case Scheme::light:
        return QStringLiteral("light");
    case Scheme::dark:
        return QStringLiteral("dark");
    case Scheme::system:
        break;
    }
    return QStringLiteral("system");
}

QPalette palette_of(const Colours& c) {
    QPalette p;
    p.setColor(QPalette::Window, c.panel);
    p.setColor(QPalette::WindowText, c.text);
    p.setColor(QPalette::Base, c.field);
    p.setColor(QPalette::AlternateBase, c.panel);
    p.setColor(QPalette::Text, c.text);
    p.setColor(QPalette::PlaceholderText, c.quiet);
    p.setColor(QPalette::Button, c.raised);
    p.setColor(QPalette::ButtonText, c.text);
    p.setColor(QPalette::BrightText, c.error);
    p.setColor(QPalette::ToolTipBase, c.raised);
    p.setColor(QPalette::ToolTipText, c.text);
    p.setColor(QPalette::Highlight, c.selection);
    p.setColor(QPalette::HighlightedText, c.text);
    p.setColor(QPalette::Link, c.accent);
    p.setColor(QPalette::LinkVisited, c.accent);
    p.setColor(QPalette::Light, c.hover);
    p.setColor(QPalette::Midlight, c.raised);
    p.setColor(QPalette::Mid, c.line);
    p.setColor(QPalette::Dark, c.line);
    p.setColor(QPalette::Shadow, c.canvas);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText})
        p.setColor(QPalette::Disabled, role, c.disabled);
    p.setColor(QPalette::Disabled, QPalette::Highlight, c.line);
    return p;
}

Theme::Theme(QApplication& application, QObject* parent)
    : QObject(parent),
      application_(application),
      platform_dark_(QApplication::palette().color(QPalette::Window).lightness() < 128),
      desktop_dark_(platform_dark_) {
    QApplication::setStyle(new ControlStyle); // owned by Qt
    application.installEventFilter(this);
    ask_desktop();
    apply();
}

void Theme::ask_desktop() {
    // Asks the portal, as Qt 6.4 knows no colour scheme. Without a session bus (tests, remote displays) the platform's
    // palette decides.
    if (!app::has_session_bus()) return;
    auto bus = QDBusConnection::sessionBus();
    if (!bus.isConnected()) return;
    bus.connect(QString::fromLatin1(portal), QString::fromLatin1(portal_path), QString::fromLatin1(portal_settings),
                QStringLiteral("SettingChanged"), this, SLOT(desktop_changed(QString, QString, QDBusVariant)));
    auto message = QDBusMessage::createMethodCall(QString::fromLatin1(portal), QString::fromLatin1(portal_path),
                                                  QString::fromLatin1(portal_settings), QStringLiteral("Read"));
    message << QString::fromLatin1(appearance) << QString::fromLatin1(scheme_key);
    auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(message, 1000), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this](QDBusPendingCallWatcher* call) {
        call->deleteLater();
        const QDBusPendingReply<QDBusVariant> reply = *call;
        if (reply.isError()) return;
        desktop_changed(QString::fromLatin1(appearance), QString::fromLatin1(scheme_key), reply.value());
    });
}

void Theme::desktop_changed(const QString& space, const QString& key, const QDBusVariant& value) {
    if (space != QLatin1String(appearance) || key != QLatin1String(scheme_key)) return;
    QVariant inner = value.variant();
    if (inner.canConvert<QDBusVariant>()) inner = inner.value<QDBusVariant>().variant(); // `Read` wraps it twice
    const uint scheme = inner.toUInt();
    // 0 means no preference, which is also what GNOME says for its light style.
    desktop_dark_ = scheme == 1 || (scheme != 2 && platform_dark_);
    if (scheme_ == Scheme::system) apply();
}

void Theme::set_scheme(Scheme scheme) {
    scheme_ = scheme;
    apply();
}

bool Theme::dark() const { return scheme_ == Scheme::dark || (scheme_ == Scheme::system && desktop_dark_); }

/// Makes tool tips plain text, as a prompt with <b> in it is no rich text. Qt's label for tool tips has no setting for
/// this.
bool Theme::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Polish && watched->inherits("QTipLabel"))
        static_cast<QLabel*>(watched)->setTextFormat(Qt::PlainText);
    if (const auto* menu = event->type() == QEvent::Hide ? qobject_cast<QMenu*>(watched) : nullptr)
        if (auto* button = qobject_cast<QToolButton*>(menu->parentWidget()))
            QTimer::singleShot(0, button, [button] { leave_if_left(*button); });
    return QObject::eventFilter(watched, event);
}

void Theme::apply() {
    if (applied_ && applied_dark_ == dark()) return;
    applied_ = true;
    applied_dark_ = dark();
    const Colours& c = dark() ? dark_colours() : light_colours();
    QPixmapCache::clear();
    QApplication::setPalette(palette_of(c));
    application_.setStyleSheet(style_sheet_of(c));
    emit changed();
}

} // namespace denoir::ui
