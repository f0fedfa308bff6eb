// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/request/tokens.h"

#include <map>
#include <optional>

#include "app/base/newest_question.h"
#include "app/base/text.h"
#include "engine/models/umt5/clean.h"
#include "engine/models/umt5/tokenizer.h"
#include "engine/pipeline/tokenizer_file.h"
#include "engine/session/model_lookup.h"
#include "engine/weights/model_folder.h"

namespace denoir::app {
namespace {

constexpr int far_beyond = 1 << 16; ///< counting stops here, so that it says how much too long a prompt is

} // namespace

struct Tokens::State {
    struct Question {
        QString text, model;
        ModelParts parts;
    };
    struct Loaded {
        QString model;
        ModelParts parts;
        umt5::Tokenizer tokenizer;
        int limit;
    };

    explicit State(Tokens& tokens) : self(tokens) {}

    void ask(const QString& tag, const Question& question) {
        const auto answer = [this, tag, question](TaskThread::Id, const std::stop_token& stop) {
            try_answer(tag, question, stop);
        };
        questions.try_emplace(tag, thread).first->second.ask(answer);
    }

    void try_answer(const QString& tag, const Question& question, const std::stop_token& stop) {
        try {
            answer(tag, question, stop);
        } catch (const Cancelled&) { // there is a newer question
        } catch (...) {
            loaded.reset();
            emit self.failed(tag, Issue::from_current_exception());
        }
    }

    void answer(const QString& tag, const Question& question, const std::stop_token& stop) {
        if (!loaded || loaded->model != question.model || loaded->parts != question.parts) {
            const std::filesystem::path model = find_model(to_path(question.model));
            const ModelFolder folder = ModelFolder::open(model, question.parts, stop);
            if (folder.tokenizer.empty())
                throw Error(folder.root.string(), "model", "the tokenizer is missing", tokenizer_hint);
            loaded.emplace(
                Loaded{question.model, question.parts, load_tokenizer(folder.tokenizer), text_length(model)});
        }
        const std::vector<std::int64_t> ids =
            loaded->tokenizer.encode(umt5::clean(question.text.toStdString()), far_beyond);
        emit self.counted(tag, int(ids.size()), loaded->limit);
    }

    Tokens& self;
    std::map<QString, NewestQuestion> questions; ///< by tag
    std::optional<Loaded> loaded;                ///< used on the thread only
    TaskThread thread{{.nice = 0}};              ///< declared last, so that it is joined before the rest is destroyed
};

Tokens::Tokens(QObject* parent) : QObject(parent), state_(std::make_unique<State>(*this)) {
    qRegisterMetaType<Issue>();
}

Tokens::~Tokens() = default;

void Tokens::count(const QString& tag, const QString& text, const QString& model, const ModelParts& parts) {
    state_->ask(tag, {text, model, parts});
}

} // namespace denoir::app
