// SPDX-License-Identifier: Apache-2.0

import Descriptors
import Glibc

/// A process's directory in `/proc`. The directory is kept open, so that all reads are about that
/// process, never about a later one with the same number.
final class ProcessDirectory: Sendable {
    /// The result of opening a file.
    enum Opened: Equatable {
        case file(Int32)
        /// There is no such file.
        case absent
        /// The file cannot be opened: the process has ended or does not allow inspection.
        case refused(Int32)
    }

    private let descriptor: Int32

    /// Opens the directory of a process.
    ///
    /// - Returns: Nil if there is no such process, or `/proc` is not visible.
    init?(process: UInt32) {
        descriptor = open("/proc/\(process)", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor < 0 { return nil }
    }

    /// Opens the directory of the process behind a process descriptor, as from `pidfd_open`.
    ///
    /// - Returns: Nil if the process has ended, or has no number in this namespace.
    convenience init?(processDescriptor: Int32) {
        guard let process = Self.process(of: processDescriptor) else { return nil }
        self.init(process: process)
        // A number is reused only after its process has ended, and then the descriptor has no
        // number any more.
        guard Self.process(of: processDescriptor) == process else { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// When the process started, in clock ticks since boot, or nil if it has ended.
    var startTicks: UInt64? {
        guard let text = text(of: "stat", limit: 4_096), let end = text.lastIndex(of: ")") else { return nil }
        // The start time is the 22nd field. The second field, the name, may contain anything.
        let fields = text[text.index(after: end)...].split(separator: " ")
        return fields.count > 19 ? UInt64(fields[19]) : nil
    }

    /// The path of the executable, from `/proc/PID/exe`, or nil if it cannot be read. If the file
    /// has been replaced since the process started, for example by an update, the path has no
    /// suffix ` (deleted)`.
    var executable: String? {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let length = readlinkat(descriptor, "exe", &bytes, bytes.count)
        // A path that fills the buffer may be truncated.
        guard length > 0, length < bytes.count else { return nil }
        let path = String(decoding: bytes[..<length], as: UTF8.self)
        return path.hasSuffix(Self.deleted) ? String(path.dropLast(Self.deleted.count)) : path
    }

    /// Returns the path of a file with symbolic links resolved, or nil if there is no such file.
    static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// The suffix that the kernel adds to the path of a deleted file.
    private static let deleted = " (deleted)"

    /// The process's name in lists of processes, or nil if it has ended. The process may choose
    /// this name. Unlike the executable, it can be read for every process.
    var command: String? {
        text(of: "comm", limit: Self.largestCommand).map { $0.hasSuffix("\n") ? String($0.dropLast()) : $0 }
    }

    /// The maximum length of a name in lists of processes. The kernel keeps 15 bytes, and 63 for
    /// its own threads.
    private static let largestCommand = 64

    /// Returns the text of one of the process's files in `/proc`. Returns nil if the file cannot be
    /// read or is longer than the limit.
    func text(of name: String, limit: Int) -> String? {
        let file = openat(descriptor, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return Self.text(file, limit: limit)
    }

    /// Opens a file at the root of the process's view of the file system. Does not follow symbolic
    /// links.
    func openAtRoot(_ name: String) -> Opened {
        let root = openat(descriptor, "root", O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard root >= 0 else {
            let code = errno
            return code == EACCES && isRootOnFUSE ? .absent : .refused(code)
        }
        defer { close(root) }
        let file = openat(root, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW)
        guard file >= 0 else { return errno == ENOENT ? .absent : .refused(errno) }
        return .file(file)
    }

    /// Whether the process has the same root mount as the daemon. If so, the process is in no
    /// sandbox with mounts of its own. The kernel shows the mounts of every process.
    var hasOwnRoot: Bool {
        guard let number = rootMount?.prefix(while: { $0 != " " }) else { return false }
        return number == ProcessDirectory(process: UInt32(getpid()))?.rootMount?.prefix { $0 != " " }
    }

    /// Whether the root is a FUSE file system. Containers such as toolbox may have a root that only
    /// they can enter. A Flatpak sandbox never has such a root.
    private var isRootOnFUSE: Bool {
        guard let root = rootMount, let dash = root.firstRange(of: " - ") else { return false }
        return root[dash.upperBound...].hasPrefix("fuse")
    }

    /// The process's mount at "/", or nil if there is none or the process has ended.
    ///
    /// A line has the form NUMBER PARENT DEVICE ROOT MOUNT-POINT OPTIONS [TAGS] - TYPE SOURCE
    /// OPTIONS. The last mount at "/" is the visible one. No two mounts of a machine have the same
    /// number at the same time.
    private var rootMount: Substring? {
        text(of: "mountinfo", limit: 1 << 20)?.split(separator: "\n").last { mount in
            let fields = mount.split(separator: " ", maxSplits: 5)
            return fields.count > 4 && fields[4] == "/"
        }
    }

    /// Returns the number of the process behind a process descriptor, or nil if it has none here.
    private static func process(of descriptor: Int32) -> UInt32? {
        let file = open("/proc/self/fdinfo/\(descriptor)", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        let lines = text(file, limit: 4_096)?.split(separator: "\n") ?? []
        guard let line = lines.first(where: { $0.hasPrefix("Pid:") }) else { return nil }
        // The number is -1 if the process has ended, and 0 if the process is in another namespace.
        return UInt32(line.dropFirst(4).drop { $0 == " " || $0 == "\t" }).flatMap { $0 > 0 ? $0 : nil }
    }

    /// Returns the rest of a file, or nil if it exceeds the limit, is not UTF-8, or cannot be read.
    static func text(_ file: Int32, limit: Int) -> String? {
        guard let bytes = try? FileContents.read(file, limit: limit) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
