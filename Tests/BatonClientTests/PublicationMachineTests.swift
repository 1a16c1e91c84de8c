// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import Diagnosis
import Testing

@testable import BatonClient

@Suite struct PublicationMachineTests {
    private static let limit = BatonError(.limitReached, appMessage: "full")
    private static let noReply = BatonError(.failed, .noAnswer, cause: "org.freedesktop.DBus.Error.NoReply")
    private static let gone = BatonError(.daemonNotRunning, appMessage: "gone")

    private static func state(_ title: String) -> ActivityState { ActivityState(activityType: "t", title: title) }

    private static func machine(reattaches: Bool = true) -> PublicationMachine {
        PublicationMachine(reattaches: reattaches)
    }

    /// Returns the machine of an activity that the daemon knows as "a1" and offers.
    private static func current(reattaches: Bool = true) throws -> PublicationMachine {
        var machine = machine(reattaches: reattaches)
        machine.becomeCurrent()
        try #require(machine.next() == .ask)
        machine.answered(state("first"))
        try #require(machine.next() == .call(.publish(state("first"))))
        try #require(machine.succeed("a1").isEmpty)
        try #require(machine.next() == .call(.becomeCurrent("a1")))
        guard case .becameCurrent? = machine.succeed().first else { throw BatonError(.failed, appMessage: "event") }
        try #require(machine.next() == nil)
        return machine
    }

    @Test("Changes during a call are sent together")
    func changesGoTogether() throws {
        var machine = try Self.current()
        machine.change()
        #expect(machine.next() == .call(.update("a1", .present)))
        for _ in 0..<100 { machine.change() }
        #expect(machine.next() == nil)
        #expect(machine.succeed().isEmpty)
        #expect(machine.next() == .call(.update("a1", .present)))
        #expect(machine.succeed().isEmpty)
        #expect(machine.next() == nil)
    }

    @Test("Requests to save that arrive while the app is being asked are answered once, by its next answer")
    func requestsAreAnsweredOnce() throws {
        var machine = try Self.current()
        machine.willSave()
        #expect(machine.next() == .ask)
        machine.willSave()
        machine.willSave()
        machine.answered(Self.state("second"))
        #expect(machine.next() == .call(.update("a1", .saved(Self.state("second"), requests: 1))))
        #expect(machine.next() == .ask)
        guard case .saved? = machine.succeed().first else { throw BatonError(.failed, appMessage: "event") }
        machine.answered(Self.state("third"))
        #expect(machine.next() == .call(.update("a1", .saved(Self.state("third"), requests: 2))))
        guard case .saved? = machine.succeed().first else { throw BatonError(.failed, appMessage: "event") }
        #expect(machine.next() == nil)
    }

    @Test("Contents that were rejected are not sent again, but the next ones are")
    func refusedContents() throws {
        var machine = try Self.current()
        machine.change()
        #expect(machine.next() == .call(.update("a1", .present)))
        guard case .refused? = machine.fail(BatonError(.userInfoTooLarge, appMessage: "large")).first else {
            throw BatonError(.failed, appMessage: "event")
        }
        #expect(machine.next() == nil)
        machine.change()
        #expect(machine.next() == .call(.update("a1", .present)))
    }

    @Test("A call that failed temporarily is repeated after a pause, with one warning")
    func rejectedForNow() throws {
        var machine = try Self.current()
        machine.change()
        for attempt in 0..<3 {
            #expect(machine.next() == .call(.update("a1", .present)))
            #expect(machine.fail(attempt == 1 ? Self.noReply : Self.limit).count == (attempt == 0 ? 1 : 0))
            #expect(machine.next() == .pause)
            #expect(machine.next() == nil)
            machine.pauseEnded()
        }
        #expect(machine.next() == .call(.update("a1", .present)))
    }

    @Test("Resigning does not wait for the app's answer about its contents")
    func resigningDoesNotWait() throws {
        var machine = try Self.current()
        machine.willSave()
        #expect(machine.next() == .ask)
        machine.resignCurrent()
        #expect(machine.next(hasSuccessor: true) == nil)
        #expect(machine.next() == .call(.resignCurrent("a1")))
    }

    @Test("The end of an activity does not wait for the app's answer, and is the last call")
    func endDoesNotWait() throws {
        var machine = try Self.current()
        machine.willSave()
        #expect(machine.next() == .ask)
        #expect(machine.end().isEmpty)
        #expect(machine.next() == .call(.invalidate("a1")))
        machine.answered(Self.state("late"))
        guard case .invalidated? = machine.succeed().first else { throw BatonError(.failed, appMessage: "event") }
        #expect(machine.next() == nil)
        #expect(machine.isIdle)
    }

    @Test("An activity that ends during its publication also ends at the daemon")
    func endsWhilePublished() throws {
        var machine = Self.machine()
        machine.becomeCurrent()
        #expect(machine.next() == .ask)
        machine.answered(Self.state("first"))
        #expect(machine.next() == .call(.publish(Self.state("first"))))
        #expect(machine.end().isEmpty)
        #expect(machine.succeed("a1").isEmpty)
        #expect(machine.next() == .call(.invalidate("a1")))
        guard case .invalidated? = machine.succeed().first else { throw BatonError(.failed, appMessage: "event") }
    }

    @Test("If the daemon restarts during a publication, the publication is ended and made again")
    func publicationAcrossRestart() throws {
        var machine = Self.machine()
        machine.becomeCurrent()
        #expect(machine.next() == .ask)
        machine.answered(Self.state("first"))
        #expect(machine.next() == .call(.publish(Self.state("first"))))
        guard case .detached? = machine.daemonLeft(Self.gone).first else {
            throw BatonError(.failed, appMessage: "event")
        }
        machine.daemonCame()
        #expect(machine.succeed("a1").isEmpty)
        #expect(machine.next() == .call(.invalidate("a1")))
        #expect(machine.fail(BatonError(.notFound, appMessage: "none")).isEmpty)
        #expect(machine.next() == .ask)
    }

    @Test("Without a daemon nothing is called until one comes or the activity becomes current again")
    func withoutADaemon() throws {
        for comes in [true, false] {
            var machine = try Self.current()
            guard case .detached? = machine.daemonLeft(Self.gone).first else {
                throw BatonError(.failed, appMessage: "event")
            }
            machine.change()
            #expect(machine.next() == nil)
            comes ? machine.daemonCame() : machine.becomeCurrent()
            #expect(machine.next() == .ask)
        }
    }

    @Test("An activity that is not to be published again fails when the daemon leaves")
    func fleeting() throws {
        var machine = try Self.current(reattaches: false)
        guard case .failed? = machine.daemonLeft(Self.gone).first else {
            throw BatonError(.failed, appMessage: "event")
        }
        #expect(machine.isIdle)
    }

    @Test("If a daemon did not answer, its copy of the activity is ended before the activity is published again")
    func unansweredCopyEnds() throws {
        var machine = try Self.current()
        machine.change()
        #expect(machine.next() == .call(.update("a1", .present)))
        guard case .detached? = machine.finished(.failure(Self.noReply), isDaemonThere: false).first else {
            throw BatonError(.failed, appMessage: "event")
        }
        #expect(machine.next() == nil)
        machine.daemonCame()
        #expect(machine.next() == .call(.invalidate("a1")))
    }

    @Test("An activity that the daemon does not know is published again after a pause")
    func unknownToTheDaemon() throws {
        var machine = try Self.current()
        machine.change()
        #expect(machine.next() == .call(.update("a1", .present)))
        guard case .detached? = machine.fail(BatonError(.notFound, appMessage: "none")).first else {
            throw BatonError(.failed, appMessage: "event")
        }
        #expect(machine.next() == .pause)
        #expect(machine.next() == nil)
        machine.pauseEnded()
        #expect(machine.next() == .ask)
    }

    @Test("An activity that becomes current again is updated and made current at the daemon")
    func currentAgain() throws {
        var machine = try Self.current()
        machine.becomeCurrent()
        #expect(machine.next() == .ask)
        machine.answered(Self.state("second"))
        #expect(machine.next() == .call(.update("a1", .saved(Self.state("second"), requests: 0))))
        #expect(machine.succeed().isEmpty)
        #expect(machine.next() == .call(.becomeCurrent("a1")))
    }
}

extension PublicationMachine {
    fileprivate mutating func next(hasSuccessor: Bool = false) -> Step? {
        next(mayChangePlace: true, hasSuccessor: hasSuccessor)
    }

    fileprivate mutating func succeed(_ identifier: String = "") -> [PublicationEvent] {
        finished(.success(identifier), isDaemonThere: true)
    }

    fileprivate mutating func fail(_ error: BatonError) -> [PublicationEvent] {
        finished(.failure(error), isDaemonThere: true)
    }
}
