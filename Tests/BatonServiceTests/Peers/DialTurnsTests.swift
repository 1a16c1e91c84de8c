// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BatonService

/// Tests ``DialTurns`` alone.
struct DialTurnsTests {
    private var subject = DialTurns()

    @Test("A device is dialled for the circle once in ten minutes, and again after a change")
    mutating func syncs() {
        let begun = [0, 599, 600].map { subject.takeSync(at: .seconds($0)) }
        #expect(begun == [true, false, true])
        subject.forgetSyncs()
        let again = subject.takeSync(at: .seconds(601))
        #expect(again)
    }

    @Test("A hail is answered once in ten minutes, despite earlier tries, and again when the circle has changed")
    mutating func hails() {
        _ = subject.takeSync(at: .zero)
        let heeded = [0, 599, 600].map { subject.takeHail(at: .seconds($0)) }
        #expect(heeded == [true, false, true])
        subject.forgetSyncs()
        let again = subject.takeHail(at: .seconds(601))
        #expect(again)
    }

    @Test("A dial that found no free file descriptor is repeated after half a minute")
    mutating func withoutDescriptors() {
        let (hailed, synced) = (subject.takeHail(at: .zero), subject.takeSync(at: .zero))
        subject.wasNotDialled(at: .seconds(1))
        let hails = [30, 31, 32].map { subject.takeHail(at: .seconds($0)) }
        let syncs = [30, 31, 32].map { subject.takeSync(at: .seconds($0)) }
        #expect(hailed && synced)
        #expect(hails == [false, true, false])
        #expect(syncs == [false, true, false])
    }

    @Test("A lost device may be dialled again after 0, 1, 2, 4 … 60 s, eight times in ten minutes")
    mutating func losses() {
        let pauses: [Duration] = [0, 1, 2, 4, 8, 16, 32, 60].map { .seconds($0) }
        var mayBeDialled: [[Bool]] = []
        for pause in pauses {
            _ = (subject.takeSync(at: .seconds(1)), subject.takeHail(at: .seconds(1)))
            let due = subject.lost(at: .seconds(2))
            #expect(due == .seconds(2) + pause)
            var later = subject
            let early = later.takeSync(at: .seconds(2) + pause - .milliseconds(1))
            let dials = [later.takeSync(at: .seconds(2) + pause), later.takeHail(at: .seconds(2) + pause)]
            mayBeDialled.append([early] + dials)
            subject.forgetSyncs()
        }
        #expect(mayBeDialled == .init(repeating: [false, true, true], count: pauses.count))
        #expect(subject.lost(at: .seconds(601)) == nil)
        #expect(subject.lost(at: .seconds(602)) == .seconds(602))
    }

    @Test("A device that seems near is dialled again only after a pause, unless a dial has reached it")
    mutating func nearDials() {
        let dials = [0, 0].map { subject.takeNear(at: .seconds($0)) }
        #expect(dials == [true, false])
        subject.nearSucceeded()
        let again = subject.takeNear(at: .zero)
        subject.forget()
        let anew = subject.takeNear(at: .zero)
        #expect(again && anew)
    }
}
