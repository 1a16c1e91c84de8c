// SPDX-License-Identifier: Apache-2.0

extension DesktopEntry {
    /// The program and its arguments, as `Exec` has them.
    ///
    /// Source: Desktop Entry Specification 1.5, "The Exec key", as GIO reads it (gdesktopappinfo.c,
    /// `expand_application_parameters`): field codes are put in first, also inside of quotes, then
    /// the line is split. Field codes of files and URLs give nothing, for none is opened, nor do
    /// unknown ones.
    ///
    /// - Returns: Nil when there is no line, or it is not valid.
    public var arguments: [String]? { exec.flatMap { ShellWords.split(expanded($0)) } }

    /// Whether its programs are there, those of `TryExec` and `Exec`; else GIO does not take it for
    /// an app, nor does it when D-Bus starts the app.
    func hasPrograms(in programs: Programs) -> Bool {
        if let tryExec, programs.path(of: tryExec) == nil { return false }
        guard let exec else { return true }
        return ShellWords.split(exec).flatMap { programs.path(of: $0[0]) } != nil
    }

    /// Whether it is there, and says how it is started. GIO has apps that say neither `Exec` nor
    /// `DBusActivatable`, and cannot start them.
    var isApp: Bool { !isDeleted && (exec != nil || isDBusActivatable) }

    /// The programs whose coming and going decide whether the app can be started.
    var programs: [String] { [tryExec, exec.flatMap { ShellWords.split($0)?.first }].compactMap(\.self) }

    private func expanded(_ line: String) -> String {
        var result = ""
        var isCode = false
        for scalar in line.unicodeScalars {
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
