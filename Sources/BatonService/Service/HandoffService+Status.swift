// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
import BatonTransport
import Diagnosis
import FoundationEssentials
import Wording

/// The service's status and the circle's members.
extension HandoffService {
    /// Returns when the service has run this call. If the service hangs, the call never returns.
    public func respond() {}

    /// Returns the condition of the service. The daemon adds the facts that the service does not
    /// know.
    public func status() async -> DaemonStatus {
        refreshToldEndpoints()
        store.lookAgain(at: clock.uptime)
        if store.failure == nil, advertising.lacksSequence { advertisingTimePassed() }
        let endpoints = await reachability.listeners.endpoints()
        return DaemonStatus(
            radio: radio.kind == .l2cap ? "bluez" : radio.kind.rawValue,
            radioCondition: radioStatus.condition.rawValue, radioProblem: radioStatus.problem,
            adapters: radioStatus.adapters, device: identity.id.description, deviceName: store.state.name,
            circle: circle?.id.description,
            withoutCircle: store.state.withoutCircle,
            pairingRefusal: pairings.refusal(store.state, at: clock.uptime)?.finding,
            pairingRefusedUntil: pairings.refusedUntil(at: moment), pairing: pairings.phase,
            pairingNearby: circle == nil ? sightings.pairing.others : 0, members: members,
            tcp: reachability.listeners[.tcp] != nil,
            endpoints: endpoints.map(\.description), findings: findings, offered: offered, counts: counts)
    }

    /// The number of entries in each of the service's tables, and of its tasks and alarms, by name.
    ///
    /// Each number is limited. A number that is higher each time that the service becomes idle
    /// again shows that entries are never removed.
    public var counts: [String: Int] {
        let own = [
            "invitations": invitations.count, "fetches": continuations.fetchCount,
            "continuations": continuations.count, "streamTokens": streams.tokenCount, "streams": streams.count,
            "streamOpenings": streams.openingCount, "streamPlaces": streams.placeCount,
            "channelsWaiting": channels.pendingChannels.count, "eventsWaiting": news.count,
            "alarms": timetable.count, "tasks": background.count,
        ]
        let parts = [peers.counts(at: clock.uptime), sightings.counts, lan.counts, apps.counts]
        return parts.reduce(own) { $0.merging($1) { first, _ in first } }
    }

    private var offered: OwnOffer? {
        guard circle != nil, let entry = advertisedEntry else { return nil }
        return OwnOffer(type: entry.state.activityType, title: entry.state.title, application: entry.application)
    }

    private var findings: [Finding] {
        var findings = radioStatus.findings
        if let withoutCircle = store.state.withoutCircle { findings.append(withoutCircle) }
        if let finding = store.finding { findings.append(finding) }
        if advertisingWaitsForRoom { findings.append(Finding(.advertisingWaits)) }
        if advertising.advertiser?.isExhausted == true { findings.append(Finding(.sequenceUsedUp)) }
        return findings + networkFindings + peers.networkFindings(at: clock.uptime, name: name(of:))
            + store.state.solitude(at: clock.unixTime) + peers.clocks.findings(store.state, at: moment)
    }

    /// Whether no new advertisement can begin because its sequence number cannot be written.
    var advertisingWaitsForRoom: Bool {
        store.failure != nil && advertising.lacksSequence
    }

    private var networkFindings: [Finding] {
        let hasRadio = radio.kind == .l2cap && radioStatus.condition == .ready
        return lan.findings(store.state, hasRadio: hasRadio, at: clock.uptime)
    }

    /// Returns this device's circle, or throws ``BatonError/Code/noCircle``.
    func neededCircle() throws -> Circle {
        guard let circle else { throw BatonError(.noCircle, store.state.withoutCircle ?? Finding(.noCircle)) }
        return circle
    }

    /// Sends the service's condition as an event if it has changed. Sends nothing before the radio
    /// has reported its status.
    func tellCondition() {
        guard reachability.heardRadioStatus != nil else { return }
        news.tell(
            ServiceCondition(
                withoutCircle: store.state.withoutCircle,
                withoutRadio: radioStatus.condition == .ready ? nil : radioStatus.problem))
    }

    private func stoppedUntil(_ device: DeviceID) -> Date? {
        peers[device].fetches.stopEnd(at: clock.uptime).map { Date(timeIntervalSince1970: TimeInterval($0)) }
    }

    /// The circle's devices, beginning with this one.
    public var members: [CircleMember] {
        let roster = circle?.roster
        let sponsors = roster?.sponsors ?? [:]
        return (roster?.members.keys.sorted() ?? []).map { device in
            let links = peers.links.all.filter { $0.device == device }.map(\.traits)
            let isNear = links.contains { $0.range == .radio } || sightings.book.isHeard(device.short)
            return CircleMember(
                device: device.description, name: store.state.signedName(of: device),
                isThisDevice: device == identity.id,
                takenInBy: sponsors[device, default: []].map(\.description).sorted(), isNear: isNear,
                lastSeen: (isNear || !links.isEmpty ? clock.unixTime : peers[device].lastSeen).map {
                    Date(timeIntervalSince1970: TimeInterval($0))
                },
                transports: links.map(\.kind.rawValue).sorted(), stoppedUntil: stoppedUntil(device))
        }.sorted { $0.isThisDevice && !$1.isThisDevice }
    }
}

extension RadioStatus {
    /// The status in English, for logs and other devices.
    var summary: String { problem?.text(on: .terminal, in: .english) ?? "the radio is ready" }
}
