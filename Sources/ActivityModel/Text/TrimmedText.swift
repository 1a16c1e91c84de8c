// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The text without white space and line ends at its start and end.
    package var trimmed: String {
        let begun = unicodeScalars.drop(while: \.properties.isWhitespace)
        let end = begun.lastIndex { !$0.properties.isWhitespace }
        return end.map { String(begun[...$0]) } ?? ""
    }
}
