// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// The programs of a session, by name.
public struct Programs: Hashable, Sendable {
    /// The directories of programs, in order of precedence.
    ///
    /// Relative paths are ignored, because it is unknown which directory they are relative to.
    public let directories: [String]

    /// Creates the set of programs in some directories.
    public init(directories: [String]) { self.directories = directories.filter { $0.hasPrefix("/") } }

    /// The programs in this process's `$PATH`.
    public static var ofProcess: Programs { SessionVariables.ofProcess.programs }

    /// Returns the path of a program, or nil if it does not exist or is not executable.
    ///
    /// - Parameter name: The program's name or absolute path.
    public func path(of name: String) -> String? {
        if name.hasPrefix("/") { return Self.isExecutable(name) ? name : nil }
        guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")) else { return nil }
        return directories.lazy.map { "\($0)/\(name)" }.first(where: Self.isExecutable)
    }

    private static func isExecutable(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR && access(path, X_OK) == 0
    }
}
