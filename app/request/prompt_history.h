// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QStringList>
#include <memory>

namespace denoir::app {

class FileSaver;

/// The prompts that were generated from, newest last, each once; `prompts.json` of the data folder. Alt+Up and Alt+Down
/// walk through it as in a shell: what was being written comes back at the end.
class PromptHistory : public QObject {
    Q_OBJECT
public:
    static constexpr int limit = 500;
    explicit PromptHistory(QObject* parent = nullptr);
    ~PromptHistory() override;

    void add(const QString& prompt); ///< ends a walk
    /// The prompt before; `current` is kept as the end of the walk. Null: there is none.
    QString previous(const QString& current);
    QString next(); ///< null: not walking
    QStringList prompts() const { return prompts_; }

private:
    QStringList prompts_;
    QString draft_;
    qsizetype at_ = -1; ///< place of the walk; -1: none
    std::unique_ptr<FileSaver> saver_;
};

} // namespace denoir::app
