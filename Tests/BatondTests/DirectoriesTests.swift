// SPDX-License-Identifier: GPL-3.0-or-later

import BatonProtocol
import Testing

@testable import batond

@Suite struct DirectoriesTests {
    @Test(
        "A new device has the name of its machine, if a user could choose that name",
        arguments: [
            ("desk", "desk"), ("desk.example.org", "desk"), ("localhost", "laptop"),
            ("localhost.localdomain", "laptop"),
            ("", "laptop"), ("00412345", "laptop-00412345"), ("0F3A9C21.example.org", "laptop-0F3A9C21"),
            ("004123456", "004123456"), ("a\u{7}b", "laptop"), (String(repeating: "n", count: 64), "laptop"),
        ])
    func names(host: String, name: String) {
        #expect(Directories.deviceName(ofHost: host) == name)
        #expect(Member.mayBeChosen(asName: Directories.deviceName(ofHost: host)))
    }
}
