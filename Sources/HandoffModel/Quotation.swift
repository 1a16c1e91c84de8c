// SPDX-License-Identifier: Apache-2.0

internal import ActivityModel
package import Diagnosis

extension Reason.Value {
    /// The maximum length of a quotation, in Unicode scalars. Longer texts are cut.
    package static let maximumQuotation = 200

    /// Returns another program's text for a quotation in a sentence. It is one line, and has no
    /// quotation mark that could end the quotation.
    package static func quotation(_ text: String) -> Reason.Value {
        var scalars = text.trimmed.split(whereSeparator: \.isNewline).joined(separator: " ").unicodeScalars[...]
        let isCut = scalars.count > maximumQuotation
        if isCut { scalars = scalars.prefix(maximumQuotation - 1) }
        // A mark and a scalar that combines with it are one character, so look at the scalars.
        var line = VisibleText.escaped(String(scalars)).unicodeScalars.map { marks.contains($0) ? "'" : $0 }
        // The sentence around the quotation adds its own full stop.
        if line.last == ".", line.dropLast().last != "." { line.removeLast() }
        return .text(String(String.UnicodeScalarView(line)) + (isCut ? "…" : ""))
    }

    /// The quotation marks of the languages that Baton is translated into.
    private static let marks: Set<Unicode.Scalar> = ["\"", "“", "”", "„", "‟", "«", "»", "「", "」", "『", "』"]
}

extension Reason {
    /// Creates the reason that quotes another program's text. Baton does not know the program's
    /// error, so the text stays in the program's language.
    ///
    /// - Parameters:
    ///   - text: The program's text.
    ///   - program: The program's name for people, or nil if it is not known.
    package init(quoting text: String, of program: String? = nil) {
        let message = ["message": Value.quotation(text)]
        self =
            program.map { Reason(.programReports, message).with("program", .text($0)) }
            ?? Reason(.textReported, message)
    }
}
