// SPDX-License-Identifier: Apache-2.0

/// A whole pairing by digits, from the search for another device to the proof of the keys.
///
/// The procedure has neither a clock nor a radio: it takes events and returns actions. A
/// ``PairingMachine`` handles the messages on the channel to the other device.
/// Documentation/Protocol/Pairing.md has the rules. `Channel` identifies a channel to another
/// device that pairs.
public struct PairingProcedure<Channel: Equatable & Sendable>: Sendable {
    /// An event for the procedure.
    public enum Event: Sendable {
        /// The pairing begins.
        case began
        /// Another pairing device was heard.
        case heard(PairingAdvert, address: String)
        /// There is a channel to another pairing device.
        ///
        /// This side dialled it if the machine is the initiator.
        case opened(Channel, PairingMachine)
        /// Bytes arrived on a channel.
        case received([UInt8], Channel)
        /// A channel was closed by the other side, or the connection broke.
        case closed(Channel, isBroken: Bool)
        /// The dialled device does not answer.
        case dialFailed(String)
        /// The user compared the digits.
        case decided(Bool)
        /// The channel on which both sides prove their keys is ready.
        case proved
        /// The channel for the proof of the keys broke before one device had added the other.
        case proofBroke
        /// The user stopped the pairing, or the program that started it has left.
        case abandoned
        /// The ``PairingProcedure/deadline`` has passed.
        case timePassed
    }

    /// An action. Actions are carried out in order.
    public enum Action: Sendable {
        /// Start or stop advertising that this device pairs.
        case advertise(Bool)
        /// Dial another device, and report the result.
        case dial(Endpoint)
        /// Dial over a new link, because the channel ended before digits were shown.
        case dialAnew(Endpoint)
        /// Accept another channel from any device that pairs, because the last channel ended too
        /// early.
        case reopen
        /// Send bytes on a channel.
        case send([UInt8], Channel)
        /// Close a channel. The procedure ignores its further events.
        case close(Channel)
        /// Ask the user to compare these digits.
        case show(digits: String)
        /// Both users confirmed.
        ///
        /// Continue with a knock that uses this key. Dial the endpoint for the knock, or if there
        /// is no endpoint, wait for the other device's knock.
        case agree(PairedDevice, PairwiseKey, Endpoint?)
        /// Dial again for the knock.
        case knockAgain(Endpoint)
        /// Pairing failed. Ignore earlier results.
        case fail(PairingFailure)
    }

    private enum State: Sendable {
        case searching
        case dialling(Endpoint)
        case exchanging(Exchange)
        case agreed(Exchange)
        /// Both sides prove their keys, and one adds the other.
        case proving(Exchange)
        case over(Exchange?)
    }

    /// The exchange of messages on a channel.
    private struct Exchange: Sendable {
        let channel: Channel
        /// The endpoint that this side dialled; nil if the other side dialled.
        let endpoint: Endpoint?
        var machine: PairingMachine
        /// Whether the other side has sent anything.
        var isAnswered = false
        var comparison = Comparison.none
    }

    /// The state of the user's comparison of the digits.
    private enum Comparison: Sendable {
        case none, shown, accepted
        /// This side accepted and the time has run out, but the other side's confirmation may still
        /// be on its way.
        case late
    }

    private enum Timer: Sendable { case settling, search, comparison, knock, nextKnock }

    private struct Sighting: Sendable {
        let advert: PairingAdvert
        let address: String
    }

    /// This device's advertisement; nil if the device dials an address.
    public let advert: PairingAdvert?
    private let radio: TransportKind
    private let times: PairingTimes
    private var redials: Int
    private var state: State
    private var sightings: [[UInt8]: Sighting] = [:]
    private var timers: [Timer: Duration] = [:]
    /// The number of channels that broke after a responder's share was revealed.
    private var brokenDraws = 0
    /// The uptime until which this side may begin a knock.
    private var lastKnock = Duration.zero

    /// Creates a procedure that has not begun.
    ///
    /// - Parameters:
    ///   - endpoint: The device to dial; nil to search by radio, and to be dialled.
    ///   - advert: This device's advertisement for the search.
    ///   - radio: The transport for channels to devices that were found by radio.
    ///   - times: The durations of the procedure's parts.
    ///   - redials: How often to dial a device again if the channel ends before digits are shown.
    public init(
        dialling endpoint: Endpoint?, advert: PairingAdvert?, over radio: TransportKind, times: PairingTimes,
        redials: Int
    ) {
        self.advert = endpoint == nil ? advert : nil
        self.radio = radio
        self.times = times
        self.redials = redials
        state = endpoint.map(State.dialling) ?? .searching
    }

    /// The uptime at which ``Event/timePassed`` is due; nil if nothing is due.
    public var deadline: Duration? { timers.values.min() }
    /// The advertisements of other devices that were heard.
    public var sighted: [PairingAdvert] { sightings.values.map(\.advert) }
    /// The channel to the other device.
    public var channel: Channel? { exchange?.channel }
    /// Whether the procedure waits for the other device's knock, or for the answer to its own
    /// knock.
    public var awaitsProof: Bool { if case .agreed = state { true } else { false } }
    /// The number of failed attempts to count for this procedure, unless it succeeds.
    ///
    /// An attempt is counted each time that a responder reveals its share
    /// (``PairingMachine/isSpent``), because this draws six digits.
    public var draws: Int { brokenDraws + (exchange?.machine.isSpent == true ? 1 : 0) }
    /// The maximum number of draws in one procedure.
    ///
    /// There may be more than one, because a connection can break by chance. But an attacker who
    /// breaks it on purpose must not get many draws.
    public static var drawLimit: Int { 2 }

    /// The advertisement of the device at the other end of the channel; nil unless it is certain.
    public var met: PairingAdvert? {
        guard let exchange, exchange.isAnswered, exchange.machine.transport == radio, let advert,
            sightings.count == 1, let peer = sightings.values.first?.advert,
            advert.dials(peer) == (exchange.endpoint != nil),
            // Anybody can dial in and send something, so a device that dialled in must also have
            // continued until digits were shown.
            exchange.endpoint != nil || exchange.comparison != .none
        else { return nil }
        return peer
    }

    private var exchange: Exchange? {
        switch state {
        case .searching, .dialling: nil
        case .exchanging(let exchange), .agreed(let exchange), .proving(let exchange): exchange
        case .over(let exchange): exchange
        }
    }

    /// Processes an event at an uptime, and returns the actions that follow.
    public mutating func handle(_ event: Event, at uptime: Duration) -> [Action] {
        if case .over = state {
            if case .opened(let channel, _) = event { return [.close(channel)] }
            return []
        }
        // Both users have confirmed, and the other side may have finished already, so nobody can
        // cancel any more.
        if case .proving = state, case .abandoned = event { return [] }
        switch event {
        case .began: return begin(at: uptime)
        case .heard(let advert, let address): return heard(advert, at: address, uptime)
        case .opened(let channel, let machine): return opened(channel, machine, at: uptime)
        case .received(let bytes, let channel): return received(bytes, channel, at: uptime)
        case .closed(let channel, let isBroken): return closed(channel, isBroken: isBroken, at: uptime)
        case .dialFailed(let reason): return dialFailed(reason, at: uptime)
        case .decided(let isSame): return decided(isSame, at: uptime)
        case .proved: return proved()
        case .proofBroke: return proofBroke(at: uptime)
        case .abandoned: return fail(.abandoned)
        case .timePassed: return timePassed(at: uptime)
        }
    }

    /// Erases the other device's data and the keys. Call this when they are no longer needed.
    public mutating func forget() {
        state = .over(nil)
        sightings = [:]
    }

    private mutating func end(with actions: [Action]) -> [Action] {
        state = .over(exchange)
        timers = [:]
        return actions
    }

    private mutating func fail(_ failure: PairingFailure) -> [Action] { end(with: [.fail(failure)]) }
}

// MARK: - The search

extension PairingProcedure {
    private mutating func begin(at uptime: Duration) -> [Action] {
        timers[.search] = uptime + times.search
        if case .dialling(let endpoint) = state { return [.dial(endpoint)] }
        return advertise(true, at: uptime)
    }

    /// Returns the action to start or stop the advertisement.
    ///
    /// The device advertises only until the time for the search has passed.
    private func advertise(_ isWanted: Bool, at uptime: Duration) -> [Action] {
        guard let advert, advert.psm != 0 else { return [] }
        return [.advertise(isWanted && timers[.search].map { uptime < $0 } == true)]
    }

    private mutating func heard(_ other: PairingAdvert, at address: String, _ uptime: Duration) -> [Action] {
        guard let advert, other.nonce != advert.nonce else { return [] }
        // A device that starts again at the same address has a new nonce, but is not a third
        // device.
        sightings = sightings.filter { $0.value.address != address || $0.key == other.nonce }
        let before = sightings.updateValue(Sighting(advert: other, address: address), forKey: other.nonce)
        guard before == nil else { return [] }
        guard sightings.count == 1 else { return fail(.tooManyDevices) }
        timers[.settling] = uptime + times.settling
        return []
    }

    /// Dials the other device, after no third device was heard for a while.
    ///
    /// Only one of the two devices dials. The other device waits.
    private mutating func settled() -> [Action] {
        guard case .searching = state, let other = sightings.values.first, let advert, advert.dials(other.advert) else {
            return []
        }
        let endpoint = Endpoint(transport: radio, address: other.address, port: UInt16(other.advert.psm))
        state = .dialling(endpoint)
        return [.dial(endpoint)]
    }

    private mutating func searchEnded(at uptime: Duration) -> [Action] {
        let silence = advertise(false, at: uptime)
        switch state {
        case .searching, .dialling: return silence + fail(.nobodyFound)
        case .exchanging(let exchange) where exchange.comparison == .none:
            return silence + fail(exchange.endpoint == nil ? .nobodyFound : .noAnswer)
        default: return silence
        }
    }

    private mutating func dialFailed(_ reason: String, at uptime: Duration) -> [Action] {
        switch state {
        case .dialling: return fail(.unreachable(reason))
        case .agreed(let exchange) where exchange.endpoint != nil:
            guard uptime < lastKnock else { return fail(.unreachable(reason)) }
            timers[.nextKnock] = uptime + times.pause
            return []
        // This dial was abandoned because another device connected to this one.
        default: return []
        }
    }

    private mutating func timePassed(at uptime: Duration) -> [Action] {
        let due = timers.filter { $0.value <= uptime }.sorted { $0.value < $1.value }
        for (timer, _) in due { timers[timer] = nil }
        var actions: [Action] = []
        for (timer, _) in due {
            if case .over = state { return actions }
            switch timer {
            case .settling: actions += settled()
            case .search: actions += searchEnded(at: uptime)
            case .comparison: actions += comparisonEnded(at: uptime)
            case .knock: if awaitsProof { actions += fail(.noKnock) }
            case .nextKnock: if awaitsProof, let endpoint = exchange?.endpoint { actions.append(.knockAgain(endpoint)) }
            }
        }
        return actions
    }
}

// MARK: - The channel

extension PairingProcedure {
    private mutating func opened(_ channel: Channel, _ machine: PairingMachine, at uptime: Duration) -> [Action] {
        var actions: [Action] = []
        switch (state, machine.role) {
        case (.dialling(let endpoint), .initiator):
            state = .exchanging(Exchange(channel: channel, endpoint: endpoint, machine: machine))
        case (.searching, .responder):
            state = .exchanging(Exchange(channel: channel, endpoint: nil, machine: machine))
        case (.dialling, .responder), (.exchanging, .responder):
            guard let givenUp = giveUpDial() else { return [.close(channel)] }
            actions = givenUp
            state = .exchanging(Exchange(channel: channel, endpoint: nil, machine: machine))
        default: return [.close(channel)]
        }
        // The other device is here, so a third device must not find this device any more.
        return actions + advertise(false, at: uptime) + tell(.opened, at: uptime)
    }

    /// Abandons this side's dial if another device has dialled in.
    ///
    /// The device that dialled in is certainly here. The device that was heard may be gone, because
    /// a radio can report a lost device half a minute late. The two may also be the same device, if
    /// its user has changed to dialling this device's address.
    ///
    /// - Returns: The actions that end the dial; nil if the dial continues.
    private func giveUpDial() -> [Action]? {
        guard advert != nil else { return nil }
        switch state {
        case .dialling: return []
        case .exchanging(let exchange) where exchange.endpoint != nil && !exchange.isAnswered:
            return [.close(exchange.channel)]
        default: return nil
        }
    }

    private mutating func received(_ bytes: [UInt8], _ channel: Channel, at uptime: Duration) -> [Action] {
        guard case .exchanging(var exchange) = state, exchange.channel == channel else { return [] }
        exchange.isAnswered = true
        state = .exchanging(exchange)
        return tell(.received(bytes), at: uptime)
    }

    private mutating func closed(_ channel: Channel, isBroken: Bool, at uptime: Duration) -> [Action] {
        // After both users have confirmed, it does not matter when the first channel ends. The
        // radio may need its link for the next channel.
        guard case .exchanging(let exchange) = state, exchange.channel == channel else { return [] }
        guard exchange.comparison == .none, isBroken || !exchange.isAnswered else {
            return tell(.closed(isBroken: isBroken), at: uptime)
        }
        if exchange.endpoint == nil { return searchAgain(after: exchange, at: uptime) }
        // Dial again, because the connection broke before there were digits here, or because the
        // other side closed the channel before it sent anything.
        if let endpoint = exchange.endpoint, endpoint.transport == radio, redials > 0 {
            redials -= 1
            state = .dialling(endpoint)
            return [.dialAnew(endpoint)]
        }
        // A device that was found by radio is certainly pairing, so `notPairing` would be wrong.
        return advert == nil && !isBroken ? fail(.notPairing) : tell(.closed(isBroken: isBroken), at: uptime)
    }

    /// Searches again, because the device that dialled left before digits were shown, and may dial
    /// again.
    private mutating func searchAgain(after exchange: Exchange, at uptime: Duration) -> [Action] {
        if exchange.machine.isSpent { brokenDraws += 1 }
        guard brokenDraws < Self.drawLimit else {
            brokenDraws -= 1
            return tell(.closed(isBroken: true), at: uptime)
        }
        state = .searching
        if !sightings.isEmpty { timers[.settling] = uptime + times.settling }
        return [.reopen] + advertise(true, at: uptime)
    }

    private mutating func decided(_ isSame: Bool, at uptime: Duration) -> [Action] {
        guard case .exchanging(var exchange) = state, exchange.comparison != .none else { return [] }
        if isSame, exchange.comparison == .shown { exchange.comparison = .accepted }
        state = .exchanging(exchange)
        return tell(.decided(isSame), at: uptime)
    }

    private mutating func proved() -> [Action] {
        guard case .agreed(let exchange) = state else { return [] }
        state = .proving(exchange)
        return []
    }

    private mutating func proofBroke(at uptime: Duration) -> [Action] {
        guard case .proving(let exchange) = state else { return [] }
        state = .agreed(exchange)
        let isLate = exchange.endpoint == nil ? timers[.knock] == nil : uptime >= lastKnock
        guard !isLate else { return fail(.noKnock) }
        if exchange.endpoint != nil { timers[.nextKnock] = uptime + times.pause }
        return []
    }

    private mutating func comparisonEnded(at uptime: Duration) -> [Action] {
        // If this side accepted, the other user may have confirmed at the last moment.
        guard case .exchanging(var exchange) = state else { return [] }
        guard exchange.comparison == .accepted else { return fail(.undecided) }
        exchange.comparison = .late
        state = .exchanging(exchange)
        timers[.comparison] = uptime + times.passage
        return []
    }

    /// Passes an event to the channel's machine, and translates its actions.
    private mutating func tell(_ event: PairingMachine.Event, at uptime: Duration) -> [Action] {
        guard case .exchanging(var exchange) = state else { return [] }
        var actions: [Action] = []
        for action in exchange.machine.handle(event) {
            switch action {
            case .send(let bytes): actions.append(.send(bytes, exchange.channel))
            case .show(let digits):
                exchange.comparison = .shown
                timers[.comparison] = uptime + times.comparison
                actions.append(.show(digits: digits))
            case .paired(let device, let key):
                state = .agreed(exchange)
                actions.append(.agree(device, key, exchange.endpoint))
            case .fail(let failure):
                state = .exchanging(exchange)
                return actions + fail(failure)
            }
        }
        guard case .agreed = state else {
            state = .exchanging(exchange)
            return actions
        }
        timers[.comparison] = nil
        if exchange.endpoint == nil { timers[.knock] = uptime + times.knock }
        lastKnock = uptime + times.knocks
        // The knock comes on a new channel, perhaps over a new link, so the dialled device must be
        // found again.
        return actions + advertise(exchange.endpoint == nil, at: uptime)
    }
}
