// SPDX-License-Identifier: Apache-2.0

import BatonTransport

/// What a radio has heard: who is near, what is still under way, and what chance takes.
struct Hearing {
    /// How many peers are told apart; whoever comes after them is not heard.
    static let maximumPeers = 256
    /// How many delayed advertisements may be under way; whatever comes after them is lost.
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

    /// Whether chance takes an advertisement.
    mutating func loses(_ probability: Double) -> Bool {
        probability > 0 && Double.random(in: 0..<1, using: &random) < probability
    }

    /// Puts an advertisement on its way; `false` when there are too many.
    mutating func delay(_ sighting: Sighting, until due: Duration) -> Bool {
        guard pending.count < Self.maximumPending else { return false }
        let index = pending.lastIndex { $0.due <= due }.map { $0 + 1 } ?? 0
        pending.insert((due, sighting), at: index)
        return true
    }

    /// Takes what has arrived by now, in order.
    mutating func arrived(_ now: Duration) -> [Sighting] {
        let count = pending.firstIndex { $0.due > now } ?? pending.count
        defer { pending.removeFirst(count) }
        return pending.prefix(count).map(\.sighting)
    }

    /// Somebody is on the air while this radio does not listen.
    mutating func miss(_ reception: AirSocket.Reception, at now: Duration) {
        guard missed[reception.sender] != nil || missed.count < Self.maximumPeers else { return }
        missed[reception.sender] = (reception, now)
    }

    /// Takes the last advertisement of each radio that was missed since a moment.
    mutating func takeMissed(since moment: Duration) -> [AirSocket.Reception] {
        defer { missed = [:] }
        return missed.values.filter { $0.at >= moment }.map(\.reception)
    }

    /// Remembers who is heard; `false` for one peer too many.
    mutating func hear(_ address: String, at now: Duration) -> Bool {
        guard lastHeard[address] != nil || lastHeard.count < Self.maximumPeers else { return false }
        lastHeard[address] = now
        return true
    }

    /// Time in which nobody listened, as on a machine that stood still, makes nobody lost.
    mutating func skip(_ duration: Duration) {
        for address in lastHeard.keys { lastHeard[address]? += duration }
    }

    /// Takes the peers that were not heard for too long, in order.
    mutating func expire(_ now: Duration) -> [String] {
        let lost = lastHeard.filter { now - $0.value >= lostAfter }.map(\.key).sorted()
        for address in lost { lastHeard[address] = nil }
        return lost
    }
}

/// SplitMix64 (Steele, Lea, Flood, 2014): repeatable from its seed, which the system's generator is
/// not.
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
    /// What may have changed in the directory is looked at: the conditions, and who is there.
    func lookAround() {
        guard phase == .running else { return }
        refreshConditions()
        transmit()
        keepPace()
    }

    /// One interval: looks at the conditions, sends, and notices who is gone.
    ///
    /// - Returns: Whether there is something to do in the next one.
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

    /// Whether something is to be done at each interval: sending to others, noticing that they are
    /// gone, and looking for what nobody tells of.
    private var isBusy: Bool { watch == nil || pace.listeners > 0 || !hearing.lastHeard.isEmpty }

    /// Has the intervals begin, if there is something to do in them.
    func keepPace() {
        if phase == .running, isBusy { pace.begin() }
    }

    /// Sends what is advertised to every radio; the receivers apply the conditions.
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
            // Never cancelled: at worst it finds a stopped radio.
            try? await clock.sleep(until: due)
            await self?.deliverArrived()
        }
    }

    /// Reads changed conditions: channels out of range break, the others change their pace.
    func refreshConditions() {
        switch conditionsFile.refresh() {
        case .none: return
        case .malformed(let reason):
            return report("conditions.json is not usable (\(reason)): the last good conditions stay")
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
