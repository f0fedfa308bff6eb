// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/request/tokens.h"

#include <QHash>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "app/base/text.h"
#include "engine/models/umt5/clean.h"
#include "engine/models/umt5/tokenizer.h"
#include "engine/pipeline/tokenizer_file.h"
#include "engine/session/model_lookup.h"
#include "engine/weights/model_folder.h"

namespace denoir::app {
namespace {

constexpr int far_beyond = 1 << 16; ///< counts how much too long a prompt is

} // namespace

struct Tokens::State {
    struct Question {
        QString text, model;
    };
    struct Loaded {
        QString model;
        umt5::Tokenizer tokenizer;
        int limit;
    };

    explicit State(Tokens& tokens) : self(tokens) {}

    void loop(const std::stop_token& end) {
        for (;;) {
            QString tag;
            Question question;
            {
                std::unique_lock lock(mutex);
                if (!wake.wait(lock, end, [&] { return !questions.empty(); })) return;
                tag = questions.begin()->first;
                question = questions.begin()->second;
                questions.erase(questions.begin());
            }
            try {
                answer(tag, question);
            } catch (...) {
                loaded.reset();
                emit self.failed(tag, Issue::from_current_exception());
            }
        }
    }

    void answer(const QString& tag, const Question& question) {
        if (!loaded || loaded->model != question.model) {
            const std::filesystem::path model = find_model(to_path(question.model));
            const ModelFolder folder = ModelFolder::open(model);
            if (folder.tokenizer.empty())
                throw Error(folder.root.string(), "model", "the tokenizer is missing", tokenizer_hint);
            loaded.emplace(Loaded{question.model, load_tokenizer(folder.tokenizer), text_length(model)});
        }
        const std::vector<std::int64_t> ids =
            loaded->tokenizer.encode(umt5::clean(question.text.toStdString()), far_beyond);
        emit self.counted(tag, int(ids.size()), loaded->limit);
    }

    Tokens& self;
    std::mutex mutex;
    std::condition_variable_any wake;
    std::map<QString, Question> questions; ///< the newest of each tag
    std::optional<Loaded> loaded;          ///< the thread's own
    std::jthread thread;
};

Tokens::Tokens(QObject* parent) : QObject(parent), state_(std::make_unique<State>(*this)) {
    qRegisterMetaType<Issue>();
    state_->thread = std::jthread([state = state_.get()](const std::stop_token& end) { state->loop(end); });
}

Tokens::~Tokens() {
    state_->thread.request_stop();
    state_->thread.join();
}

void Tokens::count(const QString& tag, const QString& text, const QString& model) {
    const std::scoped_lock lock(state_->mutex);
    state_->questions[tag] = {text, model};
    state_->wake.notify_all();
}

} // namespace denoir::app
