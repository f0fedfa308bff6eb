// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QTimer>
#include <filesystem>

#include "app/base/file_saver.h"

namespace denoir::app {

class RequestDocument;
class Settings;

/// Keeps the request being edited in a file of the studio's own for the next start, writing it shortly after each
/// change. Borrows document and settings. GUI thread.
class RememberedRequest : public QObject {
    Q_OBJECT
public:
    RememberedRequest(RequestDocument& document, const Settings& settings, std::filesystem::path file,
                      QObject* parent = nullptr);
    /// Loads the kept request into the document, or one with the prompt `first_prompt` if there is none.
    void restore(const QString& first_prompt);
    void save();                            ///< writes it now
    void keep_nothing() { keeps_ = false; } ///< writes nothing from now on

private:
    RequestDocument& document_;
    const Settings& settings_;
    FileSaver saver_;
    QTimer later_;
    bool keeps_ = true;
};

} // namespace denoir::app
