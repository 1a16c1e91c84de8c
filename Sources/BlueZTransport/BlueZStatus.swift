// SPDX-License-Identifier: GPL-3.0-or-later

internal import BatonTransport
internal import DBus
internal import FoundationEssentials

/// What stands behind the radio's condition; the words for it are here.
struct BlueZStatus {
    /// Why there is no bluetoothd to talk to; `nil` when there is.
    enum Absence {
        case noBus
        case noDaemon
    }

    var absence: Absence?
    /// The adapter that was asked for by name.
    var wantedAdapter: String?
    /// Every adapter there is.
    var adapters: [BlueZObjects.Adapter] = []
    /// What each adapter in use was refused, by the adapter's name.
    var refusals: [String: DBusError] = [:]
    /// Whether an adapter hides its address; `nil` when nobody knows.
    var isPrivate: (String) -> Bool? = { _ in nil }

    /// The condition with its explanation.
    var status: RadioStatus {
        switch absence {
        case .noBus:
            return RadioStatus(
                condition: .unavailable, summary: "the system bus is gone; it is tried again until it is back",
                adapters: [])
        case .noDaemon:
            return RadioStatus(
                condition: .unavailable,
                summary: "bluetoothd is not running: start it with \"systemctl start bluetooth\"", adapters: [])
        case nil: break
        }
        let wanted = adapters.filter { wantedAdapter == nil || $0.name == wantedAdapter }.sorted { $0.name < $1.name }
        guard !wanted.isEmpty else { return RadioStatus(condition: .absent, summary: absenceSummary, adapters: []) }
        let ready = wanted.filter(\.isReady)
        guard !ready.isEmpty else { return off(wanted) }
        let names = ready.map(\.name)
        let list = names.joined(separator: ", ")
        let warnings = names.filter { isPrivate($0) == false }.map {
            "\($0) always shows its own address, and this laptop can be tracked by it: set \"Privacy = device\" in "
                + "/etc/bluetooth/main.conf, then run \"systemctl restart bluetooth\""
        }
        guard let (name, error) = refusals.filter({ names.contains($0.key) }).min(by: { $0.key < $1.key }) else {
            return RadioStatus(
                condition: .ready, summary: "Bluetooth is on: \(list)", adapters: names, warnings: warnings)
        }
        let isCrippled = names.allSatisfy { refusals[$0] != nil }
        return RadioStatus(
            condition: isCrippled ? .unavailable : .ready, summary: "\(name): \(Self.advice(for: error))",
            adapters: names, warnings: warnings)
    }

    private var absenceSummary: String {
        guard let wantedAdapter else { return "there is no Bluetooth adapter: plug one in" }
        let others = adapters.map(\.name).sorted().joined(separator: ", ")
        return "there is no Bluetooth adapter \(wantedAdapter): plug it in"
            + (others.isEmpty ? "" : ", or choose another (\(others))")
    }

    private func off(_ adapters: [BlueZObjects.Adapter]) -> RadioStatus {
        let summary: String
        if adapters.contains(where: \.isPowered) {
            summary = "this adapter cannot advertise over Bluetooth LE: use another"
        } else if adapters.allSatisfy({ $0.isBlocked || Self.isBlocked($0.name) }) {
            summary = "Bluetooth is blocked: run \"rfkill unblock bluetooth\", or use the laptop's switch"
        } else {
            summary = "Bluetooth is off: run \"bluetoothctl power on\""
        }
        return RadioStatus(condition: .off, summary: summary, adapters: [])
    }

    private static func advice(for error: DBusError) -> String {
        switch error.name {
        case "org.bluez.Error.NotPermitted":
            "no room for another advertisement: stop another program that advertises over Bluetooth"
        case DBusError.accessDenied: "bluetoothd does not let this user advertise or scan: ask the administrator"
        case "org.bluez.Error.NotReady": "the adapter is still starting"
        case "org.bluez.Error.NotSupported", DBusError.unknownMethod, DBusError.unknownInterface:
            "this adapter cannot advertise over Bluetooth LE: use another"
        default: "bluetoothd refused to advertise or scan (\(error.name)); it is tried again"
        }
    }

    /// Whether rfkill blocks an adapter; bluetoothd itself says so from 5.65 on, but only with `--experimental`.
    private static func isBlocked(_ adapter: String) -> Bool {
        guard adapter.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else { return false }
        let directory = "/sys/class/bluetooth/\(adapter)"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.contains { name in
            guard name.hasPrefix("rfkill") else { return false }
            return ["soft", "hard"].contains { kind in
                let value = try? String(contentsOfFile: "\(directory)/\(name)/\(kind)", encoding: .utf8)
                return value?.first == "1"
            }
        }
    }
}
