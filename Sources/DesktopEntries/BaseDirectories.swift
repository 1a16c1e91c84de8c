// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
import Glibc

/// Where a user's files are: the XDG Base Directory Specification, 0.8.
///
/// Foundation's `NSHomeDirectory()` and `homeDirectoryForCurrentUser` ask the account's entry and
/// ignore `$HOME`, which the specification goes by, and with which a user gives a program a home of
/// its own.
public enum BaseDirectories {
    /// `$HOME`; the account's directory where that is unset or not absolute.
    public static var home: URL { directory("HOME") ?? FileManager.default.homeDirectoryForCurrentUser }

    /// `$XDG_DATA_HOME`.
    public static var data: URL { directory("XDG_DATA_HOME") ?? home.appending(path: ".local/share") }

    /// `$XDG_CONFIG_HOME`.
    public static var configuration: URL { directory("XDG_CONFIG_HOME") ?? home.appending(path: ".config") }

    /// `$XDG_STATE_HOME`.
    public static var state: URL { directory("XDG_STATE_HOME") ?? home.appending(path: ".local/state") }

    /// `$XDG_RUNTIME_DIR`; nil without one, for nothing else has its properties.
    public static var runtime: URL? { directory("XDG_RUNTIME_DIR") }

    /// Why these are not the directories that the environment names, and what to do; nil where they
    /// are. A path that is not UTF-8 is read as another one, where nothing is to be written.
    public static var flaw: String? {
        let variables = ["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"]
        return variables.first { variable in
            getenv(variable).map { String(validatingCString: $0) == nil } ?? false
        }.map { "\($0) is not UTF-8; set it to a path in that encoding, as of a link to the directory" }
    }

    /// The specification says to ignore relative paths.
    private static func directory(_ variable: String) -> URL? {
        ProcessInfo.processInfo.environment[variable].flatMap { path in
            path.hasPrefix("/") ? URL(filePath: path, directoryHint: .isDirectory) : nil
        }
    }
}
