// SPDX-License-Identifier: Apache-2.0
// Keys in the whole window: whose they are, and what they do while they are held.
#include "app/request/request_document.h"
#include "tests/app/clips.h"
#include "tests/ui/window_main.h"
#include "tests/ui/window_tools.h"
#include "ui/preview/preview_view.h"

using namespace denoir;
using namespace denoir::ui;

class WindowKeysTest : public QObject {
    Q_OBJECT

private slots:
    /// Who holds the keys down asks for one run; frames go by as long as theirs are held.
    void keys_that_are_held_generate_once() {
        const app::Home home;
        app::write_clip(home.file("a.mp4"), 64, 48, 8);
        StudioFixture studio;
        load_tiny(studio);
        auto& queue = studio.core().queue;
        queue.set_paused(true);
        studio.have_focus();
        const auto hold = [&](Qt::Key key, Qt::KeyboardModifiers modifiers) {
            for (const bool repeated : {false, true, true})
                QTest::simulateEvent(qApp->focusWidget(), true, key, modifiers, {}, repeated);
        };
        hold(Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(queue.rowCount(), 1, 30000);
        QTest::qWait(200); // for the request to be resolved again
        QCOMPARE(queue.rowCount(), 1);
        auto& preview = studio.window().preview();
        studio.window().show_file(home.file("a.mp4"));
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::a), 30000);
        preview.player().pause();
        preview.player().go_to(0);
        preview.setFocus();
        hold(Qt::Key_Period, Qt::NoModifier);
        QCOMPARE(preview.player().frame(), 3);
    }
};

int main(int argc, char** argv) { return run_window_test<WindowKeysTest>(argc, argv); }

#include "window_keys_test.moc"
