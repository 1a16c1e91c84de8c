// SPDX-License-Identifier: Apache-2.0

/// One wish to pair by digits, from the search for another device to the channel on which both
/// prove the keys that they have told each other.
///
/// The machine knows neither clock nor radio: it is told what happens, and says what is to be done.
/// What is said on the channel to the other device is judged by a ``PairingMachine``.
/// Documentation/Protocol/Pairing.md has the rules. `Channel` is a channel to another device that
/// pairs.
public struct PairingProcedure<Channel: Equatable & Sendable>: Sendable {
    /// What happens.
    public enum Event: Sendable {
        /// It begins.
        case began
        /// Another device was heard that pairs.
        case heard(PairingAdvert, address: String)
        /// There is a channel to another device that pairs, which this side dialled if it is the
        /// machine's initiator.
        case opened(Channel, PairingMachine)
        /// Bytes came on a channel.
        case received([UInt8], Channel)
        /// A channel is closed: by the other side, or because the connection broke.
        case closed(Channel, isBroken: Bool)
        /// What this side dialled does not answer.
        case dialFailed(String)
        /// The user compared the digits.
        case decided(Bool)
        /// The channel is there on which both prove their keys.
        case proved
        /// It broke before one had taken the other in.
        case proofBroke
        /// The user or the program that pairs went away.
        case abandoned
        /// The ``PairingProcedure/deadline`` is over.
        case timePassed
    }

    /// What is to be done, in order.
    public enum Action: Sendable {
        /// Advertise that somebody pairs here, or do not.
        case advertise(Bool)
        /// Dial another device, and tell what comes of it.
        case dial(Endpoint)
        /// Dial it over a new link: the other side hung up before it had said anything.
        case dialAnew(Endpoint)
        /// Take another channel of whoever dials to pair: the one before broke.
        case reopen
        /// Send bytes on a channel.
        case send([UInt8], Channel)
        /// Close a channel, of which nothing more is told.
        case close(Channel)
        /// Ask the user to compare these digits.
        case show(digits: String)
        /// Both users said yes. Go on with a knock under this key: dial the endpoint for it, or,
        /// without one, wait for it.
        case agree(PairedDevice, PairwiseKey, Endpoint?)
        /// Dial once more for the knock.
        case knockAgain(Endpoint)
        /// It failed, and nothing of it counts.
        case fail(PairingFailure)
    }

    private enum State: Sendable {
        case searching
        case dialling(Endpoint)
        case exchanging(Exchange)
        case agreed(Exchange)
        /// Both prove their keys, and one takes the other in.
        case proving(Exchange)
        case over(Exchange?)
    }

    /// What is said on a channel.
    private struct Exchange: Sendable {
        let channel: Channel
        /// What this side dialled; nil when it was dialled.
        let endpoint: Endpoint?
        var machine: PairingMachine
        /// Whether the other side has said anything.
        var isAnswered = false
        var comparison = Comparison.none
    }

    /// How far the user has come with the digits.
    private enum Comparison: Sendable {
        case none, shown, accepted
        /// The other side's yes, if it was said at the last moment, has its time to come.
        case late
    }

    private enum Timer: Sendable { case settling, search, comparison, knock, nextKnock }

    private struct Sighting: Sendable {
        let advert: PairingAdvert
        let address: String
    }

    /// What others find this device by; nil when it has dialled an address.
    public let advert: PairingAdvert?
    private let radio: TransportKind
    private let times: PairingTimes
    private var redials: Int
    private var state: State
    private var sightings: [[UInt8]: Sighting] = [:]
    private var timers: [Timer: Duration] = [:]
    /// How often a responder's share was shown on channels that broke then.
    private var brokenDraws = 0
    /// When a knock may begin at the latest.
    private var lastKnock = Duration.zero

    /// A procedure that has not begun.
    ///
    /// - Parameters:
    ///   - endpoint: The one device that is dialled; nil to search by radio, and to be dialled.
    ///   - advert: What others find this device by, if it searches.
    ///   - radio: What carries the channels of those who are found.
    ///   - times: How long its parts may take.
    ///   - redials: How often a device of the radio that hangs up without a word is dialled again.
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

    /// The uptime at which ``Event/timePassed`` is due; nil for never.
    public var deadline: Duration? { timers.values.min() }
    /// The adverts of the other devices that were heard.
    public var sighted: [PairingAdvert] { sightings.values.map(\.advert) }
    /// The channel to the other device.
    public var channel: Channel? { exchange?.channel }
    /// Whether a knock of the other device, or the answer to this one's, is awaited.
    public var awaitsProof: Bool { if case .agreed = state { true } else { false } }
    /// How many failed attempts any end but success is: as often as a responder's share has been
    /// shown (``PairingMachine/isSpent``), for each is a draw of six digits.
    public var draws: Int { brokenDraws + (exchange?.machine.isSpent == true ? 1 : 0) }
    /// How many there are in a run at most: a connection may break by chance, but whoever breaks it
    /// on purpose is not to draw again and again.
    public static var drawLimit: Int { 2 }

    /// The advert of the device that was spoken to, where that is certain.
    public var met: PairingAdvert? {
        guard let exchange, exchange.isAnswered, exchange.machine.transport == radio, let advert,
            sightings.count == 1, let peer = sightings.values.first?.advert,
            advert.dials(peer) == (exchange.endpoint != nil),
            // Anybody may have dialled and said something; digits are shown to who goes on with it.
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

    /// Takes an event in, at an uptime.
    public mutating func handle(_ event: Event, at uptime: Duration) -> [Action] {
        if case .over = state {
            if case .opened(let channel, _) = event { return [.close(channel)] }
            return []
        }
        // Nobody calls off what both want: one side may have done it already.
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

    /// What it knows of the other device and the keys is kept no longer than it is needed.
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

    /// The advertisement is there to be found and dialled by, and at no other time. It ends with
    /// the search, however long the rest takes.
    private func advertise(_ isWanted: Bool, at uptime: Duration) -> [Action] {
        guard let advert, advert.psm != 0 else { return [] }
        return [.advertise(isWanted && timers[.search].map { uptime < $0 } == true)]
    }

    private mutating func heard(_ other: PairingAdvert, at address: String, _ uptime: Duration) -> [Action] {
        guard let advert, other.nonce != advert.nonce else { return [] }
        // A device that began anew is no third one.
        sightings = sightings.filter { $0.value.address != address || $0.key == other.nonce }
        let before = sightings.updateValue(Sighting(advert: other, address: address), forKey: other.nonce)
        guard before == nil else { return [] }
        guard sightings.count == 1 else { return fail(.tooManyDevices) }
        timers[.settling] = uptime + times.settling
        return []
    }

    /// Nobody else was heard for a while. Of two devices one dials; the other waits to be dialled.
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
        // A dial that was given up for whoever dialled in.
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
        // The other device is there, and a third one has no part in it.
        return actions + advertise(false, at: uptime) + tell(.opened, at: uptime)
    }

    /// Who dials in is there. Who was heard may not be any more, for a radio may tell half a minute
    /// late that a device pairs no longer: it may be the very one, whose user went on with this
    /// one's address.
    ///
    /// - Returns: What ends the dial; nil when it goes on.
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
        // Once both users have said yes, the end of the first channel says nothing: the radio may
        // need its link for the next.
        guard case .exchanging(let exchange) = state, exchange.channel == channel else { return [] }
        guard exchange.comparison == .none, isBroken || !exchange.isAnswered else {
            return tell(.closed(isBroken: isBroken), at: uptime)
        }
        if exchange.endpoint == nil { return searchAgain(after: exchange, at: uptime) }
        // The connection broke before any digits were known here, or a device that was too slow to
        // take the first bytes hangs up before it has said anything: nothing is lost.
        if let endpoint = exchange.endpoint, endpoint.transport == radio, redials > 0 {
            redials -= 1
            state = .dialling(endpoint)
            return [.dialAnew(endpoint)]
        }
        // One that was found by radio has said that it pairs.
        return advert == nil && !isBroken ? fail(.notPairing) : tell(.closed(isBroken: isBroken), at: uptime)
    }

    /// The device that dialled has gone before any digits were shown. It may dial again.
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
        // They may have been compared at the last moment.
        guard case .exchanging(var exchange) = state else { return [] }
        guard exchange.comparison == .accepted else { return fail(.undecided) }
        exchange.comparison = .late
        state = .exchanging(exchange)
        timers[.comparison] = uptime + times.passage
        return []
    }

    /// Tells the machine on the channel, and does what it wants.
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
        // The knock comes on a channel of its own, and perhaps over a new link.
        return actions + advertise(exchange.endpoint == nil, at: uptime)
    }
}
