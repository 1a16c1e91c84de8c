// SPDX-License-Identifier: Apache-2.0

import BatonBus
import DesktopEntries
import Diagnosis
import Testing

@testable import BatonDesktop

/// Tests the table of running hand-overs, in which each offer appears once and whose size is
/// limited.
@Suite struct OpeningsTests {
    private var subject = Openings()

    private func endless() -> Task<OpenedOffer, any Error> {
        Task {
            try await Task.sleep(for: .seconds(86_400))
            return .webpage("")
        }
    }

    @Test("No offer is handed over twice, at most eight are handed over at once, and an ended hand-over makes room")
    mutating func room() throws {
        for number in 0..<Openings.maximum {
            try subject.checkRoom(for: "\(number)")
            subject.begin("\(number)", endless())
        }
        let (twice, tooMany) = (
            #expect(throws: BatonError.self) { try subject.checkRoom(for: "0") },
            #expect(throws: BatonError.self) { try subject.checkRoom(for: "new") }
        )
        #expect(twice?.reason?.failure == .alreadyContinuing && tooMany?.reason?.failure == .tooManyContinuing)
        subject.cancel("3")
        subject.cancel("nothing")
        #expect(subject["3"]?.isCancelled == true && subject["4"]?.isCancelled == false)
        subject.ended("3")
        try subject.checkRoom(for: "new")
        subject.cancelAll()
        #expect((0..<Openings.maximum).allSatisfy { subject["\($0)"]?.isCancelled ?? true })
        for number in 0..<Openings.maximum { subject.ended("\(number)") }
        #expect(subject.count == 0)
    }

    @Test("An app is an offer's receiver from its choice until the end, and unknown offers have none")
    mutating func receivers() throws {
        let app = try #require(
            DesktopEntry(identifier: "org.example.Notes", text: "[Desktop Entry]\nType=Application\nName=Notes"))
        let receiver = Openings.Receiver(app: app, type: "t", team: "")
        subject.chose(receiver, for: "1")
        #expect(subject.receiver(of: "1") == nil && subject.receivers.isEmpty)
        subject.begin("1", endless())
        #expect(subject.receiver(of: "1") == nil)
        subject.chose(receiver, for: "1")
        subject.begin("2", endless(), to: receiver)
        #expect(Set(subject.receivers.map(\.id)) == ["1", "2"])
        subject.cancelAll()
        subject.ended("1")
        #expect(subject.receiver(of: "1") == nil && subject["1"] == nil)
    }
}
