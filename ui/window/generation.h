// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>

#include <vector>

namespace denoir::app {
class Preparations;
class PromptHistory;
class RequestDocument;
class RunQueue;
class SweepDocument;
} // namespace denoir::app

namespace denoir::ui {

class EntryEditing;
class Extension;
class ParametersPanel;

/// What Generate does: the request goes into the queue, once it is resolved and its inputs are read, or the axes become
/// a sweep. Borrows all.
class Generation : public QObject {
    Q_OBJECT
public:
    /// The parts of ui::Studio that it uses; borrowed.
    struct Parts {
        app::RequestDocument& document;
        app::RunQueue& queue;
        app::PromptHistory& prompts;
        app::Preparations& inputs;
        app::SweepDocument& sweeps;
    };
    Generation(const Parts& parts, ParametersPanel& parameters, EntryEditing& editing, Extension& extension,
               QObject* parent = nullptr);
    void generate(bool next = false); ///< `next`: before the entries that wait
    void sweep();
    /// Gives up what waits for the request to be resolved or its inputs to be read. Returns false if nothing does.
    bool give_up();

signals:
    void begun();   ///< a run was put in line
    void refused(); ///< a field of the parameters holds no valid value
    void said(const QString& text);

private:
    bool commit();
    bool waits() const;
    void generate_waiting();
    void put_in_line(bool next);

    Parts parts_;
    ParametersPanel& parameters_;
    EntryEditing& editing_;
    Extension& extension_;
    std::vector<bool> waiting_; ///< `next` of each run that was asked for while the request was resolved
    bool sweep_waits_ = false;  ///< whether a sweep waits for its inputs to be read
};

} // namespace denoir::ui
