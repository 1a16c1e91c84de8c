// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTransport
import DBus
import Diagnosis
import L2CAP
import Testing

@testable import BlueZTransport

@Suite struct StatusTrackerTests {
    private func adapter(_ name: String, isPowered: Bool = true) -> BlueZObjects.Adapter {
        BlueZObjects.Adapter(
            name: name, address: BluetoothAddress(value: 1, kind: .public), isPowered: isPowered, advertises: true)
    }

    @Test("The radio reports a status only if it has changed")
    func changedStatus() {
        var tracker = StatusTracker(wantedAdapter: nil) { _ in true }
        #expect(tracker.update(absence: .noDaemon, adapters: [])?.condition == .unavailable)
        #expect(tracker.update(absence: .noDaemon, adapters: []) == nil)
        #expect(tracker.update(absence: nil, adapters: [adapter("hci0")])?.condition == .ready)
        #expect(tracker.update(absence: nil, adapters: [adapter("hci0")]) == nil)
        #expect(tracker.last?.adapters == ["hci0"])
        let refusal = Refusal(.advertise, because: DBusError(name: "org.bluez.Error.NotPermitted", message: ""))
        let refused = tracker.update(absence: nil, adapters: [adapter("hci0")], refusals: ["hci0": refusal])
        #expect(refused?.condition == .unavailable)
        #expect(tracker.update(absence: nil, adapters: [adapter("hci0", isPowered: false)])?.condition == .off)
    }

    @Test("A bluetoothd without monitors of advertisements gives a finding")
    func monitors() {
        var monitoring = adapter("hci0")
        monitoring.offersMonitors = true
        for (adapter, codes) in [(adapter("hci0"), ["bluetooth-plain"]), (monitoring, [])] {
            var tracker = StatusTracker(wantedAdapter: nil) { _ in true }
            #expect(tracker.update(absence: nil, adapters: [adapter])?.findings.map(\.code) == codes)
        }
    }

    @Test("If the user names an adapter, the radio's status is about only that one")
    func onlyTheNamedAdapterCounts() {
        var tracker = StatusTracker(wantedAdapter: "hci1") { _ in true }
        #expect(tracker.update(absence: nil, adapters: [adapter("hci0")])?.condition == .absent)
        #expect(tracker.update(absence: nil, adapters: [adapter("hci0"), adapter("hci1")])?.adapters == ["hci1"])
    }

    @Test("An adapter's privacy is asked once, until the adapter is gone", arguments: [true, false, nil] as [Bool?])
    func askedForPrivacyOnce(isPrivate: Bool?) {
        var asked: [String] = []
        var tracker = StatusTracker(wantedAdapter: nil) { name in
            asked.append(name)
            return isPrivate
        }
        let status = tracker.update(absence: nil, adapters: [adapter("hci0")])
        #expect(status?.findings.contains { $0.code == "address-public" } == (isPrivate == false))
        _ = tracker.update(absence: nil, adapters: [adapter("hci0"), adapter("hci1", isPowered: false)])
        #expect(asked == ["hci0"])
        _ = tracker.update(absence: nil, adapters: [adapter("hci0"), adapter("hci1")])
        #expect(asked == ["hci0", "hci1"])
        _ = tracker.update(absence: nil, adapters: [adapter("hci1")])
        _ = tracker.update(absence: nil, adapters: [adapter("hci0"), adapter("hci1")])
        #expect(asked == ["hci0", "hci1", "hci0"])
    }
}
