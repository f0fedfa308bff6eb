// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace denoir::test {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define DENOIR_SANITIZED // how clang says it
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DENOIR_SANITIZED
#endif

/// Whether this build has a sanitizer, under which everything takes several times as long and needs more memory.
#ifdef DENOIR_SANITIZED
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

} // namespace denoir::test
