// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The properties of the terminal behind a descriptor.
struct Terminal: Sendable {
    /// The number of characters in a line, or `nil` if the number is unknown, as for a file.
    var columns: Int?
    /// The number of lines, or `nil` if the number is unknown.
    var rows: Int?
    /// Whether the terminal understands escape sequences for colours.
    var showsColours: Bool
    /// Whether the descriptor is a terminal at all.
    var isTerminal = false
}

extension Terminal {
    /// Reads the properties of a descriptor, which may also be a file.
    init(_ descriptor: Int32) {
        var size = winsize()
        isTerminal = isatty(descriptor) == 1
        let isKnown = isTerminal && ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        columns = isKnown ? Int(size.ws_col) : nil
        rows = isKnown && size.ws_row > 0 ? Int(size.ws_row) : nil
        showsColours = isTerminal && getenv("TERM").map { String(cString: $0) != "dumb" } ?? false
    }
}
