// SPDX-License-Identifier: GPL-3.0-or-later

import L2CAP
import Testing

/// Tests names that do not belong to an adapter. The lab tests a real kernel.
@Suite struct AdapterPrivacyTests {
    @Test(
        "The privacy of an adapter is nil if the name is not an adapter's",
        arguments: ["", "hci", "hci-1", "hci65536", "hci65535", "eth0"])
    func noAdapter(name: String) { #expect(AdapterPrivacy.isOn(adapter: name) == nil) }
}
