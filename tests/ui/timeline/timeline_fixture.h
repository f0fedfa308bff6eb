// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QApplication>
#include <QMouseEvent>
#include <QTest>
#include <optional>

#include "app/clips/thumbnails.h"
#include "app/project/project.h"
#include "app/project/take.h"
#include "tests/app/grey_clips.h"
#include "tests/app/home.h"
#include "ui/timeline/timeline_view.h"

namespace denoir::ui {

/// A timeline on the screen, and three grey clips of 33, 17 and 9 frames for it.
class TimelineFixture {
protected:
    void make_clips() {
        app::write_grey_clip(file("a.mkv"), 33, 96, 54);
        app::write_grey_clip(file("b.mkv"), 17, 96, 54, 80);
        app::write_grey_clip(file("c.mkv"), 9, 96, 54, 160);
    }
    void begin() {
        project_.emplace();
        thumbnails_.emplace();
        view_.emplace(*project_, *thumbnails_);
        view_->resize(900, 140);
        view_->show();
        QVERIFY(QTest::qWaitForWindowExposed(&*view_));
    }
    void end() {
        view_.reset();
        thumbnails_.reset();
        project_.reset();
    }
    QString file(const char* name) const { return home_.file(QString::fromLatin1(name)); }
    void fill() {
        for (const char* name : {"a.mkv", "b.mkv", "c.mkv"}) project_->add_shot(app::take_of_video(file(name)));
        view_->setFocus();
    }

    /// Moves the mouse with the left button held.
    void move(QPoint at) {
        QWidget* viewport = view_->viewport();
        QMouseEvent event(QEvent::MouseMove, at, viewport->mapToGlobal(at), Qt::NoButton, Qt::LeftButton, {});
        QApplication::sendEvent(viewport, &event);
    }
    void drag(QPoint from, QPoint to, int moves = 4) {
        QTest::mousePress(view_->viewport(), Qt::LeftButton, {}, from);
        for (int i = 1; i <= moves; ++i) move(from + (to - from) * i / moves);
        QTest::mouseRelease(view_->viewport(), Qt::LeftButton, {}, to);
    }

    app::Home home_;
    std::optional<app::Project> project_;
    std::optional<app::Thumbnails> thumbnails_;
    std::optional<TimelineView> view_;
};

} // namespace denoir::ui
