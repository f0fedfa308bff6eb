// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

#include "app/base/issue.h"
#include "app/runs/run_standing.h"
#include "engine/pipeline/request.h"

/// The words in which rows describe a run, in the studio's language: lists show them, and a search understands them.
namespace denoir::app::run_words {

/// What a run is called in a sentence or a list: the name that it was given, else its prompt in one line, else words
/// that say that it has no prompt. Never empty.
QString title(const QString& name, const QString& prompt);
QString steps(int steps);
QString guidance(double guidance);
QString seed(quint64 seed);
QString frames(int frames);
/// "256x144 · 33 f · 20 steps · CFG 5 · seed 7"; what the request does not set is left out.
QString summary(const Request&);
/// How a run stands; empty for one that is done, since the list shows its time instead.
QString standing(RunStanding, int steps_done, int steps, const Issue& issue);

} // namespace denoir::app::run_words
