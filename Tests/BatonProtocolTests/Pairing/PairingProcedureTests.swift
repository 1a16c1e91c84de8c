// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BatonProtocol

/// Tests a pairing from the search to the channel that proves the keys, with the actions after each
/// event.
@Suite struct PairingProcedureTests {
    private typealias Procedure = PairingProcedure<Int>

    private static let times = PairingTimes(
        search: .seconds(120), settling: .seconds(2), comparison: .seconds(120), passage: .seconds(15),
        knock: .seconds(60), knocks: .seconds(20), pause: .seconds(1))

    /// A side under test, and its actions.
    private struct Side {
        var procedure: Procedure
        var done: [Procedure.Action] = []
        /// The number of actions that the other side has received.
        var passed = 0
        var uptime = Duration.seconds(1_000)

        init(_ byte: UInt8, psm: UInt8 = 0x80, dialling endpoint: Endpoint? = nil, redials: Int = 2) {
            procedure = PairingProcedure(
                dialling: endpoint, advert: PairingAdvert(nonce: [UInt8](repeating: byte, count: 8), psm: psm),
                over: .simulated, times: times, redials: redials)
            happens(.began)
        }

        mutating func happens(_ event: Procedure.Event) { done += procedure.handle(event, at: uptime) }

        mutating func passes(_ seconds: Int) {
            let end = uptime + .seconds(seconds)
            while let deadline = procedure.deadline, deadline <= end {
                uptime = deadline
                happens(.timePassed)
            }
            uptime = end
        }

        mutating func hears(_ byte: UInt8, at address: String) {
            guard let advert = PairingProcedureTests.advert(byte) else { return }
            happens(.heard(advert, address: address))
        }

        /// Opens a channel that this side or the other side dialled.
        mutating func opens(_ channel: Int, dialled: Bool) {
            happens(.opened(channel, PairingProcedureTests.machine(dialled ? .initiator : .responder, UInt8(channel))))
        }

        var dialled: [Endpoint] {
            done.compactMap {
                switch $0 {
                case .dial(let endpoint), .dialAnew(let endpoint): endpoint
                default: nil
                }
            }
        }
        var closed: [Int] { done.compactMap { if case .close(let channel) = $0 { channel } else { nil } } }
        var advertised: [Bool] { done.compactMap { if case .advertise(let isWanted) = $0 { isWanted } else { nil } } }
        var reopened: Int { done.count { if case .reopen = $0 { true } else { false } } }
        var knocksAgain: [Endpoint] {
            done.compactMap { if case .knockAgain(let endpoint) = $0 { endpoint } else { nil } }
        }
        var failures: [PairingFailure] { done.compactMap { if case .fail(let failure) = $0 { failure } else { nil } } }
        var digits: String? { done.compactMap { if case .show(let digits) = $0 { digits } else { nil } }.first }
        var agreed: [Endpoint?] {
            done.compactMap { if case .agree(_, _, let endpoint) = $0 { .some(endpoint) } else { nil } }
        }
    }

    private static func advert(_ byte: UInt8) -> PairingAdvert? {
        PairingAdvert(nonce: [UInt8](repeating: byte, count: 8), psm: 0x90)
    }

    private static func machine(_ role: PairingMachine.Role, _ byte: UInt8) -> PairingMachine {
        PairingMachine(
            role: role, transport: .simulated, identity: DeviceIdentity(), name: "laptop", circle: nil,
            random: [UInt8](repeating: byte, count: 32))
    }

    private static let address = Endpoint(transport: .simulated, address: "b", port: 0x90)
    private static let tcp = Endpoint(transport: .tcp, address: "192.0.2.7", port: 1)

    /// Exchanges the bytes between channel 1 of one side and channel 2 of the other.
    private func exchange(_ one: inout Side, _ other: inout Side) {
        while one.passed < one.done.count || other.passed < other.done.count {
            let (new, newOther) = (one.done[one.passed...], other.done[other.passed...])
            (one.passed, other.passed) = (one.done.count, other.done.count)
            for case .send(let bytes, 1) in new { other.happens(.received(bytes, 2)) }
            for case .send(let bytes, 2) in newOther { one.happens(.received(bytes, 1)) }
        }
    }

    /// Returns two sides that found each other and compare the digits. The first side dialled.
    private func comparing() -> (Side, Side) {
        var (one, other) = (Side(1), Side(2))
        one.hears(2, at: "b")
        other.hears(1, at: "a")
        one.passes(2)
        other.passes(2)
        one.opens(1, dialled: true)
        other.opens(2, dialled: false)
        exchange(&one, &other)
        return (one, other)
    }

    @Test("If two devices hear each other, the one with the lower nonce dials after two seconds")
    func whoDials() {
        var (one, other) = (Side(1), Side(2))
        one.hears(2, at: "b")
        other.hears(1, at: "a")
        one.passes(1)
        #expect(one.dialled.isEmpty)
        one.passes(1)
        other.passes(119)
        #expect(one.dialled == [Self.address])
        #expect(other.dialled.isEmpty)
        #expect(one.advertised == [true])
    }

    @Test("After both confirm, each side gets the other's keys, and one waits for the knock")
    func succeeds() {
        var (one, other) = comparing()
        #expect(one.digits != nil && one.digits == other.digits)
        #expect(one.advertised == [true, false] && other.advertised == [true, false])
        one.happens(.decided(true))
        exchange(&one, &other)
        #expect(one.agreed.isEmpty && other.agreed.isEmpty)
        other.happens(.decided(true))
        // Have both sides send everything again. Repeated events change nothing after the end.
        exchange(&one, &other)
        #expect(one.agreed == [Self.address] && other.agreed == [nil])
        #expect(one.advertised.last == false && other.advertised.last == true)
        #expect(one.procedure.awaitsProof && other.procedure.awaitsProof)
        #expect(one.procedure.met == Self.advert(2))
        for channel in [1, 2] {
            one.happens(.closed(channel, isBroken: false))
            other.happens(.closed(channel, isBroken: false))
        }
        one.happens(.proved)
        other.happens(.proved)
        one.passes(1_000)
        other.passes(1_000)
        #expect(one.failures.isEmpty && other.failures.isEmpty)
        #expect(one.procedure.deadline == nil)
    }

    @Test(
        "A third device ends the pairing, but a device that starts again at the same address does not count as a third")
    func crowd() {
        var side = Side(5)
        side.hears(7, at: "b")
        side.hears(5, at: "own")
        side.hears(7, at: "b")
        side.hears(8, at: "b")
        #expect(side.failures.isEmpty && side.procedure.sighted.map(\.nonce.first) == [8])
        side.hears(9, at: "c")
        #expect(side.failures == [.tooManyDevices])
        side.hears(10, at: "d")
        #expect(side.failures == [.tooManyDevices])
    }

    @Test("A device that finds no other device in two minutes, or gets no answer, reports that")
    func nobody() {
        var searching = Side(1)
        searching.passes(119)
        #expect(searching.failures.isEmpty)
        searching.passes(1)
        #expect(searching.failures == [.nobodyFound] && searching.advertised == [true, false])

        var silent = Side(1, dialling: Self.tcp)
        #expect(silent.dialled == [Self.tcp] && silent.advertised.isEmpty && silent.procedure.advert == nil)
        silent.opens(1, dialled: true)
        silent.passes(120)
        #expect(silent.failures == [.noAnswer])

        var unreachable = Side(1, dialling: Self.tcp)
        unreachable.happens(.dialFailed("no route"))
        #expect(unreachable.failures == [.unreachable("no route")])
    }

    @Test("Without a PSM nothing is advertised")
    func doorless() { #expect(Side(1, psm: 0).advertised.isEmpty) }

    @Test("A peer that closes without a byte is dialled two more times by radio, but over TCP counts as not pairing")
    func hangUps() {
        var side = Side(1, dialling: Self.address)
        for channel in 1...3 {
            side.opens(channel, dialled: true)
            side.happens(.closed(channel, isBroken: false))
        }
        #expect(side.dialled.count == 3 && side.failures == [.notPairing])

        var overTCP = Side(1, dialling: Self.tcp)
        overTCP.opens(1, dialled: true)
        overTCP.happens(.closed(1, isBroken: false))
        #expect(overTCP.dialled.count == 1 && overTCP.failures == [.notPairing])

        var found = Side(1, redials: 0)
        found.hears(2, at: "b")
        found.passes(2)
        found.opens(1, dialled: true)
        found.happens(.closed(1, isBroken: false))
        #expect(found.failures == [.closed])
    }

    @Test("A device that dials this one replaces only a dial that was not answered")
    func dialledInMeanwhile() {
        for isOpen in [false, true] {
            var side = Side(1)
            side.hears(2, at: "b")
            side.passes(2)
            if isOpen { side.opens(1, dialled: true) }
            side.opens(2, dialled: false)
            #expect(side.closed == (isOpen ? [1] : []))
            #expect(side.procedure.channel == 2)
            // The result of the abandoned dial no longer matters.
            side.happens(.dialFailed("late"))
            side.opens(3, dialled: true)
            #expect(side.closed.last == 3 && side.failures.isEmpty && side.procedure.channel == 2)
        }
        var (one, _) = comparing()
        one.opens(3, dialled: false)
        #expect(one.closed == [3] && one.procedure.channel == 1)
        var addressed = Side(1, dialling: Self.tcp)
        addressed.opens(3, dialled: false)
        #expect(addressed.closed == [3])
    }

    @Test("Digits expire after two minutes, and a confirmation at the last moment may take 15 s to arrive")
    func undecided() {
        var (one, other) = comparing()
        one.passes(119)
        one.happens(.decided(true))
        one.passes(1)
        other.passes(119)
        #expect(one.failures.isEmpty && other.failures.isEmpty)
        other.passes(1)
        #expect(other.failures == [.undecided])
        one.passes(14)
        #expect(one.failures.isEmpty)
        one.passes(1)
        #expect(one.failures == [.undecided] && one.procedure.draws == 1)
    }

    @Test("A knock that does not come in time ends the pairing on the waiting side")
    func noKnock() {
        var (one, other) = comparing()
        one.happens(.decided(true))
        other.happens(.decided(true))
        exchange(&one, &other)
        one.passes(1_000)
        other.passes(59)
        #expect(other.failures.isEmpty)
        other.passes(1)
        #expect(one.failures.isEmpty && other.failures == [.noKnock])
        one.happens(.dialFailed("gone"))
        #expect(one.failures == [.unreachable("gone")])
    }

    // MARK: - Connections that break

    @Test("If the connection breaks before digits are shown, the search continues, and a final failure counts")
    func breaksBeforeTheDigits() {
        var side = Side(2)
        side.hears(1, at: "a")
        side.passes(2)
        side.opens(2, dialled: false)
        var dialler = Self.machine(.initiator, 7)
        for case .send(let bytes) in dialler.handle(.opened) { side.happens(.received(bytes, 2)) }
        side.happens(.closed(2, isBroken: true))
        #expect(side.reopened == 1 && side.failures.isEmpty && side.advertised == [true, false, true])
        // The next attempt may succeed.
        side.opens(3, dialled: false)
        #expect(side.procedure.channel == 3 && side.procedure.draws == 1)
        side.happens(.abandoned)
        #expect(side.procedure.draws == 1)
    }

    @Test("An attacker who breaks connections gets at most two attempts at the digits, and both count as failures")
    func twoDraws() {
        var side = Side(2)
        for channel in [2, 3] {
            side.opens(channel, dialled: false)
            var dialler = Self.machine(.initiator, 7)
            for case .send(let bytes) in dialler.handle(.opened) { side.happens(.received(bytes, channel)) }
            side.happens(.closed(channel, isBroken: true))
        }
        #expect(side.reopened == 1 && side.failures == [.broken] && side.procedure.draws == 2)
    }

    @Test(
        "If the connection breaks before the other share arrives, the dialling side dials again, and no failure is counted"
    )
    func dialsAnew() {
        var one = Side(1)
        one.hears(2, at: "b")
        one.passes(2)
        one.opens(1, dialled: true)
        one.happens(.closed(1, isBroken: true))
        #expect(one.dialled == [Self.address, Self.address] && one.failures.isEmpty && one.procedure.draws == 0)
    }

    @Test("A break while digits are compared ends the pairing, counts as a failure, and is reported as a break")
    func breaksWhileComparing() {
        var (one, other) = comparing()
        one.happens(.decided(true))
        one.happens(.closed(1, isBroken: true))
        other.happens(.closed(2, isBroken: true))
        #expect(one.failures == [.broken] && other.failures == [.broken])
        #expect(one.procedure.draws == 1 && other.procedure.draws == 1)
    }

    /// Returns two sides whose users have both confirmed.
    private func agreed() -> (Side, Side) {
        var (one, other) = comparing()
        one.happens(.decided(true))
        other.happens(.decided(true))
        exchange(&one, &other)
        return (one, other)
    }

    @Test("After both confirmations only the knock is repeated, and it may begin up to 20 s later")
    func knocksAgain() {
        var (one, other) = agreed()
        one.happens(.dialFailed("lost"))
        #expect(one.knocksAgain.isEmpty, "it waits for a second")
        one.passes(1)
        one.happens(.proved)
        other.happens(.proved)
        one.happens(.proofBroke)
        other.happens(.proofBroke)
        one.passes(1)
        #expect(one.knocksAgain == [Self.address, Self.address] && one.procedure.awaitsProof)
        #expect(other.knocksAgain.isEmpty && other.procedure.awaitsProof)
        one.passes(18)
        one.happens(.dialFailed("gone"))
        #expect(one.failures == [.unreachable("gone")])
    }

    @Test("A knock that breaks after its time limit fails, and until then nobody can cancel")
    func brokeTooLate() {
        var (one, other) = agreed()
        one.happens(.proved)
        other.happens(.proved)
        other.happens(.abandoned)
        other.passes(60)
        one.passes(60)
        #expect(one.failures.isEmpty && other.failures.isEmpty)
        one.happens(.proofBroke)
        other.happens(.proofBroke)
        #expect(one.failures == [.noKnock] && other.failures == [.noKnock])
    }

    // MARK: -

    @Test("The advertisement stops at the end of the search, even while the knock is awaited")
    func searchEndsMeanwhile() {
        var (one, other) = comparing()
        one.passes(100)
        other.passes(100)
        one.happens(.decided(true))
        other.happens(.decided(true))
        exchange(&one, &other)
        #expect(other.advertised.last == true)
        other.passes(18)
        #expect(other.advertised.last == false && other.failures.isEmpty)
    }

    @Test("A refusal, a user who leaves, and a broken channel end the pairing at once", arguments: 0..<3)
    func ends(how: Int) {
        var (one, _) = comparing()
        switch how {
        case 0: one.happens(.decided(false))
        case 1: one.happens(.abandoned)
        default: one.happens(.closed(1, isBroken: false))
        }
        #expect(one.failures == [[.declinedHere, .abandoned, .closed][how]])
        let count = one.done.count
        one.happens(.decided(true))
        one.happens(.received([1], 1))
        one.hears(9, at: "z")
        one.passes(1_000)
        #expect(one.done.count == count)
        one.opens(7, dialled: false)
        #expect(one.closed == [7])
    }

    @Test("Confirmations before the digits, and bytes of another channel, are ignored")
    func early() {
        var side = Side(1)
        side.happens(.decided(true))
        side.opens(2, dialled: false)
        side.happens(.decided(true))
        side.happens(.received([0xFF], 9))
        side.happens(.closed(9, isBroken: false))
        #expect(side.failures.isEmpty && side.agreed.isEmpty)
    }

    @Test("After the end of a pairing has erased its secrets, the advertisement is still known")
    func forgets() {
        var (one, _) = comparing()
        one.happens(.abandoned)
        #expect(one.procedure.channel == 1 && one.procedure.draws == 1)
        one.procedure.forget()
        #expect(one.procedure.channel == nil && one.procedure.sighted.isEmpty && one.procedure.draws == 0)
        #expect(one.procedure.advert?.nonce == [UInt8](repeating: 1, count: 8))
    }
}
