// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BatonProtocol

/// Tests every event and every message in every state of both sides of a pairing (Pairing.md,
/// "States").
@Suite struct PairingStateTests {
    enum State: String, CaseIterable {
        case new, begun, awaitsShare, comparing, saidYes, heardYes, agreed, over
    }

    /// The events. Their bytes come from the same pairing as the state.
    enum Happening: String, CaseIterable {
        case opened, nothing, noise, yes, no, abandoned, closed
        case m1, m2, m3, answerYes, answerNo, ready
    }

    /// The visible effects of an event on a side.
    struct Outcome: Hashable, CustomStringConvertible {
        var sends = false
        var shows = false
        var pairs = false
        var failure: PairingFailure?

        static let nothing = Outcome()
        static func fails(_ failure: PairingFailure, sends: Bool = false) -> Outcome {
            Outcome(sends: sends, failure: failure)
        }

        var description: String {
            "sends \(sends), shows \(shows), pairs \(pairs), \(failure.map { "\($0)" } ?? "goes on")"
        }
    }

    /// A pairing in a given state of one side, with all bytes that both sent.
    private struct Run {
        var side: PairingMachine
        var other: PairingMachine
        /// A copy of the other machine, with the same secrets, whose user refuses.
        var otherNo: PairingMachine
        var said: [Happening: [UInt8]] = [:]

        init(_ role: PairingMachine.Role) {
            func machine(_ role: PairingMachine.Role, _ identity: DeviceIdentity, _ byte: UInt8) -> PairingMachine {
                PairingMachine(
                    role: role, transport: .simulated, identity: identity, name: "\(byte)", circle: nil,
                    random: [UInt8](repeating: byte, count: 32))
            }
            side = machine(role, DeviceIdentity(), 0x51)
            other = machine(role == .initiator ? .responder : .initiator, DeviceIdentity(), 0x61)
            otherNo = other
        }

        private static func sent(_ actions: [PairingMachine.Action]) -> [UInt8] {
            actions.flatMap { if case .send(let bytes) = $0 { bytes } else { [] as [UInt8] } }
        }

        /// Runs both sides until both compare, and keeps the messages. `until` stops the side under
        /// test.
        mutating func run(to state: State) {
            var initiator = side.role == .initiator ? side : other
            var responder = side.role == .initiator ? other : side
            // The machine under test in each state that it has had.
            var reached: [State: PairingMachine] = [.new: side]
            func own(_ initiator: PairingMachine, _ responder: PairingMachine) -> PairingMachine {
                side.role == .initiator ? initiator : responder
            }
            let m1 = Self.sent(initiator.handle(.opened))
            _ = responder.handle(.opened)
            reached[.begun] = own(initiator, responder)
            let m2 = Self.sent(responder.handle(.received(m1)))
            reached[.awaitsShare] = side.role == .responder ? responder : nil
            let m3 = Self.sent(initiator.handle(.received(m2)))
            _ = responder.handle(.received(m3))
            reached[.comparing] = own(initiator, responder)
            var otherNo = side.role == .initiator ? responder : initiator
            var other = otherNo
            let answerYes = Self.sent(other.handle(.decided(true)))
            let answerNo = Self.sent(otherNo.handle(.decided(false)))
            var saidYes = own(initiator, responder)
            _ = saidYes.handle(.decided(true))
            reached[.saidYes] = saidYes
            var heardYes = own(initiator, responder)
            _ = heardYes.handle(.received(answerYes))
            reached[.heardYes] = heardYes
            if side.role == .initiator {
                _ = saidYes.handle(.received(answerYes))
                reached[.agreed] = saidYes
            }
            var over = own(initiator, responder)
            _ = over.handle(.abandoned)
            reached[.over] = over
            side = reached[state] ?? side
            said = [.m1: m1, .m2: m2, .m3: m3, .answerYes: answerYes, .answerNo: answerNo, .ready: [1]]
        }

        func event(_ happening: Happening) -> PairingMachine.Event {
            switch happening {
            case .opened: .opened
            case .nothing: .received([])
            // The bytes are at most as long as the expected message, so that they count as one
            // message.
            case .noise: .received([UInt8](repeating: 0x41, count: 64))
            case .yes: .decided(true)
            case .no: .decided(false)
            case .abandoned: .abandoned
            case .closed: .closed(isBroken: false)
            default: .received(said[happening] ?? [])
            }
        }

        mutating func outcome(_ event: PairingMachine.Event) -> Outcome {
            var outcome = Outcome()
            for action in side.handle(event) {
                switch action {
                case .send: outcome.sends = true
                case .show: outcome.shows = true
                case .paired: outcome.pairs = true
                case .fail(let failure): outcome.failure = failure
                }
            }
            return outcome
        }
    }

    /// Returns the outcomes that are not empty. After bytes that are shorter than the expected
    /// message, the machine waits for the rest.
    private static func expected(_ role: PairingMachine.Role, _ state: State) -> [Happening: Outcome] {
        let sends = Outcome(sends: true)
        let malformed = Outcome.fails(.malformed)
        let foreign = Outcome.fails(.foreign)
        var expected: [Happening: Outcome] =
            state == .over ? [:] : [.abandoned: .fails(.abandoned), .closed: .fails(.closed)]
        let more: [Happening: Outcome] =
            switch (role, state) {
            case (_, .over): [:]
            case (.initiator, .new): [.opened: sends]
            case (.responder, .new): [:]
            case (.initiator, .begun):
                [
                    .m2: Outcome(sends: true, shows: true), .noise: foreign, .m3: foreign, .answerYes: foreign,
                    .answerNo: foreign, .ready: foreign,
                ]
            case (.responder, .begun):
                // Bytes that begin like the first message count as a commitment, whatever the other
                // bytes are.
                [.m1: sends, .m2: sends, .m3: malformed, .noise: malformed, .answerYes: malformed]
            case (_, .awaitsShare):
                [
                    .m3: Outcome(shows: true), .m2: .fails(.brokenCommitment), .noise: .fails(.brokenCommitment),
                    .answerYes: .fails(.brokenCommitment),
                ]
            case (_, .comparing):
                [
                    .yes: sends, .no: .fails(.declinedHere, sends: true), .answerNo: .fails(.declinedThere),
                    .m1: malformed, .m2: malformed, .m3: malformed, .noise: malformed,
                ]
            case (.initiator, .saidYes):
                [.answerNo: .fails(.declinedThere), .m1: malformed, .m2: malformed, .m3: malformed, .noise: malformed]
            case (.responder, .saidYes):
                [
                    .answerYes: Outcome(sends: true, pairs: true), .answerNo: .fails(.declinedThere), .m1: malformed,
                    .m2: malformed, .m3: malformed, .noise: malformed,
                ]
            case (_, .heardYes):
                [
                    .yes: Outcome(sends: true, pairs: role == .responder), .no: .fails(.declinedHere, sends: true),
                    .m1: malformed, .m2: malformed, .m3: malformed, .noise: malformed, .answerYes: malformed,
                    .answerNo: malformed,
                ]
            case (_, .agreed):
                [
                    .ready: Outcome(pairs: true), .m1: malformed, .m2: malformed, .m3: malformed, .noise: malformed,
                    .answerYes: malformed, .answerNo: malformed,
                ]
            }
        expected.merge(more) { $1 }
        return expected
    }

    @Test(
        "Every event in every state of a pairing has the expected outcome",
        arguments: [PairingMachine.Role.initiator, .responder], State.allCases)
    func everyEventInEveryState(role: PairingMachine.Role, state: State) {
        // A responder reveals its share before it compares digits, and is finished after both
        // confirmations.
        guard state != (role == .initiator ? .awaitsShare : .agreed) else { return }
        for happening in Happening.allCases {
            var run = Run(role)
            run.run(to: state)
            let event = run.event(happening)
            let outcome = run.outcome(event)
            let wanted = Self.expected(role, state)[happening] ?? .nothing
            #expect(outcome == wanted, "\(role) \(state): \(happening)")
            // After the end there are no further actions, and a pairing ends only once.
            guard outcome.failure != nil || outcome.pairs || state == .over else { continue }
            for later in Happening.allCases {
                #expect(run.outcome(run.event(later)) == .nothing, "\(role) \(state): \(happening), then \(later)")
            }
        }
    }
}
