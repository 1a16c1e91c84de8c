// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import Foundation
import Testing

/// Tests a laptop that has lost Bluetooth and TCP, with real daemons and the real `baton`.
@Suite(.timeLimit(.minutes(5))) struct UnreachableCircleTests {
    /// Without a system bus there is no bluetoothd, so the radio is simulated.
    private static let withoutBluetooth = "export DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nonexistent"

    @Test("If neither Bluetooth nor TCP reaches another laptop, the doctor reports that")
    func doctor() async throws {
        try await withDirectory { root in
            let second = root.appending(path: "second")
            try FileManager.default.createDirectory(
                at: second, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            func start(in place: URL, _ options: String...) async throws -> RunningDaemon {
                try await RunningDaemon.serving(in: place, limits: Self.withoutBluetooth, options: options)
            }
            // Two laptops on one machine, which reach each other by loopback.
            let desk = try await start(in: root, "--radio", "simulated")
            let sofa = try await start(in: second, "--radio", "simulated")
            try await desk.makeCircle(with: sofa)
            #expect(await desk.end().status == 0)
            let deaf = try await start(in: root, "--radio", "auto", "--tcp", "off")
            let found = try await deaf.baton(["doctor", "devices"])
            #expect(found.status == 2 && found.text.hasPrefix("unreachable: "), "\(found.text)")
            for daemon in [deaf, sofa] { #expect(await daemon.end().status == 0) }
        }
    }
}
