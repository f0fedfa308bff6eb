// SPDX-License-Identifier: Apache-2.0
#include "engine/core/open_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "engine/core/disk.h"

namespace denoir {
namespace fs = std::filesystem;

Error system_error(const fs::path& path, int code) {
    switch (code) {
    case ENOENT:
        return {path.native(), "", "no such file or folder", "check the name"};
    case ENOTDIR:
        return {path.native(), "", "a part of this path is not a folder", "check the name"};
    case EACCES:
    case EPERM:
        return {path.native(), "", "permission denied", "change the permissions or choose another place"};
    case EROFS:
        return {path.native(), "", "the file system is read-only", "choose another place"};
    case EISDIR:
        return {path.native(), "", "is a folder", "name a file"};
    case ENAMETOOLONG:
        return {path.native().substr(0, 4096), "", "the name is too long", "choose a shorter one"};
    case ELOOP:
        return {path.native(), "", "symbolic links lead in a circle", "name the file itself"};
    case ENOSPC:
    case EDQUOT:
        return {path.native(), "", "no space left on the disk", "free some space"};
    case EFBIG:
        return {path.native(), "", "the file would be larger than is allowed here",
                "free some space or raise the limit"};
    case EIO:
        return {path.native(), "", "the disk reports an error", "check the disk"};
    case EMFILE:
    case ENFILE:
        return {path.native(), "", "too many open files", "close other programs"};
    case ENOMEM:
        return {path.native(), "", "not enough memory to open it", "close other programs"};
    default:
        return {path.native(), "",
                fmt::format("the system reports error {} ({})", code, std::generic_category().message(code)),
                "try again, or choose another place"};
    }
}

void throw_system_error(const fs::path& path, int code) {
    if (code == ENOSPC || code == EDQUOT || code == EFBIG) throw NoSpace(system_error(path, code));
    throw system_error(path, code);
}

void refuse_bad_name(const fs::path& path) {
    if (path.empty()) throw Error("", "path", "is empty", "name a file");
    if (path.native().find('\0') != std::string::npos)
        throw Error(path.native(), "", "the name holds a NUL character", "remove it");
}

[[noreturn]] void refuse_kind(const fs::path& path, mode_t mode) {
    const char* kind = S_ISDIR(mode)    ? "a folder"
                       : S_ISFIFO(mode) ? "a pipe"
                       : S_ISSOCK(mode) ? "a socket"
                                        : "a device";
    throw Error(path.native(), "", fmt::format("is {}, not a regular file", kind), "name a regular file");
}

/// Checks the kind of file before it opens it, since opening a device can have an effect, and again afterwards, since
/// the name may lead elsewhere by then. O_NONBLOCK keeps a pipe from blocking.
OpenFile open_regular(const fs::path& path) {
    refuse_bad_name(path);
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) throw_system_error(path, errno);
    if (!S_ISREG(status.st_mode)) refuse_kind(path, status.st_mode);
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) throw_system_error(path, errno);
    const bool known = ::fstat(fd, &status) == 0;
    const int code = errno;
    if (!known || !S_ISREG(status.st_mode)) ::close(fd);
    if (!known) throw_system_error(path, code);
    if (!S_ISREG(status.st_mode)) refuse_kind(path, status.st_mode);
    return {fd, static_cast<std::size_t>(status.st_size)};
}

} // namespace denoir
