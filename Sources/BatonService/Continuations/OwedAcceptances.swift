// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// The acceptances of this device's apps that other devices perhaps have not received.
///
/// If a channel ends before an acceptance has certainly arrived, the acceptance is sent again,
/// once, over the next channel.
struct OwedAcceptances: Sendable {
    /// An acceptance, and the device that perhaps has not received it.
    struct Entry: Hashable, Sendable {
        let device: DeviceID
        let acceptance: Acceptance
        /// The uptime after which the other device ignores the acceptance.
        let end: Duration
    }

    /// The maximum number of acceptances that are remembered. The oldest acceptances are forgotten
    /// first.
    static let maximum = 64
    /// The minimum time between two dials of a device to deliver acceptances.
    static let dialInterval = Duration.seconds(2)

    /// The acceptances, the latest last.
    private var entries: [Entry] = []
    private var lastDials: [DeviceID: Duration] = [:]
    /// When to dial the devices to which no link could carry an acceptance, and those that were
    /// heard too soon after the last dial.
    private var redials: [DeviceID: Duration] = [:]

    var count: Int { entries.count }
    /// The uptime at which an acceptance is forgotten or a device is dialled again, or nil if there
    /// is no acceptance.
    var deadline: Duration? { (entries.map(\.end) + redials.values).min() }

    /// Records an acceptance that perhaps has not arrived.
    mutating func insert(_ acceptance: Acceptance, to device: DeviceID, at uptime: Duration) {
        forget(at: uptime)
        entries.append(Entry(device: device, acceptance: acceptance, end: uptime + Session.Limits().report))
        entries = entries.suffix(Self.maximum)
    }

    /// Returns whether to dial a device now to deliver acceptances. If so, records the dial. A dial
    /// that would come too soon is made at the end of ``dialInterval``, because this device perhaps
    /// does not hear that device again while it is near.
    mutating func beginDial(to device: DeviceID, at uptime: Duration) -> Bool {
        forget(at: uptime)
        guard entries.contains(where: { $0.device == device }) else { return false }
        if let last = lastDials[device], last + Self.dialInterval > uptime {
            redials[device] = last + Self.dialInterval
            return false
        }
        lastDials[device] = uptime
        redials[device] = nil
        return true
    }

    /// Removes and returns the devices to dial again now.
    mutating func takeRedials(at uptime: Duration) -> [DeviceID] {
        forget(at: uptime)
        let due = redials.filter { $0.value <= uptime }.keys.sorted()
        for device in due { redials[device] = nil }
        return due
    }

    /// Forgets acceptances that would arrive too late.
    mutating func forget(at uptime: Duration) {
        entries.removeAll { $0.end <= uptime }
        let devices = Set(entries.map(\.device))
        lastDials = lastDials.filter { devices.contains($0.key) }
        redials = redials.filter { devices.contains($0.key) }
    }

    /// Forgets the acceptances to devices that are not members of the circle.
    mutating func membersChanged(_ members: Set<DeviceID>) {
        entries.removeAll { !members.contains($0.device) }
        lastDials = lastDials.filter { members.contains($0.key) }
        redials = redials.filter { members.contains($0.key) }
    }

    /// Removes and returns the acceptances to send to a device now.
    mutating func take(for device: DeviceID, at uptime: Duration) -> [Entry] {
        let own = entries.filter { $0.device == device && $0.end > uptime }
        entries.removeAll { $0.device == device }
        redials[device] = nil
        return own
    }

    /// Records again an acceptance that a link did not take. The device is dialled again after
    /// ``dialInterval``, because this device perhaps does not hear that device again while it is
    /// near.
    mutating func putBack(_ entry: Entry, at uptime: Duration) {
        entries = (entries + [entry]).sorted { $0.end < $1.end }.suffix(Self.maximum)
        redials[entry.device] = uptime + Self.dialInterval
    }
}
