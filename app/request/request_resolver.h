// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Private to RequestDocument: the engine's view of a request, on a thread of its own.
#include <functional>

#include "app/base/newest_question.h"
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

/// Resolves requests, of which only the newest counts. `answer` is called on the resolver's thread.
class RequestDocument::Resolver {
public:
    explicit Resolver(std::function<void(Resolution)> answer);
    quint64 ask(const Request& request);
    static Resolution resolve(const Request& request, const std::stop_token& stop);

private:
    std::function<void(Resolution)> answer_;
    TaskThread thread_{{.nice = 0}};
    NewestQuestion question_{thread_};
};

} // namespace denoir::app
