// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/images_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QMenu>
#include <QMimeData>
#include <QResizeEvent>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/base/background.h"
#include "app/base/engine_text.h"
#include "app/base/settings.h"
#include "app/base/text.h"
#include "app/clips/clip_source.h"
#include "app/request/request_document.h"
#include "app/runs/run_history.h"
#include "app/studio.h"
#include "engine/core/error.h"
#include "engine/core/own_folders.h"
#include "engine/pipeline/run_layout.h"
#include "ui/docks/camera_window.h"
#include "ui/docks/parameters_text.h"
#include "ui/theme/colours.h"
#include "ui/theme/icons.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/field.h"
#include "ui/widgets/make_layout.h"
#include "ui/widgets/open_dialog.h"
#include "ui/widgets/tool_button.h"

namespace denoir::ui {
namespace {

/// A row as high as its pictures want to be at its width, but lower in a low dock, so that the pictures shrink and not
/// the words below. (Qt's layouts treat a height for a width as the minimum.)
class PictureRow : public QWidget {
public:
    using QWidget::QWidget;
    bool hasHeightForWidth() const override { return false; }
    QSize sizeHint() const override { return {layout()->sizeHint().width(), layout()->heightForWidth(width())}; }

protected:
    void resizeEvent(QResizeEvent* event) override {
        if (event->size().width() != event->oldSize().width()) updateGeometry();
    }
};

} // namespace

ImagesPanel::ImagesPanel(Studio& studio, QWidget* parent)
    : QWidget(parent),
      studio_(studio),
      start_(new ImageWell(tr("Start"), tr("Drop, paste or choose the picture that the clip begins with"), this)),
      last_(new ImageWell(tr("End"), tr("Drop, paste or choose the picture that the clip ends with"), this)),
      swap_(new QToolButton(this)),
      before_name_(new ElidedLabel) {
    start_->setObjectName(QStringLiteral("start-image"));
    last_->setObjectName(QStringLiteral("last-image"));
    set_drawing(*swap_, icon(QStringLiteral("swap")), tr("Swap start and end"));
    before_ = new Field(tr("After"), before_name_, this);
    before_->setObjectName(QStringLiteral("goes-on-after"));
    auto* anew = flat_button(nullptr, icon(QStringLiteral("close")), tr("Begin a separate clip instead"));
    anew->setObjectName(QStringLiteral("begin-anew"));
    before_->add_control(anew);
    connect(anew, &QToolButton::clicked, this, &ImagesPanel::begin_anew);
    setTabOrder(start_, swap_); // in the order in which they are seen
    setTabOrder(swap_, last_);
    auto* pictures = new PictureRow(this);
    auto* row = make_layout<QHBoxLayout>(pictures, grid::half);
    row->addWidget(start_, 1);
    row->addWidget(swap_);
    row->addWidget(last_, 1);
    auto* column = make_layout<QVBoxLayout>(this, grid::half, {grid::unit, grid::half, grid::unit, grid::unit});
    column->addWidget(pictures);
    column->addWidget(before_);
    column->addStretch(1);
    for (const Side side : {Side::start, Side::last}) {
        ImageWell* each = well(side);
        connect(each, &ImageWell::choose_asked, this, [this, side] { choose(side); });
        connect(each, &ImageWell::remove_asked, this, [this, side] { remove(side); });
        connect(each, &ImageWell::dropped, this, [this, side](const DroppedImage& image) { take(side, image); });
        connect(each, &ImageWell::menu_asked, this, [this, side](const QPoint& at) { show_menu(side, at); });
    }
    connect(swap_, &QToolButton::clicked, this, &ImagesPanel::swap);
    // Asking waits for a lock that a thread of low priority may hold for long on a busy machine, so that it is not done
    // at every letter of a prompt.
    ask_.setSingleShot(true);
    ask_.setInterval(100);
    connect(&ask_, &QTimer::timeout, this, &ImagesPanel::look);
    connect(&seen_, &SeenImages::seen, this, [this](const QImage& start, const QImage& last, const app::Issue& issue) {
        seen_start_.picture = start;
        seen_last_.picture = last;
        unseen_ = issue;
        show_pictures();
    });
    connect(&studio_.document, &app::RequestDocument::changed, this, &ImagesPanel::refresh);
    connect(&studio_.document, &app::RequestDocument::resolved_changed, this, &ImagesPanel::refresh);
    refresh();
}

void ImagesPanel::refresh_before() {
    const QVariantMap forcing = studio_.document.value(QStringLiteral("forcing")).toMap();
    const QString video = forcing.value(QStringLiteral("video")).toString();
    before_->setVisible(!video.isEmpty());
    if (video.isEmpty()) return;
    if (video != before_video_) { // the title must be read from files
        const QFileInfo file(video);
        const bool of_run = file.fileName() == QLatin1String(run_file::video);
        before_video_ = video;
        before_title_ = of_run ? file.dir().dirName() : file.fileName();
        if (of_run)
            app::run_then(
                this, [run = file.path()] { return app::RunHistory::title(run); },
                [this, video](const QString& title) {
                    if (video != before_video_) return;
                    before_title_ = title;
                    refresh_before();
                });
    }
    const QString& name = before_title_;
    const int frames = forcing.value(QStringLiteral("video_frames")).toInt();
    before_->set_hint(tr("its last %n frame(s) first", nullptr, forcing.value(QStringLiteral("overlap")).toInt()));
    before_name_->set_text(frames > 0 ? tr("%1, frame %2").arg(name, QString::number(frames)) : name);
    const app::Issue issue = studio_.document.issue(QStringLiteral("forcing"));
    // Other problems with forcing are shown beside its other fields, if the model has these.
    const bool own = issue.field.startsWith(QLatin1String("forcing.video")) ||
                     issue.field == QLatin1String("forcing.overlap") || !studio_.document.forcing_model();
    before_->set_error(own ? words(issue) : QString());
}

QVariant ImagesPanel::forcing_anew() const {
    const app::RequestDocument& document = studio_.document;
    const QString key = QStringLiteral("forcing"), overlap = QStringLiteral("overlap"),
                  frames = QStringLiteral("frames");
    const bool model_known = document.default_value(frames).isValid();
    if (model_known && !document.forcing_model()) return {}; // other models refuse every field of it
    QVariantMap forcing = document.value(key).toMap();
    for (const char* member : {"video", "video_frames"}) forcing.remove(QLatin1String(member));
    // If the clip is made in several windows, these have the same overlap, which stays.
    const bool windows = forcing.contains(QStringLiteral("base")) ||
                         document.value(frames).toInt() > document.default_value(frames).toInt();
    if (!windows || forcing.value(overlap).toInt() == Forcing{}.overlap) forcing.remove(overlap);
    return forcing == document.default_value(key).toMap() ? QVariant() : forcing;
}

void ImagesPanel::begin_anew() {
    studio_.document.settle();
    studio_.document.set_values({{QStringLiteral("forcing"), forcing_anew()}}, tr("Begin a clip of its own"));
}

bool ImagesPanel::goes_on() const {
    return !studio_.document.value(QStringLiteral("forcing.video")).toString().isEmpty();
}

QString ImagesPanel::folder() const { return app::to_qstring(data_folder() / "images"); }

QSize ImagesPanel::target() const {
    return {studio_.document.value(QStringLiteral("width")).toInt(),
            studio_.document.value(QStringLiteral("height")).toInt()};
}

void ImagesPanel::look() {
    const auto& document = studio_.document;
    if (document.resolved() && !document.pending()) seen_.ask(*document.resolved(), document.variant());
}

void ImagesPanel::refresh() {
    const auto& document = studio_.document;
    if (document.resolved() && !document.pending()) {
        bool another = false;
        for (const Side side : {Side::start, Side::last}) {
            // Until the new picture is known, none is shown, as that of another file would be wrong.
            const QString file = document.value(key(side)).toString();
            if (file == seen(side).file) continue;
            seen(side) = {file, {}};
            another = true;
        }
        // Asks at once, as an answer that is on its way is about the old file.
        another ? look() : ask_.start();
    }
    show_pictures();
    refresh_before();
    swap_->setEnabled(start_->filled() || last_->filled());
}

void ImagesPanel::show_pictures() {
    const auto& document = studio_.document;
    for (const Side side : {Side::start, Side::last}) {
        const QString file = document.value(key(side)).toString();
        app::Issue issue = document.issue(key(side));
        if (issue.isEmpty() && !file.isEmpty() && unseen_.file == file) issue = unseen_;
        ImageWell* each = well(side);
        each->set_aspect(target());
        const bool usable = side == Side::start ? document.takes_image() : document.takes_last_image();
        each->set_usable(usable || !file.isEmpty(), side == Side::start ? tr("This model takes no start image")
                                                                        : tr("This model takes no end image"));
        each->set_error(app::engine_text(issue.message), words(issue));
        const bool is_its_own = issue.isEmpty() && file == seen(side).file;
        each->set_picture(is_its_own ? seen(side).picture : QImage(), file);
    }
}

void ImagesPanel::take(Side side, const DroppedImage& image) {
    if (image.isEmpty()) return;
    studio_.core.inputs.put(
        this,
        [image, to = folder()] {
            return image.picture.isNull() ? image.file : kept_picture(app::to_image(image.picture), to);
        },
        [this, side](const QString& file) {
            const bool instead = side == Side::start && goes_on(); // the image replaces the video
            const app::Issue refused =
                instead ? studio_.document.set_values({{key(side), file}, {QStringLiteral("forcing"), forcing_anew()}},
                                                      tr("Begin with an image"))
                        : studio_.document.set_value(key(side), file);
            if (!refused.isEmpty()) emit said(refused.line());
        });
}

void ImagesPanel::choose(Side side) {
    const QString shown = studio_.document.value(key(side)).toString();
    const QString file = origins_.contains(shown) ? origins_.value(shown).file : shown;
    // The dialog does not begin in the studio's own folder, where only pasted pictures lie.
    const QString place = file.isEmpty() || QFileInfo(file).path() == folder() ? QString() : QFileInfo(file).path();
    ask_to_open(
        this, studio_.settings, side == Side::start ? tr("Start image") : tr("End image"),
        {ToOpen::Kind::file, ToOpen::Sort::images, tr("Images (%1);;All files (*)").arg(picture_endings), place},
        [this, side](const QStringList& files) {
            take(side, {files.constFirst(), {}});
        });
}

void ImagesPanel::paste_start() {
    const auto* clip = QApplication::clipboard()->mimeData();
    const DroppedImage image = clip ? dropped_image(*clip) : DroppedImage();
    if (image.isEmpty()) return emit said(tr("The clipboard holds no picture."));
    take(Side::start, image);
}

void ImagesPanel::camera(Side side) {
    camera_side_ = side;
    if (!camera_) {
        camera_ = new CameraWindow(this);
        connect(camera_, &CameraWindow::taken, this, [this](const QImage& picture) {
            take(camera_side_, {{}, picture});
        });
    }
    camera_->show();
    camera_->raise();
    camera_->activateWindow();
}

void ImagesPanel::remove(Side side) { studio_.document.set_value(key(side), QString()); }

void ImagesPanel::swap() {
    if (!start_->filled() && !last_->filled()) return emit said(tr("There is no image to swap."));
    const QVariant start = studio_.document.value(key(Side::start)), last = studio_.document.value(key(Side::last));
    QVariantMap values{{key(Side::start), last.toString()}, {key(Side::last), start.toString()}};
    if (goes_on() && !last.toString().isEmpty()) values.insert(QStringLiteral("forcing"), forcing_anew());
    studio_.document.set_values(values, tr("Swap start and end"));
}

void ImagesPanel::crop(Side side, CropPreset preset) {
    const QString shown = studio_.document.value(key(side)).toString();
    const Origin origin = origins_.value(shown, {shown, CropPreset::model});
    studio_.core.inputs.put(
        this,
        [origin, preset, aspect = target(), to = folder()] { return cropped_image(origin.file, preset, aspect, to); },
        [this, side, origin, preset](const QString& cut) {
            const QString now = studio_.document.value(key(side)).toString();
            if (origins_.value(now, {now, CropPreset::model}).file != origin.file) return; // it was replaced meanwhile
            if (cut != origin.file) origins_.insert(cut, {origin.file, preset});
            studio_.document.set_value(key(side), cut);
        });
}

void ImagesPanel::show_menu(Side side, const QPoint& global) {
    QMenu menu(this);
    menu.addAction(icon(QStringLiteral("open")), tr("Choose …"), this, [this, side] { choose(side); });
    const auto* clip = QApplication::clipboard()->mimeData();
    const DroppedImage held = clip ? dropped_image(*clip) : DroppedImage();
    auto* paste =
        menu.addAction(icon(QStringLiteral("paste")), tr("Paste"), this, [this, side, held] { take(side, held); });
    paste->setEnabled(!held.isEmpty());
    menu.addAction(icon(QStringLiteral("camera")), tr("Camera …"), this, [this, side] { camera(side); });
    if (well(side)->filled()) {
        const QString shown = studio_.document.value(key(side)).toString();
        const CropPreset now = origins_.value(shown).preset;
        const QSize to = target(); // empty if it is not known, for example without a model
        QMenu* cut = menu.addMenu(icon(QStringLiteral("crop")),
                                  to.isEmpty() ? tr("Crop: no size is known yet")
                                               : tr("Crop to %1×%2").arg(to.width()).arg(to.height()));
        const std::pair<CropPreset, QString> presets[] = {{CropPreset::model, tr("As the model does it")},
                                                          {CropPreset::centre, tr("Centre")},
                                                          {CropPreset::left, tr("Left")},
                                                          {CropPreset::right, tr("Right")},
                                                          {CropPreset::top, tr("Top")},
                                                          {CropPreset::bottom, tr("Bottom")},
                                                          {CropPreset::whole, tr("Letterbox")}};
        for (const auto& [preset, name] : presets) {
            auto* action = cut->addAction(name, this, [this, side, preset = preset] { crop(side, preset); });
            action->setCheckable(true);
            action->setChecked(preset == now);
            action->setEnabled(!to.isEmpty() || preset == CropPreset::model);
        }
        menu.addSeparator();
        menu.addAction(icon(QStringLiteral("trash")), tr("Remove"), this, [this, side] { remove(side); });
    }
    menu.exec(global);
}

} // namespace denoir::ui
