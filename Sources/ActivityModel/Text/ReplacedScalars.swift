// SPDX-License-Identifier: Apache-2.0

extension String {
    /// Returns the text with some scalars replaced, no matter which marks follow them.
    ///
    /// Shells and readers of markup look at single scalars. For Swift, an apostrophe with a
    /// combining mark is one `Character`, which does not equal an apostrophe. So
    /// `replacing(_:with:)` would leave that apostrophe in the text, and a shell's quotation would
    /// end there.
    package func replacingScalars(_ replacements: [Unicode.Scalar: String]) -> String {
        unicodeScalars.map { replacements[$0] ?? String($0) }.joined()
    }
}
