// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// The environment variables of a user's session that say where apps and programs are, and which
/// desktop and language are used.
///
/// The variables for the user's own directories are not among them. ``BaseDirectories`` reads these
/// variables only from the process's environment.
public struct SessionVariables: Hashable, Sendable {
    /// The variables that a session may change.
    public static let names: Set<String> = [
        "XDG_CURRENT_DESKTOP", "XDG_DATA_DIRS", "XDG_CONFIG_DIRS", "PATH", "LANG", "LANGUAGE",
    ]
    /// The variables that take precedence over `LANG`. These variables are read from the process's
    /// environment.
    private static let startNames: Set<String> = ["LC_ALL", "LC_MESSAGES"]

    /// The session's values of ``names``.
    public let values: [String: String]
    private let startValues: [String: String]

    /// Reads the variables of a session.
    ///
    /// - Parameters:
    ///   - session: The session's environment. Only ``names`` are read from it.
    ///   - start: The environment with which the process was started.
    public init(_ session: [String: String], start: [String: String] = ProcessInfo.processInfo.environment) {
        values = session.filter { Self.names.contains($0.key) }
        startValues = start.filter { Self.startNames.contains($0.key) }
    }

    /// The variables with which this process was started.
    public static var ofProcess: SessionVariables { SessionVariables(ProcessInfo.processInfo.environment) }

    /// `$XDG_DATA_HOME` and each of `$XDG_DATA_DIRS`, in order of precedence.
    public var dataDirectories: [URL] {
        [BaseDirectories.data] + directories("XDG_DATA_DIRS", unlessSet: "/usr/local/share:/usr/share")
    }

    /// The directories of desktop entries, in order of precedence.
    ///
    /// These are `applications` in each of ``dataDirectories``.
    public var applicationDirectories: [URL] { dataDirectories.map { $0.appending(path: "applications") } }

    /// `$XDG_CONFIG_HOME` and each of `$XDG_CONFIG_DIRS`, in order of precedence.
    public var configurationDirectories: [URL] {
        [BaseDirectories.configuration] + directories("XDG_CONFIG_DIRS", unlessSet: "/etc/xdg")
    }

    /// The names in `$XDG_CURRENT_DESKTOP`: the desktop itself, then desktops that are similar to
    /// it.
    public var desktops: [String] { list("XDG_CURRENT_DESKTOP") }

    /// The programs in `$PATH`.
    public var programs: Programs { Programs(directories: list("PATH", unlessSet: "/usr/local/bin:/usr/bin:/bin")) }

    /// The user's languages, in order of preference.
    public var languages: [String] {
        let locale = [startValues["LC_ALL"], startValues["LC_MESSAGES"], values["LANG"]].lazy.compactMap(\.self)
            .first { !$0.isEmpty }
        return list("LANGUAGE") + (locale.map { [$0] } ?? [])
    }

    /// Returns the directories in a variable. The XDG Base Directory Specification says to ignore
    /// relative paths.
    private func directories(_ variable: String, unlessSet standard: String) -> [URL] {
        list(variable, unlessSet: standard).filter { $0.hasPrefix("/") }
            .map { URL(filePath: $0, directoryHint: .isDirectory) }
    }

    private func list(_ variable: String, unlessSet standard: String = "") -> [String] {
        let value = values[variable] ?? ""
        return (value.isEmpty ? standard : value).split(separator: ":").map(String.init)
    }
}
