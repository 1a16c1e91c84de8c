// SPDX-License-Identifier: Apache-2.0

extension DesktopEntry {
    /// The program and its arguments, from `Exec`.
    ///
    /// Source: Desktop Entry Specification 1.5, "The Exec key", as GIO reads it (gdesktopappinfo.c,
    /// `expand_application_parameters`). Field codes are expanded first, even inside quotes, and
    /// then the line is split. Field codes for files and URLs become empty, because no file is
    /// opened. Unknown field codes become empty too.
    ///
    /// - Returns: The words, or nil if there is no command line, if it is invalid or too long, or
    ///   if it names no program.
    public var arguments: [String]? {
        guard let line = exec.flatMap(expanded), let words = ShellWords.split(line), !words[0].isEmpty else {
            return nil
        }
        return words
    }

    /// Returns whether the programs in `TryExec` and `Exec` exist.
    ///
    /// If one of these programs is missing, GIO ignores the entry, even if D-Bus starts the app.
    func hasPrograms(in programs: Programs) -> Bool {
        if let tryExec, programs.path(of: tryExec) == nil { return false }
        guard let exec else { return true }
        return ShellWords.split(exec).flatMap { programs.path(of: $0[0]) } != nil
    }

    /// Whether the app is not deleted and can be started.
    ///
    /// GIO also lists an app with neither `Exec` nor `DBusActivatable`, but cannot start it.
    var isApp: Bool { !isDeleted && (exec != nil || isDBusActivatable) }

    /// The programs that must exist so that the app can be started.
    var programs: [String] { [tryExec, exec.flatMap { ShellWords.split($0)?.first }].compactMap(\.self) }

    /// Returns a command line with its field codes expanded, or nil if it becomes longer than a
    /// whole entry may be. Without this limit, an entry with many codes and a long name could use
    /// up the memory.
    private func expanded(_ line: String) -> String? {
        var result = ""
        var isCode = false
        for scalar in line.unicodeScalars {
            guard result.utf8.count <= DesktopEntryIndex.largestEntry else { return nil }
            if isCode {
                result += expansion(of: scalar)
                isCode = false
            } else if scalar == "%" {
                isCode = true
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return isCode ? result + "%" : result
    }

    private func expansion(of code: Unicode.Scalar) -> String {
        switch code {
        case "%": "%"
        case "c": ShellWords.quote(name)
        case "i": icon.map { "--icon \(ShellWords.quote($0))" } ?? ""
        case "k": file.map(ShellWords.quote) ?? ""
        default: ""
        }
    }
}
