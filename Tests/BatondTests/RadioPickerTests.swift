// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import BatonTransport
import Logging
import Testing

@testable import batond

/// Which radio batond takes.
@Suite struct RadioPickerTests {
    @Test("Who names an adapter wants Bluetooth, with the adapter there or not")
    func namedAdapter() async throws {
        let options = try Batond.parse(["--adapter", "hci98"])
        let picked = await RadioPicker(options: options, logger: Logger(label: "picker")).pick()
        #expect(picked.radio.kind == .l2cap)
        #expect(picked.fallback == nil && picked.reason == "BlueZ, as --adapter says")
    }
}
