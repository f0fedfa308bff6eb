// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace denoir::test {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define DENOIR_SANITIZED // clang's way of saying it
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DENOIR_SANITIZED
#endif

/// A sanitizer is compiled in: everything takes several times as long, and memory beside what is asked for.
#ifdef DENOIR_SANITIZED
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

} // namespace denoir::test
