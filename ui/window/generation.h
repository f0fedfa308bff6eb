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

/// What happens when Generate is pressed: the request goes into the queue, once it is resolved and what it needs is
/// read; or the axes become a sweep. Borrows all.
class Generation : public QObject {
    Q_OBJECT
public:
    /// What it works on, of ui::Studio; borrowed.
    struct Parts {
        app::RequestDocument& document;
        app::RunQueue& queue;
        app::PromptHistory& prompts;
        app::Preparations& inputs;
        app::SweepDocument& sweeps;
    };
    Generation(const Parts& parts, ParametersPanel& parameters, EntryEditing& editing, Extension& extension,
               QObject* parent = nullptr);
    void generate(bool next = false); ///< next: before those that wait
    void sweep();
    /// What waits for the request or for what it needs to be read does not begin; false: nothing waits.
    bool give_up();

signals:
    void begun();   ///< a run is in line
    void refused(); ///< by what stands in the parameters
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
    std::vector<bool> waiting_; ///< `next` of each that was asked for while the request was resolved
    bool sweep_waits_ = false;  ///< for what it needs to be read
};

} // namespace denoir::ui
