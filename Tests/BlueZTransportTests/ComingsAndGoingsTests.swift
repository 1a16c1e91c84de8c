// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import BatonTransport
import Foundation
import Testing

@testable import BlueZTransport

/// Tests a thousand faults, one after another. After each fault the radio works again, and no
/// descriptor or object is left over.
@Suite(.timeLimit(.minutes(10))) struct ComingsAndGoingsTests {
    private static let hci0 = "/org/bluez/hci0"
    private static let objects = "/org/batonproject/Baton/radio"
    /// The number of kinds of faults. A kind that leaks one descriptor each time leaks more than
    /// ``disturbance`` in all.
    private static let kinds = 6
    /// The number of the kind of fault that restarts bluetoothd.
    private static let restart = 4
    /// The number of descriptors that other tests may open meanwhile.
    private static let disturbance = 90

    private static var descriptors: Int {
        get throws { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
    }

    /// Causes one fault, and waits until the radio advertises and listens again.
    ///
    /// - Returns: The paths of the advertisement and of the monitor.
    private static func fault(
        _ number: Int, _ fixture: RadioFixture, _ bluez: MockBlueZ, _ paths: (advertisement: String, monitor: String)
    ) async throws -> (advertisement: String, monitor: String) {
        var (advertisement, monitor) = paths
        switch number % kinds {
        case 0:
            try bluez.power(hci0, false)
            _ = try await fixture.status(.off)
            try bluez.power(hci0, true)
            (advertisement, monitor) = try await bluez.work()
            _ = try await fixture.status(.ready)
        case 1:
            try bluez.remove(hci0)
            _ = try await fixture.status(.absent)
            try bluez.add(.monitoring)
            (advertisement, monitor) = try await bluez.work()
            _ = try await fixture.status(.ready)
        case 2:
            try await bluez.callClient(advertisement, "org.bluez.LEAdvertisement1", "Release")
            advertisement = try await bluez.advertisement().path
        case 3:
            try await bluez.callClient(monitor + "/monitor", "org.bluez.AdvertisementMonitor1", "Release")
            monitor = try await bluez.monitor()
        default:
            bluez.refuse("RegisterAdvertisement", with: "org.bluez.Error.NotPermitted")
            try await bluez.callClient(advertisement, "org.bluez.LEAdvertisement1", "Release")
            _ = try await bluez.advertisement()
            advertisement = try await bluez.advertisement().path
        }
        return (advertisement, monitor)
    }

    @Test("A thousand faults, one after another, leave nothing behind")
    func aThousandLeaveNothingBehind() async throws {
        try await RadioFixture.with { fixture in
            var bluez = try await MockBlueZ(on: fixture.bus.address, adapters: [.monitoring])
            try await fixture.radio.start()
            let mover = fixture.letTimePass()
            defer { mover.cancel() }
            try await fixture.radio.advertise([1])
            var paths = try await bluez.work()
            let before = try Self.descriptors
            for number in 0..<1_000 {
                guard number % Self.kinds == Self.restart else {
                    paths = try await Self.fault(number, fixture, bluez, paths)
                    continue
                }
                await bluez.stop()
                _ = try await fixture.status(.unavailable)
                bluez = try await MockBlueZ(on: fixture.bus.address, adapters: [.monitoring])
                paths = try await bluez.work()
                _ = try await fixture.status(.ready)
            }
            let client = try #require(bluez.client(of: paths.advertisement))
            var left = try await bluez.children(of: Self.objects, at: client)
            // The last replaced object is removed when bluetoothd has answered.
            while left.count > 2 { left = try await bluez.children(of: Self.objects, at: client) }
            #expect(
                Set(left)
                    == Set([paths.advertisement, paths.monitor].map { String($0.dropFirst(Self.objects.count + 1)) }))
            // Other tests may have opened descriptors, which are closed when the tests end. Leaked
            // descriptors stay until this test's time limit.
            try await eventually("the descriptors are closed", within: .seconds(600)) {
                try Self.descriptors < before + Self.disturbance
            }
            await bluez.stop()
        }
    }
}

extension MockBlueZ {
    /// Waits for an advertisement and a monitor, in any order.
    fileprivate func work() async throws -> (advertisement: String, monitor: String) {
        var (advertisement, root): (String?, String?)
        while advertisement == nil || root == nil {
            switch try await requests.next({ $0 }) {
            case .advertise(_, let path, _): advertisement = path
            case .monitor(_, let path, _): root = path
            default: break
            }
        }
        return (advertisement ?? "", root ?? "")
    }
}
