// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import DBus
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct IntrospectionTests {
    @Test("What the daemon serves is what the documentation shows")
    func theDocumentedInterfaceIsServed() async throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Documentation/DBus/org.batonproject.Baton1.xml").standardizedFileURL
        let documented = try String(contentsOf: file, encoding: .utf8)
        try await Ends.with { ends in
            let served = try await ends.raw("org.freedesktop.DBus.Introspectable", "Introspect", [])
            #expect(served.first?.stringValue == documented)
            let version = try await ends.raw(
                "org.freedesktop.DBus.Properties", "Get", [.string(BatonBusName.daemon), .string("Version")])
            #expect(version.first?.stringValue == "1.2.3")
        }
    }
}
