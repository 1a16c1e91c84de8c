// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import BatonTransport
import Logging
import Testing

@testable import batond

/// Tests the choice of batond's radio.
@Suite struct RadioPickerTests {
    @Test("An adapter's name on the command line selects Bluetooth, whether or not the adapter is present")
    func namedAdapter() async throws {
        let options = try Batond.parse(["--adapter", "hci98"])
        let picked = await RadioPicker(options: options, logger: Logger(label: "picker")).pick()
        #expect(picked.radio.kind == .l2cap)
        #expect(picked.fallback == nil && picked.reason == "BlueZ, as --adapter says")
    }
}
