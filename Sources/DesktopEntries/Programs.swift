// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// The programs that a session has, by their names.
public struct Programs: Hashable, Sendable {
    /// Where they are, the first that counts first. Relative paths do not count: nobody knows to
    /// what.
    public let directories: [String]

    /// The programs in some directories.
    public init(directories: [String]) { self.directories = directories.filter { $0.hasPrefix("/") } }

    /// Those of this process's `$PATH`.
    public static var ofProcess: Programs { SessionVariables.ofProcess.programs }

    /// Where a program is; nil when it is not there, or may not be executed.
    ///
    /// - Parameter name: Its name, or its absolute path.
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
