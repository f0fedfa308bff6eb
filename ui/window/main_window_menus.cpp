// SPDX-License-Identifier: GPL-3.0-or-later
#include <QEvent>
#include <QMenuBar>
#include <QToolButton>

#include "ui/docks/parameters_panel.h"
#include "ui/widgets/dock.h"
#include "ui/widgets/field.h"
#include "ui/widgets/tool_button.h"
#include "ui/window/docks.h"
#include "ui/window/main_window.h"
#include "ui/window/project_files.h"

namespace denoir::ui {
namespace {

/// Adds actions by their ids; "-" is a separator.
void fill(QMenu& menu, const ActionTable& actions, std::initializer_list<const char*> ids) {
    for (const char* id : ids)
        if (*id == '-')
            menu.addSeparator();
        else
            menu.addAction(actions.at(QLatin1String(id)));
}

} // namespace

void MainWindow::add_menu(const QString& title, std::initializer_list<const char*> actions) {
    fill(*menuBar()->addMenu(title), actions_, actions);
}

void MainWindow::make_menus() {
    QMenu& file = *menuBar()->addMenu(tr("&File"));
    fill(file, actions_, {"file.new", "file.open"});
    files_->offer_recent(*file.addMenu(tr("Open &recent")));
    fill(file, actions_,
         {"file.save", "file.save-as", "-", "file.export", "-", "file.models", "file.rebuild", "-", "file.disk-limit",
          "file.free-steps", "file.notify", "-", "file.quit"});
    add_menu(tr("&Edit"), {"edit.undo", "edit.redo", "-", "edit.prompt", "edit.prompt-before", "edit.prompt-after",
                           "edit.negative-default", "-", "edit.start-image", "edit.last-image", "edit.paste-image",
                           "edit.camera", "edit.swap-images", "-", "edit.reset"});
    make_view_menu();
    add_menu(tr("&Run"), {"run.generate", "run.generate-next", "run.cancel", "run.pause", "run.undo-clear", "-",
                          "run.watch", "run.branch", "run.resume", "-", "run.restore", "run.star", "run.verify",
                          "run.reveal", "run.to-timeline", "-", "run.delete", "run.undo-delete"});
    add_menu(tr("&Play"),
             {"play.toggle", "play.backwards", "play.stop", "play.forwards", "-", "play.frame-back", "play.frame-on",
              "play.ten-back", "play.ten-on", "-", "play.loop", "play.fit", "play.true-size", "play.values"});
    make_compare_menu();
    add_menu(tr("T&une"), {"tune.axes", "tune.swap", "tune.take-axes", "-", "tune.missing", "tune.clear", "-",
                           "tune.take", "tune.take-all", "tune.compare", "tune.star", "tune.reference", "-",
                           "tune.export-video", "tune.export-picture", "tune.export-report", "tune.export-csv"});
    add_menu(tr("&Timeline"), {"timeline.play", "-", "timeline.add", "timeline.add-frames", "-", "timeline.split",
                               "timeline.trim-in", "timeline.trim-out", "timeline.remove", "timeline.extend",
                               "timeline.retake", "edit.rename", "-", "timeline.fit", "file.export"});
    add_menu(tr("&Help"), {"view.palette", "help.shortcuts", "help.log", "-", "help.about"});
    add_palette_button();
    dress_further_menus();
}

void MainWindow::make_view_menu() {
    QMenu& view = *menuBar()->addMenu(tr("&View"));
    fill(view, actions_,
         {"view.create", "view.compare", "view.tune", "-", "view.palette", "view.search", "view.picture",
          "view.timeline", "view.parameters", "view.queue", "-"});
    add_parameter_actions(); // added here, as this decides the order of the palette
    docks_->fill_menu(*view.addMenu(tr("&Docks")), actions_);
    fill(view, actions_,
         {"view.reset-layout", "view.full-screen", "-", "view.theme-system", "view.theme-light", "view.theme-dark"});
}

void MainWindow::make_compare_menu() {
    QMenu& compare = *menuBar()->addMenu(tr("&Compare"));
    fill(compare, actions_,
         {"compare.selected", "compare.with-file", "compare.with-folder", "compare.layers", "compare.trace",
          "compare.traces", "-"});
    fill(compare, actions_,
         {"compare.side-by-side", "compare.wipe", "compare.difference", "compare.onion", "compare.flicker", "-"});
    fill(compare, actions_,
         {"compare.flip", "compare.swap", "compare.by-number", "compare.worst", "-", "compare.first-error", "-"});
    fill(compare, actions_,
         {"compare.export-video", "compare.export-difference", "compare.export-report", "compare.export-csv",
          "compare.export-layers", "-", "compare.end"});
}

/// Adds an action for each parameter. They are in no menu, but the palette finds them, and the user may give them keys.
void MainWindow::add_parameter_actions() {
    for (Field* field : parameters_->fields())
        add_action(("parameter." + field->control()->objectName()).toLatin1().constData(), tr("Parameters"),
                   tr("Go to %1").arg(field->name()), {}, "sliders", [this, field] {
                       docks_->reveal("parameters-dock");
                       if (!parameters_->go_to(*field)) say(tr("The model has no parameter %1.").arg(field->name()));
                   });
}

/// Adds words by which the palette also finds actions: what other programs call them, or what people may look for.
void MainWindow::add_other_words() {
    const std::initializer_list<std::pair<const char*, QString>> words{
        {"file.open", tr("load import")},
        {"file.export", tr("render save video mp4 mkv")},
        {"file.models", tr("add checkpoint weights download")},
        {"file.disk-limit", tr("storage quota clean")},
        {"file.quit", tr("exit")},
        {"edit.start-image", tr("first picture photo")},
        {"edit.last-image", tr("last picture")},
        {"edit.camera", tr("webcam photo")},
        {"edit.reset", tr("settings clear")},
        {"view.search", tr("filter history")},
        {"view.reset-layout", tr("panels windows")},
        {"view.full-screen", tr("fullscreen maximize")},
        {"view.theme-system", tr("mode appearance colours")},
        {"view.theme-light", tr("mode appearance colours bright")},
        {"view.theme-dark", tr("mode appearance colours night")},
        {"help.shortcuts", tr("keys hotkeys preferences settings")},
        {"help.log", tr("errors messages")},
        {"help.about", tr("version licence")},
        {"run.generate", tr("render start make create")},
        {"run.cancel", tr("cancel abort interrupt")},
        {"run.branch", tr("fork")},
        {"run.resume", tr("continue")},
        {"run.star", tr("favourite rate keep")},
        {"run.verify", tr("checksum reproduce")},
        {"run.reveal", tr("open directory")},
        {"run.delete", tr("remove trash")},
        {"run.undo-delete", tr("removed trash")},
        {"run.to-timeline", tr("append shot cut")},
        {"timeline.split", tr("cut razor blade")},
        {"timeline.extend", tr("continue longer")},
        {"timeline.retake", tr("redo again inpaint")},
        {"timeline.remove", tr("delete ripple")},
        {"play.fit", tr("zoom")},
        {"play.true-size", tr("zoom 100 actual pixels")},
        {"play.values", tr("eyedropper inspect rgb")},
        {"compare.flicker", tr("blink toggle")},
        {"compare.worst", tr("psnr ssim")},
        {"tune.reference", tr("reference baseline")},
        {"tune.missing", tr("continue resume")},
        {"tune.export-picture", tr("grid image png")}};
    for (const auto& [id, other] : words) actions_.set_other_words(QLatin1String(id), other);
}

namespace {

/// The button in the corner of the menu bar. In a bar too narrow for its words and all menus it leaves the menus their
/// room, and the words are in its tool tip.
class PaletteButton : public QToolButton {
public:
    explicit PaletteButton(QMenuBar& bar) : QToolButton(&bar), bar_(bar) { bar.installEventFilter(this); }
    void set_words(const QString& whole, const QString& brief) {
        whole_ = whole;
        brief_ = brief;
        fit();
    }
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::Resize) fit();
        return QToolButton::eventFilter(watched, event);
    }

private:
    void fit() {
        constexpr int around = 24; // pixels beside the name of each menu, at most
        int menus = 0;
        for (const QAction* menu : bar_.actions())
            menus += fontMetrics().horizontalAdvance(menu->text().remove(QLatin1Char('&'))) + around;
        setText(whole_);
        const bool fits = menus + sizeHint().width() <= bar_.width();
        if (!fits) setText(brief_);
        setToolTip(fits ? QString() : whole_);
    }
    QMenuBar& bar_;
    QString whole_, brief_;
};

} // namespace

/// Adds a button in the corner of the menu bar, by which those who do not know the palette's keys find every action.
void MainWindow::add_palette_button() {
    auto* find = new PaletteButton(*menuBar());
    QAction* palette_action = actions_.at(QStringLiteral("view.palette"));
    const auto follow = [this, find] {
        const QString keys = actions_.keys(QStringLiteral("view.palette"));
        if (keys.isEmpty())
            find->set_words(tr("Find any action"), tr("Find any action"));
        else
            find->set_words(tr("%1: find any action").arg(keys), keys);
    };
    connect(palette_action, &QAction::changed, find, follow);
    follow();
    find->setAutoRaise(true);
    find->setFocusPolicy(Qt::NoFocus);
    find->setAccessibleName(tr("Find any action"));
    connect(find, &QToolButton::clicked, palette_action, &QAction::trigger);
    menuBar()->setCornerWidget(find);
}

/// Gives a picture and a name to Qt's button for menus that do not fit into the window: its own picture is black in
/// every theme, and it has no name.
void MainWindow::dress_further_menus() {
    if (auto* further = menuBar()->findChild<QToolButton*>(QStringLiteral("qt_menubar_ext_button")))
        set_drawing(*further, icon(QStringLiteral("more")), tr("Further menus"));
}

} // namespace denoir::ui
