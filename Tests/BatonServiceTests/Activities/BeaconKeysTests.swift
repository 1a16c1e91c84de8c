// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
import Testing

@testable import BatonService

/// Tests ``BeaconKeys`` alone.
struct BeaconKeysTests {
    private static let (first, second) = (CircleSecret(), CircleSecret())
    private var subject = BeaconKeys()

    private static func entry() throws -> ActivityRegistry.Entry {
        var registry = ActivityRegistry { (id: "a", instance: [1]) }
        return try registry.publish(
            ActivityState(activityType: "org.example.note"), team: "", needsSave: false, by: ClientID(rawValue: ":1.1"))
    }

    @Test("An activity is offered under the present secret's hash, and for a minute under the previous one's")
    mutating func hashes() throws {
        let entry = try Self.entry()
        _ = subject.adopt(Self.first, at: .zero)
        let former = try #require(subject.hash(of: entry)?.bytes)
        _ = subject.adopt(Self.second, at: .zero)
        let latter = try #require(subject.hash(of: entry)?.bytes)
        #expect(former != latter)
        #expect(subject.isOffered(entry, as: former, at: .seconds(59)))
        #expect(!subject.isOffered(entry, as: former, at: .seconds(60)))
        #expect(subject.isOffered(entry, as: latter, at: .seconds(60)))
    }

    @Test("Setting the same secret again has no effect, and without a circle no beacon opens and nothing is offered")
    mutating func adoption() throws {
        let changes = [Self.first, Self.first, nil, nil].map { subject.adopt($0, at: .zero) }
        #expect(changes == [true, false, true, false])
        #expect(try subject.hash(of: Self.entry()) == nil && subject.hasher == nil)
        var cipher = BeaconCipher(secret: Self.first)
        let beacon = Beacon(device: 7, activity: .none, flags: [], sequence: 1, psm: 0x80)
        let payload = cipher.seal(beacon, at: 1_800_000_000)
        let unopened = subject.open(payload, at: 1_800_000_000)
        #expect(unopened == nil)
        _ = subject.adopt(Self.first, at: .zero)
        let opened = subject.open(payload, at: 1_800_000_000)
        #expect(opened?.beacon == beacon)
    }
}
