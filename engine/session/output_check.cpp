// SPDX-License-Identifier: Apache-2.0
#include "engine/session/output_check.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <string>

#include "engine/core/atomic_file.h"
#include "engine/core/disk.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/text.h"
#include "engine/media/frame_folder.h"
#include "engine/pipeline/run_layout.h"
#include "engine/session/run_folder.h"
#include "engine/session/sweep_folder.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

constexpr std::array<std::string_view, 2> video_extensions{".mp4", ".mkv"};
/// Extensions that promise something other than a folder of frames.
constexpr std::array<std::string_view, 22> other_extensions{
    ".avi", ".mov",  ".webm", ".m4v",  ".mpg",  ".mpeg", ".ts",  ".wmv",  ".flv",         ".ogv",  ".gif",
    ".png", ".apng", ".jpg",  ".jpeg", ".webp", ".bmp",  ".tif", ".tiff", ".safetensors", ".json", ".y4m"};

constexpr std::uintmax_t least_space = 16 << 10; ///< bytes; no result is smaller

fs::path folder_of(const fs::path& path) {
    const fs::path parent = path.parent_path();
    return parent.empty() ? "." : parent;
}

/// "out/" names the folder out.
fs::path without_slash(const fs::path& path) { return path.has_filename() ? path : path.parent_path(); }

/// One path for all spellings of `path`.
fs::path place(const fs::path& path) {
    std::error_code code;
    // weakly_canonical() alone leaves names relative that do not exist.
    const fs::path real = fs::weakly_canonical(fs::absolute(without_slash(path), code), code);
    // It fails where the path is longer than the system allows.
    return without_slash((code ? path : real).lexically_normal());
}

/// Whether new files can be made in `folder`: permissions do not tell that of file systems like /proc.
bool takes_files(const fs::path& folder) {
    const int fd = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (fd >= 0) ::close(fd);
    // ENOENT, EOPNOTSUPP and EISDIR may only mean that this file system has no O_TMPFILE. Of any other error the writer
    // will say more.
    if (fd >= 0 || (errno != ENOENT && errno != EOPNOTSUPP && errno != EISDIR)) return true;
    std::string name = (folder / ".denoir-XXXXXX").string();
    const int file = ::mkstemp(name.data());
    if (file < 0) return false;
    ::close(file);
    ::unlink(name.c_str());
    return true;
}

/// Throws Error naming `out` unless `folder`, where it is to be written, exists, is writable and has some room.
/// `subject`: what the message calls the folder.
void check_place(const fs::path& out, const fs::path& folder, const char* subject) {
    struct stat status {};
    if (::stat(folder.c_str(), &status) != 0) {
        if (errno == ENAMETOOLONG) throw Error(out.string(), "", "the name is too long", "choose a shorter one");
        throw Error(out.string(), "",
                    fmt::format("{} {}", subject, errno == EACCES ? "cannot be read" : "does not exist"),
                    fmt::format("create {} or choose another place", printable(folder.string(), 80)));
    }
    if (!S_ISDIR(status.st_mode))
        throw Error(out.string(), "", fmt::format("{} is a file", subject), "choose another place");
    if (::access(folder.c_str(), W_OK | X_OK) != 0)
        throw Error(out.string(), "", fmt::format("{} is not writable", subject),
                    "change the permissions or choose another place");
    if (!takes_files(folder))
        throw Error(out.string(), "", fmt::format("{} takes no new files", subject), "choose another place");
    if (free_space(folder).value_or(least_space) < least_space)
        throw NoSpace(out.string(), "", "no space left on the disk", "free some space or choose another place");
    if (out.filename().native().size() > 255)
        throw Error(out.string(), "", "the name is too long", "choose a shorter one");
}

void check_parent(const fs::path& out) { check_place(out, folder_of(out), "its folder"); }

void refuse_input(const fs::path& out, const fs::path& input) {
    throw Error(out.string(), "", fmt::format("is also an input ({})", printable(input.string(), 100)),
                "choose another output");
}

/// Whether this is a kind of file that no command reads from an input folder, so that it may be replaced there. (A
/// run's own files are refused by name.)
bool is_never_read(const fs::path& out) {
    static constexpr std::array<std::string_view, 4> made{".mp4", ".mkv", ".html", ".csv"};
    return std::find(made.begin(), made.end(), lower_extension(out)) != made.end();
}

void check_not_input(const fs::path& out, std::span<const fs::path> inputs) {
    std::error_code code;
    if (!fs::exists(out, code)) return;
    const fs::path self = fs::canonical(folder_of(out), code) / out.filename();
    const bool is_clip = run_of_video(out).has_value(); // of a run, whose video is read
    for (const fs::path& input : inputs) {
        if (input.empty()) continue;
        if (same_file(out, input)) refuse_input(out, input);
        if (!fs::is_directory(input, code)) continue;
        // A folder of frames, or a run with its folders of latents. (The files of a model are inputs one by one.)
        for (fs::recursive_directory_iterator
                 it(fs::canonical(input, code), fs::directory_options::skip_permission_denied, code),
             end;
             !code && it != end; it.increment(code)) {
            if (it.depth() > 0) it.disable_recursion_pending();
            if (it->path() == self && is_never_read(out) && !is_clip) continue;
            if (same_file(out, it->path())) refuse_input(out, it->path());
        }
    }
}

/// Whether `name` is a file that a sweep keeps in its `folder`: its record, or what is made from its cells.
bool is_file_of_sweep(const fs::path& folder, const std::string& name) {
    static constexpr std::array<std::string_view, 5> kept{SweepFolder::record_name, SweepFolder::grid_video,
                                                          SweepFolder::grid_picture, SweepFolder::report,
                                                          SweepFolder::csv};
    return std::find(kept.begin(), kept.end(), name) != kept.end() && is_sweep_folder(folder);
}

/// Throws Error if `out` is a file that a sweep, or a run other than `own_run`, keeps in its folder.
void refuse_kept_file(const fs::path& out, const fs::path& own_run) {
    static constexpr std::array<std::string_view, 5> kept{run_file::video, run_file::record, run_file::conditioning,
                                                          run_file::metrics, run_file::thumbnail};
    std::error_code code;
    if (!fs::exists(out, code)) return;
    const fs::path folder = fs::canonical(folder_of(out), code);
    if (code) return; // check_place() has refused it where that matters
    if (is_file_of_sweep(folder, out.filename()))
        throw Error(out.string(), "", fmt::format("is a file of the sweep {}", printable_name(folder, 100)),
                    "choose another output");
    const bool state = folder.filename() == run_file::latents || folder.filename() == run_file::solver;
    const fs::path run = state ? folder.parent_path() : folder;
    if (!state && std::find(kept.begin(), kept.end(), out.filename().native()) == kept.end()) return;
    if (!is_whole_run_folder(run) || (!own_run.empty() && same_file(run, own_run))) return;
    throw Error(out.string(), "", fmt::format("is a file of the run {}", printable_name(run, 100)),
                "choose another output");
}

} // namespace

bool lies_in(const fs::path& path, const fs::path& folder) {
    const fs::path a = place(path), b = place(folder);
    const auto [end, unused] = std::mismatch(b.begin(), b.end(), a.begin(), a.end());
    return end == b.end();
}

bool same_place(const fs::path& a, const fs::path& b) { return place(a) == place(b); }

void check_output_file(const fs::path& out, std::span<const fs::path> inputs, const fs::path& own_run) {
    if (out.empty()) throw UsageError("", "--out", "is empty", "name a file");
    if (!out.has_filename() || out.filename() == "." || out.filename() == "..")
        throw Error(out.string(), "", "names a folder", "name a file");
    struct stat status {};
    if (::stat(out.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
        throw Error(out.string(), "",
                    S_ISDIR(status.st_mode) ? "is an existing folder"
                                            : "is a pipe, device or socket, not a regular file",
                    "choose another name");
    check_parent(out);
    check_not_input(out, inputs);
    refuse_kept_file(out, own_run);
    remove_partials(folder_of(out), out.filename().string());
}

void check_output_folder(const fs::path& given, std::span<const fs::path> inputs, int own_frames) {
    const fs::path out = without_slash(given);
    if (out.empty()) throw UsageError("", "--out", "is empty", "name a folder");
    struct stat status {};
    const bool exists = ::stat(out.c_str(), &status) == 0;
    if (exists && !S_ISDIR(status.st_mode))
        throw Error(given.string(), "", "is a file, but a folder is expected", "name a new or empty folder");
    std::error_code code;
    if (!exists && fs::is_symlink(fs::symlink_status(out, code)))
        throw Error(given.string(), "", "is a broken link", "remove it or choose another name");
    if (exists && !holds_only_frames(out, own_frames, code))
        throw Error(given.string(), "", code ? "cannot be read" : "is not empty", "give a new or empty folder");
    if (exists)
        check_place(given, out, "the folder");
    else
        check_parent(out);
    for (const fs::path& input : inputs)
        if (!input.empty() && same_file(out, input)) refuse_input(given, input);
}

OutputKind check_output(const fs::path& out, std::span<const fs::path> inputs, int own_frames,
                        const fs::path& own_run) {
    const auto in = [](const auto& list, std::string_view word) {
        return std::find(list.begin(), list.end(), word) != list.end();
    };
    const std::string extension = lower_extension(without_slash(out));
    const std::string name = lower_ascii(without_slash(out).filename().native());
    std::error_code code;
    if (in(video_extensions, name) || in(other_extensions, name)) // "$NAME.mp4" where NAME is empty
        throw UsageError(out.string(), "", "is an extension without a name", "write a name before it, like clip.mp4");
    if (in(video_extensions, extension)) {
        if (fs::is_directory(out, code))
            throw Error(out.string(), "", "is an existing folder named like a video", "choose another name");
        if (!out.has_filename())
            throw Error(out.string(), "", "names a folder like a video", "leave the slash out or choose another name");
        check_output_file(out, inputs, own_run);
        return OutputKind::video;
    }
    if (in(other_extensions, extension))
        throw UsageError(out.string(), "", fmt::format("{} is not written", extension),
                         "name a .mp4 (H.264), a .mkv (FFV1) or a folder for PNG frames");
    if (fs::is_regular_file(out, code))
        throw Error(out.string(), "", "is an existing file without a video's extension",
                    "name a .mp4, a .mkv or a folder");
    check_output_folder(out, inputs, own_frames);
    return OutputKind::frames;
}

OutputKind check_output_of_run(const fs::path& out, std::span<const fs::path> inputs, int own_frames,
                               const fs::path& run) {
    try {
        return check_output(out, inputs, own_frames, run);
    } catch (const NoSpace&) {
        throw;
    } catch (const UsageError& e) { // run.json was changed: nobody has typed it
        throw Error((run / run_file::record).string(), "out", e.message(), e.hint());
    } catch (const Error& e) {
        std::error_code code;
        if (!fs::exists(fs::symlink_status(without_slash(out), code))) throw; // such as a missing parent folder
        throw Error(e.file(), e.field(), e.message(), "move away what is there, or decode the run into another place");
    }
}

} // namespace denoir
