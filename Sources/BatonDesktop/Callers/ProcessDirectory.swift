// SPDX-License-Identifier: Apache-2.0

import Descriptors
import Glibc

/// A process's directory in `/proc`, kept open: what is read by it is always of that process, never
/// of a later one with the same number.
final class ProcessDirectory: Sendable {
    /// What opening a file in it came to.
    enum Opened: Equatable {
        case file(Int32)
        /// There is no such file.
        case absent
        /// It cannot be had: the process has gone, or does not let itself be looked at.
        case refused(Int32)
    }

    private let descriptor: Int32

    /// The directory of a process.
    ///
    /// - Returns: Nil when there is no such process, or `/proc` is not to be seen.
    init?(process: UInt32) {
        descriptor = open("/proc/\(process)", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor < 0 { return nil }
    }

    /// The directory of the process behind a descriptor for it, as `pidfd_open` gives them.
    ///
    /// - Returns: Nil when the process has gone, or has no number here.
    convenience init?(processDescriptor: Int32) {
        guard let process = Self.process(of: processDescriptor) else { return nil }
        self.init(process: process)
        // A number is used again only after its process has gone, which the descriptor would say
        // now.
        guard Self.process(of: processDescriptor) == process else { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// When the process began, in clock ticks since the machine did.
    var startTicks: UInt64? {
        guard let text = text(of: "stat", limit: 4_096), let end = text.lastIndex(of: ")") else { return nil }
        // The 22nd field; the name, which is the second, may hold anything.
        let fields = text[text.index(after: end)...].split(separator: " ")
        return fields.count > 19 ? UInt64(fields[19]) : nil
    }

    /// The path of the program that the process executes, as `/proc/PID/exe` leads to it; nil when
    /// that cannot be looked at. A program that was replaced since, as by an update, keeps its
    /// path.
    var executable: String? {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let length = readlinkat(descriptor, "exe", &bytes, bytes.count)
        // A path that fills all of the room may have been cut.
        guard length > 0, length < bytes.count else { return nil }
        let path = String(decoding: bytes[..<length], as: UTF8.self)
        return path.hasSuffix(Self.deleted) ? String(path.dropLast(Self.deleted.count)) : path
    }

    /// The path of a file without symbolic links; nil when there is no such file.
    static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// What the kernel puts behind the path of a file that no directory has any more.
    private static let deleted = " (deleted)"

    /// The name that the process goes by in lists of processes, which it may choose; nil when it
    /// has gone. Unlike its executable, every process lets this be read.
    var command: String? {
        text(of: "comm", limit: Self.largestCommand).map { $0.hasSuffix("\n") ? String($0.dropLast()) : $0 }
    }

    /// The most that is read of such a name; the kernel keeps 15 bytes, and 63 of its own threads'.
    private static let largestCommand = 64

    /// The text of a file of the process's own in `/proc`; nil when it cannot be read or is longer.
    func text(of name: String, limit: Int) -> String? {
        let file = openat(descriptor, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return Self.text(file, limit: limit)
    }

    /// Opens a regular file at the root of the process's own view of the file system, never through
    /// a symbolic link.
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

    /// Whether the process sees the same mount at its root as this one does, and so is in no
    /// sandbox that has mounts of its own. Every process lets this be read.
    var hasOwnRoot: Bool {
        guard let number = rootMount?.prefix(while: { $0 != " " }) else { return false }
        return number == ProcessDirectory(process: UInt32(getpid()))?.rootMount?.prefix { $0 != " " }
    }

    /// Containers such as toolbox may have a root that only they may enter; Flatpak never has.
    private var isRootOnFUSE: Bool {
        guard let root = rootMount, let dash = root.firstRange(of: " - ") else { return false }
        return root[dash.upperBound...].hasPrefix("fuse")
    }

    /// The mount that the process sees at "/"; nil when there is none, or the process has gone.
    ///
    /// NUMBER PARENT DEVICE ROOT MOUNT-POINT OPTIONS [TAGS] - TYPE SOURCE OPTIONS; the last that
    /// covers "/" is seen. No two mounts of a machine have one number at a time.
    private var rootMount: Substring? {
        text(of: "mountinfo", limit: 1 << 20)?.split(separator: "\n").last { mount in
            let fields = mount.split(separator: " ", maxSplits: 5)
            return fields.count > 4 && fields[4] == "/"
        }
    }

    /// The number of the process behind a descriptor for it.
    private static func process(of descriptor: Int32) -> UInt32? {
        let file = open("/proc/self/fdinfo/\(descriptor)", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        let lines = text(file, limit: 4_096)?.split(separator: "\n") ?? []
        guard let line = lines.first(where: { $0.hasPrefix("Pid:") }) else { return nil }
        // -1 for one that has gone, 0 for one of another namespace.
        return UInt32(line.dropFirst(4).drop { $0 == " " || $0 == "\t" }).flatMap { $0 > 0 ? $0 : nil }
    }

    /// The rest of a file; nil when that is more than the limit, is not UTF-8, or cannot be read.
    static func text(_ file: Int32, limit: Int) -> String? {
        guard let bytes = try? FileContents.read(file, limit: limit) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
