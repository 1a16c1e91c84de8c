// SPDX-License-Identifier: GPL-3.0-or-later

import L2CAP
import Testing

/// Tests names that do not belong to an adapter. The lab tests a real kernel.
@Suite struct AdapterPrivacyTests {
    @Test(
        "For a name that is not an adapter's, the result is nil",
        arguments: ["", "hci", "hci-1", "hci65536", "hci65535", "eth0"])
    func noAdapter(name: String) { #expect(AdapterPrivacy.isOn(adapter: name) == nil) }
}
