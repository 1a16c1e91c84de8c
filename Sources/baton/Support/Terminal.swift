// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What is known of the terminal behind a descriptor.
struct Terminal: Sendable {
    /// How many characters fit a line; nil when that cannot be known, as of a file.
    var columns: Int?
    /// How many lines fit; nil when that cannot be known.
    var rows: Int?
    /// Whether escape sequences for colours are understood.
    var showsColours: Bool
    /// Whether there is one at all, and somebody may be looking at it.
    var isTerminal = false

    init(columns: Int?, rows: Int? = nil, showsColours: Bool) {
        self.columns = columns
        self.rows = rows
        self.showsColours = showsColours
    }

    /// The terminal behind a descriptor, or a file that is none.
    init(_ descriptor: Int32) {
        var size = winsize()
        isTerminal = isatty(descriptor) == 1
        let isKnown = isTerminal && ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        columns = isKnown ? Int(size.ws_col) : nil
        rows = isKnown && size.ws_row > 0 ? Int(size.ws_row) : nil
        showsColours = isTerminal && getenv("TERM").map { String(cString: $0) != "dumb" } ?? false
    }
}
