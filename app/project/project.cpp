// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/project/project.h"

#include <QTimer>
#include <QUndoCommand>
#include <algorithm>
#include <cmath>
#include <iterator>

#include "app/project/autosave.h"
#include "app/project/project_json.h"
#include "app/project/project_lock.h"

namespace denoir::app {
namespace {

constexpr int trim_command = 0x7a11; ///< QUndoCommand::id() of a trim, to which the number of the drag is added

using Kind = ProjectEvent::Kind;

/// Adapts the trim of a shot, which was made for the take `before`, to its current take.
void fit_trim(Shot& shot, const Take& before) {
    const Take& now = shot.current();
    if (before.still() || now.still()) { // keeps the duration, in frames of the current take
        const auto in_now = [&](int frames) {
            return std::max(1, int(std::lround(std::min(frames / before.fps * now.fps, double(now.most())))));
        };
        int length = in_now(shot.frames());
        auto kept = before.still() ? shot.kept : Shot::Kept{shot.in, shot.out, shot.frames()};
        shot.kept.reset();
        shot.in = 0;
        if (now.still()) {
            if (kept) kept->length = in_now(kept->length);
            shot.kept = kept;
        } else if (kept) {
            if (shot.out == kept->length) length = kept->out - kept->in;
            shot.in = std::min(kept->in, now.frames - 1);
        }
        shot.out = std::clamp(shot.in + length, shot.in + 1, now.most());
        return;
    }
    if (shot.in == 0 && shot.out == before.frames && !before.part && !now.part) {
        shot.out = now.frames;
        return;
    }
    const int moved = before.part.value_or(0) - now.part.value_or(0);
    shot.in = std::clamp(shot.in + moved, 0, now.frames - 1);
    shot.out = std::clamp(shot.out + moved, shot.in + 1, now.frames);
}

} // namespace

/// An edit of any kind: holds the shots that it changes, and no others, before and after it.
class ProjectCommand : public QUndoCommand {
public:
    ProjectCommand(Project& project, const QString& text, const std::vector<Shot>& after,
                   const ProjectEvent& redo_event, const ProjectEvent& undo_event, int merge)
        : QUndoCommand(text), project_(project), redo_event_(redo_event), undo_event_(undo_event), merge_(merge) {
        undo_event_.again = true;
        const std::vector<Shot>& before = project.shots_;
        const auto begin = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
        const auto end = std::mismatch(before.rbegin(), std::make_reverse_iterator(begin.first), after.rbegin(),
                                       std::make_reverse_iterator(begin.second));
        first_ = begin.first - before.begin();
        before_.assign(begin.first, end.first.base());
        after_.assign(begin.second, end.second.base());
    }
    void redo() override {
        project_.replace_shots(first_, before_.size(), after_, redo_event_);
        redo_event_.again = true;
    }
    void undo() override { project_.replace_shots(first_, after_.size(), before_, undo_event_); }
    int id() const override { return merge_ > 0 ? trim_command + merge_ % 0x10000 : -1; }
    bool mergeWith(const QUndoCommand* other) override {
        const auto* next = static_cast<const ProjectCommand*>(other);
        if (next->merge_ != merge_ || next->redo_event_.row != redo_event_.row) return false;
        after_ = next->after_; // both hold the same shot
        setObsolete(after_ == before_);
        return true;
    }

private:
    Project& project_;
    std::ptrdiff_t first_;
    std::vector<Shot> before_, after_; ///< from row first_ on
    ProjectEvent redo_event_, undo_event_;
    int merge_;
};

CutFormat format_of(const std::vector<Shot>& shots) {
    const auto moving =
        std::find_if(shots.begin(), shots.end(), [](const Shot& shot) { return !shot.current().still(); });
    const Take& take = (moving == shots.end() ? shots.front() : *moving).current();
    CutFormat format{take.width, take.height, take.fps};
    // A camera's pictures are larger than usual videos, so stills alone make a video of a usual size.
    constexpr int most_side = 1920;
    if (const int side = std::max(take.width, take.height); take.still() && side > most_side) {
        const auto fitted = [&](int length) {
            return std::max(2, int(std::lround(length * double(most_side) / side / 2)) * 2);
        };
        format.width = fitted(take.width), format.height = fitted(take.height);
    }
    return format;
}

bool can_be_counted(const std::vector<Shot>& shots) {
    std::int64_t frames = 0;
    double seconds = 0;
    for (const Shot& shot : shots) {
        frames += shot.frames();
        seconds += shot.seconds();
    }
    return shots.empty() || (frames <= longest_cut && seconds * format_of(shots).fps <= double(longest_cut));
}

Project::Project(QObject* parent)
    : QObject(parent),
      timer_(new QTimer(this)),
      lock_(std::make_shared<ProjectLock>()),
      autosave_(std::make_unique<Autosave>()) {
    qRegisterMetaType<ProjectEvent>();
    connect_autosave();
    timer_->setSingleShot(true);
    timer_->setInterval(500);
    connect(timer_, &QTimer::timeout, this, [this] {
        if (autosave_on_) write_autosave(false);
    });
    undo_.setUndoLimit(most_steps);
    connect(&undo_, &QUndoStack::indexChanged, this, [this] {
        count_forgotten();
        touch();
        emit step_changed(step());
    });
    connect(&undo_, &QUndoStack::cleanChanged, this, &Project::note_modified);
}

int Project::row_of(const QString& shot_id) const {
    const auto it = std::find_if(shots_.begin(), shots_.end(), [&](const Shot& s) { return s.id == shot_id; });
    return it == shots_.end() ? -1 : int(it - shots_.begin());
}

int Project::frames() const { return start_of(count()); }

QStringList Project::runs() const {
    QStringList out;
    for (const Shot& s : shots_)
        for (const Take& take : s.takes)
            if (!take.run.isEmpty()) out << take.run;
    out.removeDuplicates();
    return out;
}

int Project::shots_of(const QStringList& runs) const {
    return int(std::count_if(shots_.begin(), shots_.end(), [&](const Shot& s) {
        return std::any_of(s.takes.begin(), s.takes.end(), [&](const Take& take) { return runs.contains(take.run); });
    }));
}

double Project::seconds() const {
    double sum = 0;
    for (const Shot& shot : shots_) sum += shot.seconds();
    return sum;
}

int Project::start_of(int row) const {
    int sum = 0;
    for (int i = 0; i < std::min(row, count()); ++i) sum += shot(i).frames();
    return sum;
}

Project::Place Project::place(int frame) const {
    for (int row = 0; frame >= 0 && row < count(); ++row) {
        if (frame < shot(row).frames()) return {row, shot(row).in + frame};
        frame -= shot(row).frames();
    }
    return {};
}

int Project::add_shot(const Take& take, int row, int in) {
    if (take.frames < 1 || row > count() || in < 0 || in >= take.frames) return -1;
    const int at = row < 0 ? count() : row;
    Shot shot{new_id(), {}, {take}, 0, in, take.usual()};
    shot.takes[0].id = new_id();
    std::vector<Shot> after = shots_;
    after.insert(after.begin() + at, std::move(shot));
    const bool fits = push(tr("add a shot"), after, {Kind::shot_added, at}, {Kind::shot_removed, at});
    return fits ? at : -1;
}

bool Project::remove_shot(int row) {
    if (!has(row)) return false;
    std::vector<Shot> after = shots_;
    after.erase(after.begin() + row);
    return push(tr("remove a shot"), after, {Kind::shot_removed, row}, {Kind::shot_added, row});
}

bool Project::move_shot(int from, int to) {
    if (!has(from) || !has(to) || from == to) return false;
    std::vector<Shot> after = shots_;
    const auto first = after.begin() + from, target = after.begin() + to;
    from < to ? std::rotate(first, first + 1, target + 1) : std::rotate(target, first, first + 1);
    return push(tr("move a shot"), after, {Kind::shot_moved, to, from}, {Kind::shot_moved, from, to});
}

bool Project::trim(int row, int in, int out, int merge) {
    if (!has(row) || in >= out) return false;
    const Take& take = shot(row).current();
    if (take.still()) { // only the length counts
        if (std::int64_t{out} - in > take.most()) return false;
        out -= in, in = 0;
    }
    if (in < 0 || out > take.most()) return false;
    Shot after = shot(row);
    after.in = in, after.out = out;
    return change_shot(tr("trim a shot"), row, std::move(after), merge);
}

bool Project::split(int row, int frame) {
    if (!has(row) || frame <= shot(row).in || frame >= shot(row).out) return false;
    std::vector<Shot> after = shots_;
    Shot second = after[std::size_t(row)];
    second.id = new_id();
    second.in = frame;
    if (second.current().still()) {
        second.in = 0, second.out -= frame;
        if (auto& kept = second.kept; kept && kept->length > 0) // the second part begins where the first one ends
            kept->in = std::min(
                kept->in + int(std::int64_t{kept->out - kept->in} * std::min(frame, kept->length) / kept->length),
                kept->out - 1);
    }
    after[std::size_t(row)].out = frame;
    const QString first_id = shot(row).id, second_id = second.id;
    after.insert(after.begin() + row + 1, std::move(second));
    push(tr("split a shot"), after, {Kind::shots_replaced, row}, {Kind::shots_replaced, row}); // two rows change
    emit shot_split(first_id, second_id);
    return true;
}

bool Project::add_take(const std::vector<int>& rows, const Take& take) {
    if (rows.empty() || take.frames < 1 || !std::ranges::all_of(rows, [this](int row) { return has(row); }))
        return false;
    Take added = take;
    added.id = new_id();
    std::vector<Shot> after = shots_;
    for (const int row : rows) {
        Shot& shot = after[std::size_t(row)];
        shot.takes.push_back(added);
        shot.take = int(shot.takes.size()) - 1;
        fit_trim(shot, this->shot(row).current());
    }
    const ProjectEvent event{Kind::shot_changed, std::ranges::min(rows)};
    return push(tr("add a take"), after, event, event);
}

bool Project::select_take(int row, int take) {
    if (!has(row) || take < 0 || take >= int(shot(row).takes.size())) return false;
    if (shot(row).take == take) return true;
    Shot after = shot(row);
    after.take = take;
    fit_trim(after, shot(row).current());
    return change_shot(tr("choose a take"), row, std::move(after));
}

bool Project::remove_take(int row, int take) {
    if (!has(row) || take < 0 || take >= int(shot(row).takes.size()) || shot(row).takes.size() == 1) return false;
    Shot after = shot(row);
    after.takes.erase(after.takes.begin() + take);
    if (after.take > take || after.take == int(after.takes.size())) --after.take;
    fit_trim(after, shot(row).current());
    return change_shot(tr("remove a take"), row, std::move(after));
}

bool Project::rename_shot(int row, const QString& name) {
    if (!has(row)) return false;
    Shot after = shot(row);
    after.name = name.simplified().left(200);
    return change_shot(tr("rename a shot"), row, std::move(after));
}

void Project::set_request(const Json& request) {
    if (request_ == request) return;
    request_ = request;
    touch();
}

/// Counts the oldest step as forgotten if a full stack has dropped it for a new one.
void Project::count_forgotten() {
    const QUndoCommand* oldest = undo_.command(0);
    if (undo_.count() == most_steps && oldest_ && oldest != oldest_) ++forgotten_;
    oldest_ = oldest;
}

bool Project::push(const QString& text, const std::vector<Shot>& after, const ProjectEvent& redo,
                   const ProjectEvent& undo, int merge) {
    if (!can_be_counted(after)) return false;
    undo_.push(new ProjectCommand(*this, text, after, redo, undo, merge));
    return true;
}

bool Project::change_shot(const QString& text, int row, Shot shot, int merge) {
    if (shot == shots_[std::size_t(row)]) return true;
    std::vector<Shot> after = shots_;
    after[std::size_t(row)] = std::move(shot);
    return push(text, after, {Kind::shot_changed, row}, {Kind::shot_changed, row}, merge);
}

void Project::replace_shots(std::ptrdiff_t first, std::size_t count, const std::vector<Shot>& with,
                            const ProjectEvent& event) {
    const bool looks = has_new_media(with);
    const auto at = shots_.erase(shots_.begin() + first, shots_.begin() + first + std::ptrdiff_t(count));
    shots_.insert(at, with.begin(), with.end());
    cut_edited_ = true;
    if (looks) look_at_media();
    emit changed(event);
    touch();
}

void Project::set_issue(const Issue& issue) {
    if (issue_ == issue) return;
    issue_ = issue;
    emit issue_changed();
}

void Project::touch() {
    ++changes_;
    if (autosave_on_ && (is_modified() || autosave_->exists()) && !timer_->isActive()) timer_->start();
}

void Project::note_modified() {
    if (was_modified_ == is_modified()) return;
    was_modified_ = is_modified();
    emit modified_changed(was_modified_);
}

} // namespace denoir::app
