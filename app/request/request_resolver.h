// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Private to RequestDocument: the engine's view of a request, on a thread of its own.
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "app/request/request_document.h"

namespace denoir::app {

struct RequestDocument::Resolution {
    quint64 serial = 0;
    std::optional<Request> resolved, defaults;
    Estimate estimate;
    QList<Issue> issues;
    bool takes_image = true, takes_last_image = true;
    Variant variant;
};

/// Answers the newest question alone. `answer` is called on the resolver's thread.
class RequestDocument::Resolver {
public:
    explicit Resolver(std::function<void(Resolution)> answer);
    quint64 ask(const Request& request);
    static Resolution resolve(const Request& request);

private:
    void loop(const std::stop_token& end);
    std::function<void(Resolution)> answer_;
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::optional<Request> question_;
    quint64 serial_ = 0;
    std::jthread thread_;
};

} // namespace denoir::app
