// SPDX-License-Identifier: Apache-2.0

import BatonBus
import DesktopEntries
import Testing

@testable import baton

/// Tests the advice of `baton serve` about an app, and the order in which `baton grants` refuses.
@Suite struct AppCommandTests {
    @Test("Serving an app gives a warning if its desktop entry is missing or hands nothing to it")
    func servedAppIsDoubted() throws {
        func doubt(_ text: String?) throws -> String? {
            let entries = try text.map {
                [
                    try #require(
                        DesktopEntry(identifier: "org.example.N", text: "[Desktop Entry]\nType=Application\n\($0)"))
                ]
            }
            return Serve.doubt("org.example.N", DesktopEntryIndex(entries ?? []))
        }
        let missing = try #require(try doubt(nil))
        #expect(missing.hasPrefix("there is no org.example.N.desktop, so Baton hands nothing to this app; "))
        #expect(missing.contains("X-Baton-ActivityTypes=TYPE; into it in /") && !missing.contains("\n"))
        let silent = try #require(try doubt("Name=N"))
        #expect(silent.hasPrefix("org.example.N.desktop names no activity type, so Baton hands nothing"))
        #expect(try doubt("X-Baton-ActivityTypes=org.example.note;") == nil)
        #expect(try doubt("X-Baton-DocumentActivityTypes=text/plain=org.example.text;") == nil)
    }

    @Test("When an app is refused, its grants are revoked before its requests are refused")
    func takenBackBeforeRefused() {
        let grants = [AppGrant.State.pending, .refused, .granted, .pending].enumerated().map {
            AppGrant(sandbox: "flatpak", application: "org.example.App", state: $1, team: "t\($0)", types: ["a.b"])
        }
        #expect(Grants.Refuse.ordered(grants) == [grants[2], grants[0], grants[1], grants[3]])
    }
}
