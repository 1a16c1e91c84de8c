// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
import Glibc

/// The directories of a user's files, by the XDG Base Directory Specification 0.8.
///
/// Foundation's `NSHomeDirectory()` and `homeDirectoryForCurrentUser` use the account's entry and
/// ignore `$HOME`. The specification uses `$HOME`, and users set it to give a program its own home.
public enum BaseDirectories {
    /// `$HOME`, or the account's directory if it is unset or relative.
    public static var home: URL { directory("HOME") ?? FileManager.default.homeDirectoryForCurrentUser }

    /// `$XDG_DATA_HOME`, or `.local/share` in the home directory.
    public static var data: URL { directory("XDG_DATA_HOME") ?? home.appending(path: ".local/share") }

    /// `$XDG_CONFIG_HOME`, or `.config` in the home directory.
    public static var configuration: URL { directory("XDG_CONFIG_HOME") ?? home.appending(path: ".config") }

    /// `$XDG_STATE_HOME`, or `.local/state` in the home directory.
    public static var state: URL { directory("XDG_STATE_HOME") ?? home.appending(path: ".local/state") }

    /// `$XDG_RUNTIME_DIR`, or nil if it is unset, because no other directory has its guarantees.
    public static var runtime: URL? { directory("XDG_RUNTIME_DIR") }

    /// The message that a variable is not UTF-8, with the remedy, or nil if all variables are
    /// UTF-8.
    ///
    /// Swift would read a path that is not UTF-8 as another path. Baton must not write to that
    /// other path.
    public static var flaw: String? {
        let variables = ["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"]
        return variables.first { variable in
            getenv(variable).map { String(validatingCString: $0) == nil } ?? false
        }.map { "\($0) is not UTF-8; set it to a path in that encoding, as of a link to the directory" }
    }

    /// Returns the directory in a variable, or nil if the variable is unset or its path is
    /// relative. The specification says to ignore relative paths.
    private static func directory(_ variable: String) -> URL? {
        ProcessInfo.processInfo.environment[variable].flatMap { path in
            path.hasPrefix("/") ? URL(filePath: path, directoryHint: .isDirectory) : nil
        }
    }
}
