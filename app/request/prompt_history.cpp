// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/request/prompt_history.h"

#include "app/base/file_saver.h"
#include "app/base/text.h"
#include "engine/core/json.h"
#include "engine/core/own_folders.h"

namespace denoir::app {

PromptHistory::PromptHistory(QObject* parent)
    : QObject(parent), saver_(std::make_unique<FileSaver>(data_folder() / "prompts.json")) {
    Issue issue;
    read_own_file(saver_->path(), issue, [&](const std::string& text) {
        const Json json = parse_json(text, saver_->path().string());
        if (!json.is_array()) throw Error(saver_->path().string(), {}, "holds no list");
        for (const Json& prompt : json)
            if (prompt.is_string()) prompts_ << to_qstring(prompt.get_ref<const std::string&>());
    });
    while (prompts_.size() > limit) prompts_.removeFirst();
}

PromptHistory::~PromptHistory() = default;

void PromptHistory::add(const QString& prompt) {
    at_ = -1;
    if (prompt.trimmed().isEmpty() || (!prompts_.isEmpty() && prompts_.last() == prompt)) return;
    prompts_.removeAll(prompt);
    prompts_ << prompt;
    while (prompts_.size() > limit) prompts_.removeFirst();
    Json json = Json::array();
    for (const QString& one : prompts_) json.push_back(one.toStdString());
    saver_->save(json.dump(1) + "\n");
}

QString PromptHistory::previous(const QString& current) {
    if (at_ < 0) {
        draft_ = current;
        at_ = prompts_.size();
    }
    // Skips a newest prompt that is equal to the one shown.
    qsizetype next = at_ - 1;
    if (at_ == prompts_.size() && next >= 0 && prompts_[next] == current) --next;
    if (next < 0) {
        if (at_ == prompts_.size()) at_ = -1;
        return {};
    }
    at_ = next;
    return prompts_[at_];
}

QString PromptHistory::next() {
    if (at_ < 0) return {};
    if (++at_ < prompts_.size()) return prompts_[at_];
    at_ = -1;
    return draft_.isNull() ? QString(QLatin1String("")) : draft_;
}

} // namespace denoir::app
