// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/request/model_catalogue.h"

#include <QDir>
#include <QFileInfo>
#include <QFileSystemWatcher>
#include <QTimer>
#include <algorithm>
#include <functional>
#include <stop_token>
#include <utility>

#include "app/base/engine_text.h"
#include "app/base/newest_question.h"
#include "app/base/settings.h"
#include "app/base/text.h"
#include "app/base/wait_until.h"
#include "app/request/model_finder.h"
#include "app/request/request_values.h"
#include "engine/core/memory.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/variant.h"
#include "engine/session/model_lookup.h"
#include "engine/session/preflight.h"
#include "engine/weights/inspect.h"
#include "engine/weights/model_folder.h"
#include "engine/weights/traits.h"

namespace denoir::app {
namespace fs = std::filesystem;
namespace {

constexpr int look_again_ms = 1000;

struct ModelRow {
    QString path, name, family, variant, dtype;
    ModelCatalogue::State state = ModelCatalogue::State::looking;
    quint64 bytes = 0, parameters = 0;
    QStringList missing;
    QVariantMap tasks;
    bool bundled = false;
    Issue issue;
    // The default clip in words, and the bytes that it needs; empty or 0 if not known.
    QString clip;
    quint64 peak = 0, steps = 0, least = 0; ///< peak_bytes, steps_bytes and least_bytes of an Estimate
    quint64 available = 0;                  ///< memory of this machine when the model was looked at
};

quint64 bytes_of(const ModelFolder& model) {
    quint64 sum = 0;
    for (const fs::path& file : model_files(model)) {
        std::error_code code;
        const auto bytes = fs::file_size(file, code);
        if (!code) sum += bytes;
    }
    return sum;
}

void tell_tasks(ModelRow& row, const ModelFolder& model, const Variant& variant) {
    const QString text = QObject::tr("text to video"), image = QObject::tr("image to video"),
                  ends = QObject::tr("first and last frame"), forcing = QObject::tr("diffusion forcing");
    for (const std::string& part : model.missing) row.missing << engine_text(to_qstring(part));
    const auto tell = [&](const char* name, const QStringList& tasks) {
        row.variant = QLatin1String(name);
        for (const QString& task : tasks) row.tasks[task] = row.missing;
    };
    if (model.family == Family::skyreels_df)
        tell("df", {text, image, forcing});
    else if (variant.clean_image())
        tell("ti2v", {text, image});
    else if (variant.condition == 0)
        tell("t2v", {text});
    else if (variant.clip_images == 2)
        tell("flf2v", {ends});
    else
        tell("i2v", {image});
}

void tell_need(ModelRow& row, const ModelFolder& model) {
    if (model.vae.empty()) return;
    try {
        Request r = Pipeline::defaults({}, model);
        r.seed = 0;
        const Estimate work = Pipeline::estimate(r, model);
        row.clip = QObject::tr("%1×%2, %3 frames").arg(*r.width).arg(*r.height).arg(*r.frames);
        row.peak = work.peak_bytes;
        row.steps = work.steps_bytes;
        row.least = work.least_bytes;
        row.available = available_memory();
    } catch (const std::exception&) { // incomplete, which other roles say
    }
}

/// FitsRole and FitsTextRole; `card` is a card's memory in bytes, or 0 for that of this machine.
std::pair<QString, QString> fit(const ModelRow& row, quint64 card) {
    const quint64 available = card > 0 ? card : row.available, needed = card > 0 ? row.steps : row.peak;
    if (row.clip.isEmpty() || available == 0) return {};
    const QString peak = bytes_text(double(needed)), have = bytes_text(double(available));
    if (needed <= available)
        return {QStringLiteral("fits"), QObject::tr("fits · %1 of %2 for %3").arg(peak, have, row.clip)};
    if (row.least <= available)
        return {QStringLiteral("streams"),
                QObject::tr("slower · weights come and go: %1 of %2 for %3").arg(peak, have, row.clip)};
    return {QStringLiteral("too large"), QObject::tr("too large · %1 at least for %2, %3 are free: use a smaller size")
                                             .arg(bytes_text(double(row.least)), row.clip, have)};
}

/// Reads the headers. Returns false if there is no model (but for example only a VAE).
bool describe(ModelRow& row, const QVariant& parts, const std::stop_token& stop) {
    try {
        Request named;
        if (parts.isValid()) set_field(named, QStringLiteral("parts"), parts);
        const ModelFolder model = ModelFolder::open(to_path(row.path), named.parts, stop);
        if (model.transformer.empty()) return false;
        if (!model.relative.empty())
            throw Error(model.root.string(), {}, describe_relative(model.relative),
                        "use a T2V, I2V, FLF2V or TI2V model of Wan, or SkyReels-V2");
        const Variant variant = Variant::guess(model);
        row.family = model.family ? to_qstring(name(*model.family)) : QStringLiteral("unknown");
        row.bytes = bytes_of(model);
        const Inspection found = inspect(model.transformer.front());
        row.dtype = to_qstring(found.dtype());
        for (const fs::path& file : model.transformer) row.parameters += inspect(file).parameters; // may be shards
        tell_tasks(row, model, variant);
        row.state = row.missing.isEmpty() ? ModelCatalogue::State::ready : ModelCatalogue::State::incomplete;
        tell_need(row, model);
        return true;
    } catch (const Error& e) {
        row.issue = Issue::from(e);
    } catch (...) {
        row.issue = Issue::from_current_exception();
    }
    row.state = ModelCatalogue::State::unreadable;
    return true;
}

} // namespace

struct ModelCatalogue::Store {
    explicit Store(ModelCatalogue& catalogue) : self(catalogue) {}

    void ask() {
        // NewestQuestion::ask() would begin anew at each change, and a folder into which something is
        // downloaded changes all the time.
        question.ask_next([this, roots = folders, named = parts](TaskThread::Id number, const std::stop_token& stop) {
            if (!look(roots, named, stop)) return;
            tell([this, number] {
                answered = number;
                emit self.looked();
            });
        });
    }

    /// Returns false if it was stopped.
    bool look(const QStringList& roots, const QVariantMap& named, const std::stop_token& stop) {
        ModelFinder finder(stop);
        QString bundled;
        try {
            bundled = to_qstring(find_model({}));
            finder.found << bundled;
        } catch (const std::exception&) { // there is no bundled model
        }
        try {
            finder.look_below(Settings::models_folder());
        } catch (const std::exception&) { // there is no data folder
        }
        for (const QString& root : roots) finder.look_below(to_path(root));
        if (stop.stop_requested()) return false;
        finder.found.removeDuplicates();
        std::vector<ModelRow> first;
        for (const QString& path : finder.found) {
            ModelRow row;
            row.path = path;
            row.bundled = path == bundled;
            row.name = row.bundled ? QObject::tr("Demo") : path.section(QLatin1Char('/'), -1);
            first.push_back(std::move(row));
        }
        tell([this, first, watch = finder.folders] { begin(first, watch); });
        for (ModelRow row : first) {
            const bool is_model = describe(row, named.value(row.path), stop);
            if (stop.stop_requested()) return false;
            tell([this, row, is_model] { put(row, is_model); });
        }
        return true;
    }

    void tell(std::function<void()> what) { QMetaObject::invokeMethod(&self, std::move(what)); }

    /// Lists these models in this order. What is known of a model stays until it has been looked at again.
    void begin(const std::vector<ModelRow>& found, const QStringList& watch) {
        self.beginResetModel();
        std::vector<ModelRow> next;
        for (const ModelRow& row : found) {
            const int known = find(row.path);
            next.push_back(known >= 0 ? rows[std::size_t(known)] : row);
        }
        rows = std::move(next);
        self.endResetModel();
        if (!watcher.directories().isEmpty()) watcher.removePaths(watcher.directories());
        if (!watch.isEmpty()) watcher.addPaths(watch);
    }
    void put(const ModelRow& row, bool is_model) {
        const int at = find(row.path);
        if (at < 0) return;
        if (!is_model) {
            self.beginRemoveRows({}, at, at);
            rows.erase(rows.begin() + at);
            self.endRemoveRows();
            return;
        }
        rows[std::size_t(at)] = row;
        emit self.dataChanged(self.index(at), self.index(at));
    }
    int find(const QString& path) const {
        const auto it = std::find_if(rows.begin(), rows.end(), [&](const ModelRow& r) { return r.path == path; });
        return it == rows.end() ? -1 : int(it - rows.begin());
    }

    ModelCatalogue& self;
    std::vector<ModelRow> rows;
    quint64 available = 0; ///< memory of a card; 0 for that of this machine
    QStringList folders;
    QVariantMap parts;
    QFileSystemWatcher watcher;
    QTimer again;
    NewestQuestion::Number answered = 0;
    TaskThread thread; ///< last but for what borrows it, so that it is joined before the rest is destroyed
    NewestQuestion question{thread};
};

ModelCatalogue::ModelCatalogue(QObject* parent) : QAbstractListModel(parent), store_(std::make_unique<Store>(*this)) {
    store_->again.setSingleShot(true);
    store_->again.setInterval(look_again_ms);
    connect(&store_->again, &QTimer::timeout, this, &ModelCatalogue::refresh);
    connect(&store_->watcher, &QFileSystemWatcher::directoryChanged, &store_->again, qOverload<>(&QTimer::start));
    refresh();
}

ModelCatalogue::~ModelCatalogue() = default;

void ModelCatalogue::set_available(quint64 bytes) {
    if (std::exchange(store_->available, bytes) == bytes || rowCount() == 0) return;
    emit dataChanged(index(0), index(rowCount() - 1), {FitsRole, FitsTextRole});
}

void ModelCatalogue::set_folders(const QStringList& folders) {
    if (store_->folders == folders) return;
    store_->folders = folders;
    refresh();
}
void ModelCatalogue::set_parts(const QVariantMap& parts) {
    if (store_->parts == parts) return;
    store_->parts = parts;
    refresh();
}
QStringList ModelCatalogue::folders() const { return store_->folders; }
void ModelCatalogue::refresh() { store_->ask(); }

bool ModelCatalogue::wait_looked(int milliseconds) {
    return wait_until([&] { return store_->answered == store_->question.newest(); }, milliseconds);
}

int ModelCatalogue::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(store_->rows.size());
}

QVariant ModelCatalogue::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
    const ModelRow& r = store_->rows[std::size_t(index.row())];
    switch (role) {
    case Qt::DisplayRole:
    case NameRole: {
        // Two models of the same name are distinguished by their folders.
        const auto& all = store_->rows;
        const bool alone = std::count_if(all.begin(), all.end(), [&](const auto& x) { return x.name == r.name; }) < 2;
        return alone ? r.name : QStringLiteral("%1 · %2").arg(r.name, QFileInfo(r.path).dir().dirName());
    }
    case Qt::ToolTipRole:
        return r.issue.isEmpty() ? r.path : r.issue.line();
    case PathRole:
        return r.path;
    case StateRole:
        return int(r.state);
    case FamilyRole:
        return r.family;
    case VariantRole:
        return r.variant;
    case DTypeRole:
        return r.dtype;
    case BytesRole:
        return QVariant::fromValue<quint64>(r.bytes);
    case ParametersRole:
        return QVariant::fromValue<quint64>(r.parameters);
    case MissingRole:
        return r.missing;
    case TasksRole:
        return r.tasks;
    case FitsRole:
        return fit(r, store_->available).first;
    case FitsTextRole:
        return fit(r, store_->available).second;
    case BundledRole:
        return r.bundled;
    case IssueRole:
        return QVariant::fromValue(r.issue);
    default:
        return {};
    }
}

int ModelCatalogue::row_of(const QString& path) const {
    if (!path.isEmpty()) return store_->find(path);
    for (std::size_t i = 0; i < store_->rows.size(); ++i)
        if (store_->rows[i].bundled) return int(i);
    return -1;
}

QString ModelCatalogue::bundled() const {
    const int row = row_of({});
    return row < 0 ? QString() : store_->rows[std::size_t(row)].path;
}

} // namespace denoir::app
