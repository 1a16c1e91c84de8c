// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// The variables of a user's session that say where its apps and programs are, which desktop it
/// has, and in which language it speaks.
///
/// Where the user's own files are is not among them: ``BaseDirectories`` go by the process alone.
public struct SessionVariables: Hashable, Sendable {
    /// Those that a session may say anew, and nothing else.
    public static let names: Set<String> = [
        "XDG_CURRENT_DESKTOP", "XDG_DATA_DIRS", "XDG_CONFIG_DIRS", "PATH", "LANG", "LANGUAGE",
    ]
    /// Those of the process's start that come before `LANG`.
    private static let startNames: Set<String> = ["LC_ALL", "LC_MESSAGES"]

    /// The session's, of ``names``.
    public let values: [String: String]
    private let startValues: [String: String]

    /// The variables of a session.
    ///
    /// - Parameters:
    ///   - session: The session's environment, of which only ``names`` count.
    ///   - start: The environment that the process was started with.
    public init(_ session: [String: String], start: [String: String] = ProcessInfo.processInfo.environment) {
        values = session.filter { Self.names.contains($0.key) }
        startValues = start.filter { Self.startNames.contains($0.key) }
    }

    /// Those of this process's start.
    public static var ofProcess: SessionVariables { SessionVariables(ProcessInfo.processInfo.environment) }

    /// `$XDG_DATA_HOME` and each of `$XDG_DATA_DIRS`, the first that counts first.
    public var dataDirectories: [URL] {
        [BaseDirectories.data] + directories("XDG_DATA_DIRS", unlessSet: "/usr/local/share:/usr/share")
    }

    /// Where desktop entries are, the first that counts first: `applications` in each of
    /// ``dataDirectories``.
    public var applicationDirectories: [URL] { dataDirectories.map { $0.appending(path: "applications") } }

    /// `$XDG_CONFIG_HOME` and each of `$XDG_CONFIG_DIRS`, the first that counts first.
    public var configurationDirectories: [URL] {
        [BaseDirectories.configuration] + directories("XDG_CONFIG_DIRS", unlessSet: "/etc/xdg")
    }

    /// `$XDG_CURRENT_DESKTOP`, the desktop itself before those that it is like.
    public var desktops: [String] { list("XDG_CURRENT_DESKTOP") }

    /// The programs in `$PATH`.
    public var programs: Programs { Programs(directories: list("PATH", unlessSet: "/usr/local/bin:/usr/bin:/bin")) }

    /// The user's languages, the most wanted first.
    public var languages: [String] {
        let locale = [startValues["LC_ALL"], startValues["LC_MESSAGES"], values["LANG"]].lazy.compactMap(\.self)
            .first { !$0.isEmpty }
        return list("LANGUAGE") + (locale.map { [$0] } ?? [])
    }

    /// The XDG Base Directory Specification says to ignore relative paths.
    private func directories(_ variable: String, unlessSet standard: String) -> [URL] {
        list(variable, unlessSet: standard).filter { $0.hasPrefix("/") }
            .map { URL(filePath: $0, directoryHint: .isDirectory) }
    }

    private func list(_ variable: String, unlessSet standard: String = "") -> [String] {
        let value = values[variable] ?? ""
        return (value.isEmpty ? standard : value).split(separator: ":").map(String.init)
    }
}
