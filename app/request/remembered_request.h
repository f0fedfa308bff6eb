// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QTimer>
#include <filesystem>

#include "app/base/file_saver.h"

namespace denoir::app {

class RequestDocument;
class Settings;

/// What stands in the parameters, kept in a file of our own for the next start: a moment after each change. Borrows
/// document and settings. GUI thread.
class RememberedRequest : public QObject {
    Q_OBJECT
public:
    RememberedRequest(RequestDocument& document, const Settings& settings, std::filesystem::path file,
                      QObject* parent = nullptr);
    /// Puts it back into the document; where none was kept, a request with that prompt.
    void restore(const QString& first_prompt);
    void save();                            ///< now
    void keep_nothing() { keeps_ = false; } ///< from now on

private:
    RequestDocument& document_;
    const Settings& settings_;
    FileSaver saver_;
    QTimer later_;
    bool keeps_ = true;
};

} // namespace denoir::app
