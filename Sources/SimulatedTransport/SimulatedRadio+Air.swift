// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import Diagnosis

/// The record of a radio's hearing: peers in range, delayed advertisements, and random losses.
struct Hearing {
    /// The maximum number of peers that a radio hears. The radio does not hear further peers.
    static let maximumPeers = 256
    /// The maximum number of delayed advertisements under way. Further advertisements are lost.
    static let maximumPending = 1_024

    let lostAfter: Duration
    private(set) var lastHeard: [String: Duration] = [:]
    private var pending: [(due: Duration, sighting: Sighting)] = []
    private var missed: [String: (reception: AirSocket.Reception, at: Duration)] = [:]
    private var random: SplitMix64

    init(lostAfter: Duration, seed: UInt64?) {
        self.lostAfter = lostAfter
        self.random = SplitMix64(state: seed ?? UInt64.random(in: 0...UInt64.max))
    }

    /// Decides at random whether an advertisement is lost.
    mutating func loses(_ probability: Double) -> Bool {
        probability > 0 && Double.random(in: 0..<1, using: &random) < probability
    }

    /// Delays an advertisement. Returns false if too many are under way.
    mutating func delay(_ sighting: Sighting, until due: Duration) -> Bool {
        guard pending.count < Self.maximumPending else { return false }
        let index = pending.lastIndex { $0.due <= due }.map { $0 + 1 } ?? 0
        pending.insert((due, sighting), at: index)
        return true
    }

    /// Removes and returns the advertisements that have arrived by now, in the order of their
    /// arrival.
    mutating func arrived(_ now: Duration) -> [Sighting] {
        let count = pending.firstIndex { $0.due > now } ?? pending.count
        defer { pending.removeFirst(count) }
        return pending.prefix(count).map(\.sighting)
    }

    /// Records an advertisement that the radio missed because it does not listen.
    mutating func miss(_ reception: AirSocket.Reception, at now: Duration) {
        guard missed[reception.sender] != nil || missed.count < Self.maximumPeers else { return }
        missed[reception.sender] = (reception, now)
    }

    /// Removes all missed advertisements, and returns the last one of each radio that came after a
    /// given moment.
    mutating func takeMissed(since moment: Duration) -> [AirSocket.Reception] {
        defer { missed = [:] }
        return missed.values.filter { $0.at >= moment }.map(\.reception)
    }

    /// Records that a peer was heard. Returns false if there are too many peers.
    mutating func hear(_ address: String, at now: Duration) -> Bool {
        guard lastHeard[address] != nil || lastHeard.count < Self.maximumPeers else { return false }
        lastHeard[address] = now
        return true
    }

    /// Extends all peers' times, because this radio or its machine did not listen for a while.
    mutating func skip(_ duration: Duration) {
        for address in lastHeard.keys { lastHeard[address]? += duration }
    }

    /// Removes and returns the peers that were not heard for too long, sorted by address.
    mutating func expire(_ now: Duration) -> [String] {
        let lost = lastHeard.filter { now - $0.value >= lostAfter }.map(\.key).sorted()
        for address in lost { lastHeard[address] = nil }
        return lost
    }
}

/// The random number generator SplitMix64 (Steele, Lea, Flood, 2014).
///
/// Unlike the system's generator, it gives the same numbers for the same seed.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

extension SimulatedRadio {
    /// Checks the conditions and the radios after a change in the directory.
    func lookAround() {
        guard phase == .running else { return }
        refreshConditions()
        transmit()
        keepPace()
    }

    /// Runs one interval: checks the conditions, sends, and notices lost peers.
    ///
    /// - Returns: Whether the next interval has something to do.
    func tick() -> Bool {
        guard phase == .running else { return false }
        hearing.skip(pace.stoodStill(at: clock.uptime, interval: configuration.interval))
        refreshConditions()
        transmit()
        deliverArrived()
        if deafSince == nil {
            for address in hearing.expire(clock.uptime) { emit(.lost(address: address)) }
        }
        pace.isKept = isBusy
        return pace.isKept
    }

    /// Whether the radio has work to do in each interval.
    ///
    /// In each interval the radio sends to other radios, notices lost radios, and checks the
    /// directory if there is no watch.
    private var isBusy: Bool { watch == nil || pace.listeners > 0 || !hearing.lastHeard.isEmpty }

    /// Begins the intervals, if the radio has work to do in them.
    func keepPace() {
        if phase == .running, isBusy { pace.begin() }
    }

    /// Sends the advertisement to every radio. The receivers apply the conditions.
    func transmit() {
        guard let socket, let payload else { return pace.listeners = 0 }
        let datagram = AirDatagram.encode(payload)
        let others = place.addresses().filter { $0 != address }
        pace.listeners = others.count { socket.send(datagram, to: place.airPath($0)) }
    }

    func receive(_ reception: AirSocket.Reception) {
        guard phase == .running, reception.sender != address else { return }
        guard deafSince == nil else { return hearing.miss(reception, at: clock.uptime) }
        refreshConditions()
        let reach = conditionsFile.conditions.reach(from: reception.sender, to: address)
        guard reach.isInRange, !hearing.loses(reach.loss) else { return }
        let sighting = Sighting(address: reception.sender, payload: reception.payload, signal: reach.signal)
        guard reach.advertisementDelay > 0 else { return hear(sighting) }
        let due = clock.uptime + .milliseconds(reach.advertisementDelay)
        guard hearing.delay(sighting, until: due) else { return }
        Task { [weak self, clock] in
            // This task need not be cancelled, because it does nothing once the radio is stopped.
            try? await clock.sleep(until: due)
            await self?.deliverArrived()
        }
    }

    /// Reads changed conditions. Breaks channels out of range, and sets the delays of the others.
    func refreshConditions() {
        switch conditionsFile.refresh() {
        case .none: return
        case .malformed(let reason):
            return report(
                Finding(
                    .checkFailed,
                    ["check": "conditions.json", "reason": .reason(Reason(.textReported, ["message": "\(reason)"]))]))
        case .changed: report()
        }
        for link in links.values { adjust(link) }
    }

    private func deliverArrived() {
        guard phase == .running else { return }
        for sighting in hearing.arrived(clock.uptime) { hear(sighting) }
    }

    private func hear(_ sighting: Sighting) {
        guard hearing.hear(sighting.address, at: clock.uptime) else { return }
        keepPace()
        emit(.sighted(sighting))
    }
}
