// SPDX-License-Identifier: Apache-2.0
#include "engine/core/file.h"

#include <csignal>

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/text.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

/// The error of the last system call about `path`, in words that say what to do.
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
                fmt::format("the system reports error {} ({})", code, std::generic_category().message(code)), ""};
    }
}

void refuse_nul(const fs::path& path) {
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

/// Closes on every way out.
class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    Descriptor(const Descriptor&) = delete;
    int get() const { return fd_; }

private:
    int fd_;
};

struct OpenFile {
    int fd;
    std::size_t bytes;
};

/// Looks before it opens (opening a device can do something) and again afterwards (the name may lead elsewhere by then;
/// O_NONBLOCK keeps a pipe from blocking).
OpenFile open_regular(const fs::path& path) {
    refuse_nul(path);
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) throw system_error(path, errno);
    if (!S_ISREG(status.st_mode)) refuse_kind(path, status.st_mode);
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) throw system_error(path, errno);
    const bool known = ::fstat(fd, &status) == 0;
    const int code = errno;
    if (!known || !S_ISREG(status.st_mode)) ::close(fd);
    if (!known) throw system_error(path, code);
    if (!S_ISREG(status.st_mode)) refuse_kind(path, status.st_mode);
    return {fd, static_cast<std::size_t>(status.st_size)};
}

void write_all(int fd, const fs::path& path, const char* data, std::size_t bytes) {
    while (bytes > 0) {
        const ssize_t written = ::write(fd, data, bytes);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) throw system_error(path, errno);
        data += written;
        bytes -= static_cast<std::size_t>(written);
    }
}

/// The mapped files, for the handler of SIGBUS: it may take no lock and allocate nothing. What finds no place here ends
/// the process as ever.
struct Mapping {
    std::atomic<std::byte*> begin{nullptr};
    std::atomic<std::size_t> bytes{0};
};
std::array<Mapping, 4096> mappings;
std::atomic<unsigned> cuts{0};             ///< how often a missing page was read
std::atomic<std::byte*> last_cut{nullptr}; ///< first byte of the mapping where it happened last
struct sigaction before_us {};
const auto page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));

/// Names by first byte; only the handler's table must do without a lock.
struct MappedNames {
    std::mutex mutex;
    std::map<const std::byte*, std::string> names;
    std::string last; ///< of the mapping of last_cut, should it be gone by the time somebody asks
};
MappedNames& mapped_names() {
    static auto* all = new MappedNames;
    return *all;
}

/// The part of a mapping behind the end of its file was read: zeros take its place, and cuts tells.
void on_bus_error(int signal, siginfo_t* info, void*) {
    const auto* at = static_cast<std::byte*>(info->si_addr);
    for (const Mapping& m : mappings) {
        std::byte* begin = m.begin.load(std::memory_order_acquire);
        const std::size_t bytes = m.bytes.load(std::memory_order_acquire);
        if (!begin || at < begin || at >= begin + bytes) continue;
        const std::size_t offset = static_cast<std::size_t>(at - begin) / page_bytes * page_bytes;
        // All that follows: it lies behind the end too, and each page would cost a signal.
        if (::mmap(begin + offset, bytes - offset, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
            MAP_FAILED)
            break;
        last_cut.store(begin, std::memory_order_relaxed);
        cuts.fetch_add(1, std::memory_order_release);
        return;
    }
    ::sigaction(signal, &before_us, nullptr); // the same access again, now to its end
}

void watch_mappings() {
    static std::once_flag once;
    std::call_once(once, [] {
        struct sigaction action {};
        action.sa_sigaction = on_bus_error;
        action.sa_flags = SA_SIGINFO;
        sigemptyset(&action.sa_mask);
        ::sigaction(SIGBUS, &action, &before_us);
    });
}

void add_mapping(std::byte* data, std::size_t bytes, const std::string& name) {
    watch_mappings();
    {
        const std::lock_guard lock(mapped_names().mutex);
        mapped_names().names[data] = name;
    }
    for (Mapping& m : mappings) {
        std::byte* free = nullptr;
        if (!m.begin.compare_exchange_strong(free, data, std::memory_order_acq_rel)) continue;
        m.bytes.store(bytes, std::memory_order_release);
        return;
    }
}

void remove_mapping(std::byte* data) {
    for (Mapping& m : mappings) {
        if (m.begin.load(std::memory_order_acquire) != data) continue;
        m.bytes.store(0, std::memory_order_release);
        m.begin.store(nullptr, std::memory_order_release);
        break;
    }
    const std::lock_guard lock(mapped_names().mutex);
    const auto it = mapped_names().names.find(data);
    if (it == mapped_names().names.end()) return;
    if (last_cut.load(std::memory_order_relaxed) == data) mapped_names().last = it->second;
    mapped_names().names.erase(it);
}

/// The temporaries that exist now. Never destroyed: other threads may still write while the process ends.
struct Temporaries {
    std::mutex mutex;
    std::set<std::string> names;
};
Temporaries& temporaries() {
    static auto* all = new Temporaries;
    return *all;
}

fs::path home() {
    if (const char* home = std::getenv("HOME"); home && *home == '/') return home;
    if (const passwd* user = ::getpwuid(::getuid()); user && user->pw_dir && *user->pw_dir == '/') return user->pw_dir;
    throw Error("", "HOME", "is not set", "set DENOIR_HOME to a folder");
}

fs::path own_folder(const char* name, const char* xdg_variable, const char* below_home) {
    fs::path folder;
    if (const char* own = std::getenv("DENOIR_HOME"); own && *own)
        folder = fs::absolute(own) / name;
    else if (const char* xdg = std::getenv(xdg_variable); xdg && *xdg == '/') // relative ones are to be ignored
        folder = fs::path(xdg) / "denoir";
    else
        folder = home() / below_home / "denoir";
    std::error_code code;
    fs::create_directories(folder, code);
    if (std::error_code ignored; !fs::is_directory(folder, ignored)) {
        const Error why = system_error(folder, code ? code.value() : ENOTDIR);
        throw Error(why.file(), "", why.message(), "set DENOIR_HOME to a folder that can be written");
    }
    return folder;
}

} // namespace

std::shared_ptr<MappedFile> MappedFile::open(const fs::path& path) {
    const OpenFile file = open_regular(path);
    const Descriptor close_later(file.fd);
    void* memory = nullptr;
    if (file.bytes > 0) {
        memory = ::mmap(nullptr, file.bytes, PROT_READ, MAP_PRIVATE, file.fd, 0);
        if (memory == MAP_FAILED) throw system_error(path, errno);
        add_mapping(static_cast<std::byte*>(memory), file.bytes, path.native());
    }
    return std::shared_ptr<MappedFile>(new MappedFile(static_cast<std::byte*>(memory), file.bytes, path.native()));
}

MappedFile::~MappedFile() {
    if (!data_) return;
    remove_mapping(data_);
    ::munmap(data_, bytes_);
}

MappedFileWatch::MappedFileWatch() : seen_(cuts.load(std::memory_order_acquire)) {}

void MappedFileWatch::check() const {
    if (cuts.load(std::memory_order_acquire) == seen_) return;
    std::string name;
    {
        const std::lock_guard lock(mapped_names().mutex);
        const auto it = mapped_names().names.find(last_cut.load(std::memory_order_relaxed));
        name = it == mapped_names().names.end() ? mapped_names().last : it->second;
    }
    throw Error(name, "", "became shorter while it was being read", "leave files alone while they are used");
}

void MappedFile::drop_pages(std::size_t offset, std::size_t bytes) const {
    if (offset >= bytes_) return;
    const std::size_t page = page_bytes;
    const std::size_t end = offset + std::min(bytes, bytes_ - offset);
    const std::size_t first = (offset + page - 1) / page * page, last = end == bytes_ ? end : end / page * page;
    if (first < last) ::madvise(data_ + first, last - first, MADV_DONTNEED);
}

std::string read_text(const fs::path& path, std::size_t limit) {
    const OpenFile file = open_regular(path);
    const Descriptor close_later(file.fd);
    const auto too_long = [&] {
        return Error(path.native(), "", fmt::format("is longer than {} bytes", limit),
                     "no file that is read here is that long");
    };
    if (file.bytes > limit) throw too_long();
    std::string text;
    for (;;) { // the size may change while we read
        const std::size_t have = text.size();
        text.resize(std::max(file.bytes, have) + 1);
        ssize_t got = 0;
        do got = ::read(file.fd, text.data() + have, text.size() - have);
        while (got < 0 && errno == EINTR);
        if (got < 0) throw system_error(path, errno);
        text.resize(have + static_cast<std::size_t>(got));
        if (text.size() > limit) throw too_long();
        if (got == 0) return text;
    }
}

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)) {
    static std::atomic<unsigned> counter{0};
    refuse_nul(path_);
    const std::string name = path_.filename().native();
    if (name.empty() || name == "." || name == "..") throw system_error(path_, EISDIR);
    struct stat status {};
    const bool replaces = ::stat(path_.c_str(), &status) == 0;
    if (replaces && !S_ISREG(status.st_mode)) refuse_kind(path_, status.st_mode);
    for (;;) {
        // The name alone may fill the 255 bytes that a file system allows.
        temporary_ = path_.parent_path() / fmt::format(".{}.partial-{}-{}", name.substr(0, 200), ::getpid(), counter++);
        const std::lock_guard lock(temporaries().mutex); // made and known at once
        fd_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd_ >= 0) {
            temporaries().names.insert(temporary_.native());
            // Who may read the file stays its owner's choice. Some file systems know no modes: as they like, then.
            if (replaces) ::fchmod(fd_, status.st_mode & 0777);
            return;
        }
        if (errno != EEXIST) throw system_error(path_, errno);
    }
}

AtomicFile::~AtomicFile() {
    if (fd_ >= 0) ::close(fd_);
    if (temporary_.empty()) return;
    ::unlink(temporary_.c_str());
    const std::lock_guard lock(temporaries().mutex);
    temporaries().names.erase(temporary_.native());
}

void AtomicFile::write(const void* data, std::size_t bytes) {
    write_all(fd_, path_, static_cast<const char*>(data), bytes);
}

void AtomicFile::write_at(std::size_t offset, const void* data, std::size_t bytes) {
    const char* from = static_cast<const char*>(data);
    while (bytes > 0) {
        const ssize_t written = ::pwrite(fd_, from, bytes, static_cast<off_t>(offset));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) throw system_error(path_, errno);
        from += written, offset += static_cast<std::size_t>(written), bytes -= static_cast<std::size_t>(written);
    }
}

void AtomicFile::commit() {
    if (::fsync(fd_) != 0 && errno != EINVAL) throw system_error(path_, errno);
    const int fd = std::exchange(fd_, -1);
    if (::close(fd) != 0 && errno != EINTR) throw system_error(path_, errno);
    struct stat before {};
    const bool replaces = ::lstat(path_.c_str(), &before) == 0;
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) throw system_error(path_, errno);
    {
        const std::lock_guard lock(temporaries().mutex);
        temporaries().names.erase(temporary_.native());
    }
    temporary_.clear();
    try {
        sync_folder(path_.parent_path(), path_);
    } catch (const Error&) {
        if (!replaces) ::unlink(path_.c_str()); // what was there before is gone in any case
        throw;
    }
}

void sync_folder(const fs::path& folder, const fs::path& named) {
    const Descriptor fd(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd.get() < 0 || ::fsync(fd.get()) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS) return;
    throw system_error(named, errno);
}

void write_file(const fs::path& path, std::string_view content) {
    AtomicFile file(path);
    file.write(content);
    file.commit();
}

void remove_temporaries(bool for_good) noexcept {
    std::unique_lock lock(temporaries().mutex);
    for (const std::string& name : temporaries().names) {
        std::error_code ignored;
        if (::unlink(name.c_str()) != 0) fs::remove_all(name, ignored);
    }
    if (for_good) lock.release(); // never unlocked
}

int partial_of(std::string_view name) {
    const std::size_t mark = name.rfind(".partial-");
    return name.starts_with('.') && mark != std::string_view::npos
               ? std::atoi(std::string(name.substr(mark + 9)).c_str())
               : 0;
}

ScratchFolder::ScratchFolder(std::string_view prefix, const fs::path& parent) {
    std::error_code code;
    const char* set = std::getenv("TMPDIR");
    const fs::path place = !parent.empty() ? parent : fs::temp_directory_path(code);
    const fs::path named = !place.empty() ? place : set ? set : "TMPDIR";
    std::string name = (named / fmt::format("{}XXXXXX", prefix)).native();
    const std::lock_guard lock(temporaries().mutex);
    if (code || !::mkdtemp(name.data()))
        throw Error(named.native(), "", "no folder can be created there",
                    parent.empty() ? "set TMPDIR to a folder that can be written" : "choose another place");
    path_ = name;
    temporaries().names.insert(path_.native());
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    const std::lock_guard lock(temporaries().mutex);
    temporaries().names.erase(path_.native());
}

bool has_regular_file(const fs::path& path) {
    std::error_code code;
    const fs::file_status status = fs::status(path, code);
    if (status.type() == fs::file_type::none) throw system_error(path, code.value());
    return fs::is_regular_file(status);
}

bool same_file(const fs::path& a, const fs::path& b) {
    std::error_code code;
    return fs::equivalent(a, b, code) && !code;
}

fs::path data_folder() { return own_folder("data", "XDG_DATA_HOME", ".local/share"); }
fs::path config_folder() { return own_folder("config", "XDG_CONFIG_HOME", ".config"); }
fs::path cache_folder() { return own_folder("cache", "XDG_CACHE_HOME", ".cache"); }

std::string file_stamp(const fs::path& file) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) return file.string();
    return fmt::format("{} {} {} {}.{}", file.string(), status.st_ino, status.st_size, status.st_mtim.tv_sec,
                       status.st_mtim.tv_nsec);
}

std::string lower_extension(const fs::path& path) { return lower_ascii(path.extension().string()); }

} // namespace denoir
