// SPDX-License-Identifier: Apache-2.0

import GtkInterop
import QRCode

extension Squares {
    /// Creates the picture of a QR code with its light margin. Returns nil if the text is too long.
    convenience init?(code text: String, name: String) {
        guard let code = try? QRCode(text.filter { !$0.isNewline }) else { return nil }
        let zone = QRCode.quietZone
        self.init(side: code.size + 2 * zone, name: name) { row, column in
            code.isDark(row: row - zone, column: column - zone)
        }
    }
}
