// SPDX-License-Identifier: Apache-2.0

import CGettext
import Glibc

/// The language of the user's session, for the texts of this process.
public enum SessionLanguage {
    static let domain = "baton"

    /// Uses the session's language from now on. A program calls this once, before its first thread
    /// starts. Without this call, all texts are English.
    ///
    /// The variables of the locale name the language (locale(7)). `TEXTDOMAINDIR` names another
    /// directory of catalogues than the installed one, for tests. Numbers stay in the format of C,
    /// because other code writes JSON and protocols with the C library.
    public static func use() {
        for category in [LC_CTYPE, LC_MESSAGES, LC_TIME] where setlocale(category, "") == nil {
            // The locale is not installed. With C.UTF-8, LANGUAGE can still name the language.
            setlocale(category, "C.UTF-8")
        }
        guard let directory = cataloguesDirectory() else { return }
        bindtextdomain(domain, directory)
        bind_textdomain_codeset(domain, "UTF-8")
    }

    /// Whether the session's language is written from right to left.
    static var isRightToLeft: Bool { tr("ltr") == "rtl" }

    private static func cataloguesDirectory() -> String? {
        if let named = getenv("TEXTDOMAINDIR") { return String(cString: named) }
        guard let program = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(program) }
        return installedDirectory(ofProgram: String(cString: program)) { access($0, F_OK) == 0 }
    }

    /// Returns the directory of catalogues in the tree that a program is installed in, such as
    /// `/usr/share/locale` for `/usr/bin/baton` and for `/usr/lib/baton/browser-host`.
    static func installedDirectory(ofProgram path: String, exists: (String) -> Bool) -> String? {
        var parts = path.split(separator: "/").dropLast()
        for _ in 0..<3 where !parts.isEmpty {
            parts = parts.dropLast()
            let directory = "/" + (parts + ["share", "locale"]).joined(separator: "/")
            if exists(directory) { return directory }
        }
        return nil
    }
}
