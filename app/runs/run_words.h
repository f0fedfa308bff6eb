// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

#include "app/base/issue.h"

/// The words in which rows tell of a run, in the studio's language: lists show them, and a search understands them.
namespace denoir::app::run_words {

QString steps(int steps);
QString guidance(double guidance);
QString seed(quint64 seed);
QString frames(int frames);
/// `name` as RunHistory::StateRole; empty for a run that is done, of which its time says more.
QString state(const QString& name, int steps_done, int steps, const Issue& issue);

} // namespace denoir::app::run_words
