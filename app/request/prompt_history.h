// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QStringList>
#include <memory>

namespace denoir::app {

class FileSaver;

/// The prompts of earlier runs, newest last, each once, in `prompts.json` in the data folder. Alt+Up and Alt+Down walk
/// through them as in a shell, where the text that was being written comes back at the end.
class PromptHistory : public QObject {
    Q_OBJECT
public:
    static constexpr int limit = 500;
    explicit PromptHistory(QObject* parent = nullptr);
    ~PromptHistory() override;

    void add(const QString& prompt); ///< also ends a walk
    /// The prompt before the one shown; null if there is none. A walk begins with keeping `current` as its end.
    QString previous(const QString& current);
    QString next(); ///< the prompt after the one shown; null without a walk
    QStringList prompts() const { return prompts_; }

private:
    QStringList prompts_;
    QString draft_;
    qsizetype at_ = -1; ///< index of the prompt shown; -1 without a walk
    std::unique_ptr<FileSaver> saver_;
};

} // namespace denoir::app
