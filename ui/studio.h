// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace denoir::app {
class CutExporter;
class DraftDecoder;
class EngineWorker;
class Estimator;
class FrameCache;
class ModelCatalogue;
class Project;
class PromptHistory;
class RequestDocument;
class RunHistory;
class RunQueue;
class Settings;
class Studio;
class Thumbnails;
class Tokens;
} // namespace denoir::app

namespace denoir::ui {

class Theme;

/// What the window and its docks show: the parts of app::Studio, and what only a window needs. Made by main(), outlives
/// every widget. Borrows all.
struct Studio {
    Studio(app::Studio& studio, app::FrameCache& clips, Theme& looks);

    app::Studio& core;
    app::Settings& settings;
    app::Project& project;
    app::RequestDocument& document;
    app::EngineWorker& worker;
    app::RunQueue& queue;
    app::RunHistory& history;
    app::ModelCatalogue& models;
    app::Estimator& estimator;
    app::Tokens& tokens;
    app::PromptHistory& prompts;
    app::Thumbnails& thumbnails;
    app::DraftDecoder& drafts;
    app::FrameCache& frames;
    app::CutExporter& exporter;
    Theme& theme;
};

} // namespace denoir::ui
