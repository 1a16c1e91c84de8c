// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Testing

@testable import BatonService

/// Tests ``OwedAcceptances``, ``UnreportedContinuations`` and ``EarlyAcceptances`` alone.
struct OwedAcceptancesTests {
    private let device = DeviceID(bytes: [UInt8](repeating: 7, count: 32))
    private let other = DeviceID(bytes: [UInt8](repeating: 8, count: 32))

    @Test("A device that is owed an acceptance is dialled every two seconds, and gets the acceptance once")
    func paced() throws {
        let (device, other) = (try #require(device), try #require(other))
        var subject = OwedAcceptances()
        let begins = { (device: DeviceID, seconds: Int) in subject.beginDial(to: device, at: .seconds(seconds)) }
        #expect(!begins(device, 0))
        subject.insert(Acceptance(instance: [1]), to: device, at: .zero)
        let dials = [begins(device, 0), begins(device, 1), begins(device, 2), begins(other, 2)]
        #expect(dials == [true, false, true, false])
        let told = [subject.take(for: device, at: .seconds(3)), subject.take(for: device, at: .seconds(3))]
        #expect(told.map { $0.map(\.acceptance) } == [[Acceptance(instance: [1])], []])
        #expect(subject.count == 0)
    }

    @Test(
        "A device that is heard too soon after a dial is dialled at the end of the two seconds, although nobody hears it"
    )
    func heardTooSoon() throws {
        let device = try #require(device)
        var subject = OwedAcceptances()
        subject.insert(Acceptance(instance: [1]), to: device, at: .zero)
        let dials = [0, 500, 1_500].map { subject.beginDial(to: device, at: .milliseconds($0)) }
        #expect(dials == [true, false, false] && subject.deadline == .seconds(2))
        let due = subject.takeRedials(at: .seconds(2))
        let isDialled = subject.beginDial(to: device, at: .seconds(2))
        #expect(due == [device] && isDialled && subject.deadline == .seconds(120))
        // A device that is owed nothing is not dialled again.
        _ = subject.beginDial(to: device, at: .seconds(3))
        _ = subject.take(for: device, at: .seconds(3))
        #expect(subject.deadline == nil)
    }

    @Test("An acceptance that could not be sent stays owed for its two minutes, and its device is not dialled sooner")
    func putBack() throws {
        let device = try #require(device)
        var subject = OwedAcceptances()
        subject.insert(Acceptance(instance: [1]), to: device, at: .zero)
        let isDialled = subject.beginDial(to: device, at: .seconds(9))
        for entry in subject.take(for: device, at: .seconds(10)) { subject.putBack(entry, at: .seconds(10)) }
        let isDialledAgain = subject.beginDial(to: device, at: .seconds(10))
        #expect(isDialled && !isDialledAgain)
        #expect(subject.count == 1)
        _ = subject.takeRedials(at: .seconds(12))
        #expect(subject.deadline == .seconds(120))
    }

    @Test(
        "A device that an acceptance did not reach is dialled once more after two seconds, unless the acceptance has arrived"
    )
    func dialledAgain() throws {
        let (device, other) = (try #require(device), try #require(other))
        var subject = OwedAcceptances()
        for device in [device, other] {
            subject.insert(Acceptance(instance: [1]), to: device, at: .zero)
            for entry in subject.take(for: device, at: .seconds(1)) { subject.putBack(entry, at: .seconds(1)) }
        }
        #expect(subject.deadline == .seconds(3))
        let early = subject.takeRedials(at: .milliseconds(2_999))
        let told = subject.take(for: other, at: .seconds(2))
        let due = subject.takeRedials(at: .seconds(3))
        #expect(early == [] && told.count == 1 && due == [device])
        let isDialled = subject.beginDial(to: device, at: .seconds(3))
        let again = subject.takeRedials(at: .seconds(60))
        #expect(isDialled && again == [] && subject.deadline == .seconds(120))
        // After two minutes no acceptance is sent any more.
        for entry in subject.take(for: device, at: .seconds(119)) { subject.putBack(entry, at: .seconds(119)) }
        let late = subject.takeRedials(at: .seconds(121))
        #expect(late == [] && subject.deadline == nil)
    }

    @Test("An owed acceptance is dropped and forgotten after two minutes")
    func expired() throws {
        let device = try #require(device)
        var subject = OwedAcceptances()
        subject.insert(Acceptance(instance: [1]), to: device, at: .zero)
        let isDialled = subject.beginDial(to: device, at: .seconds(120))
        #expect(!isDialled && subject.count == 0)
    }

    @Test("The newest 16 early acceptances count for two minutes, each once")
    func early() {
        var subject = EarlyAcceptances()
        let acceptances = (0..<20).map { Acceptance(instance: [UInt8($0)]) }
        for acceptance in acceptances { for _ in 0..<2 { subject.insert(acceptance, at: .zero) } }
        #expect(subject.count == 16)
        let counted = acceptances.filter { subject.remove($0, at: .seconds(119)) }
        #expect(counted == Array(acceptances.suffix(16)))
        let again = acceptances.filter { subject.remove($0, at: .seconds(119)) }
        #expect(again.isEmpty)
        subject.insert(acceptances[0], at: .zero)
        let isLate = !subject.remove(acceptances[0], at: .seconds(120))
        #expect(isLate)
        // Acceptances that come too late are not kept.
        for (index, acceptance) in acceptances.enumerated() { subject.insert(acceptance, at: .seconds(200 * index)) }
        #expect(subject.count == 1)
    }

    @Test("Each side remembers only the newest 64 acceptances")
    func bounded() throws {
        let device = try #require(device)
        var (owed, unreported) = (OwedAcceptances(), UnreportedContinuations())
        for number in 0..<100 {
            let acceptance = Acceptance(instance: [UInt8(number)])
            owed.insert(acceptance, to: device, at: .zero)
            unreported.insert(.init(device: device, acceptance: acceptance), at: .zero)
        }
        let told = owed.take(for: device, at: .zero)
        #expect(told.map(\.acceptance.instance) == (36..<100).map { [UInt8($0)] })
        let due = unreported.due(at: UnreportedContinuations.grace).map(\.acceptance.instance)
        #expect(due == (36..<100).map { [UInt8($0)] })
        // Each missing acceptance is reported once, and forgotten after two minutes.
        let again = unreported.due(at: .seconds(119))
        #expect(again.isEmpty && unreported.count == 64)
        let late = unreported.due(at: .seconds(120))
        #expect(late.isEmpty && unreported.count == 0)
    }
}
