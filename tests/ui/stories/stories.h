// SPDX-License-Identifier: Apache-2.0
#pragma once
// The stories of the window, played with mouse and keyboard on a real display (Xvfb in CI), in one file for each theme.
#include "app/request/request_document.h"
#include "tests/app/arrivals.h"
#include "tests/ui/studio_fixture.h"

namespace denoir::ui {

using QueueState = app::RunQueue::State;
using Role = app::RunHistory::Role;

class StoriesTest : public QObject {
    Q_OBJECT

private slots:
    void first_minute();
    void typed_in_a_hurry();
    void which_seed();
    void what_changed();
    void where_do_they_part();
    void stop_early();
    void a_cut_of_three();
    void longer();
    void in_windows();
    void with_a_cache();
    void after_the_crash();
    void does_it_fit();
};

/// What the child process of after_the_crash() does until it is killed: it queues two runs and works on the first.
int child_life();

} // namespace denoir::ui
