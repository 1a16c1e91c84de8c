// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import BatonService

/// Tests ``OpenStreams`` alone, without channels.
struct OpenStreamsTests {
    private static let (app, other) = (ClientID(rawValue: ":1.1"), ClientID(rawValue: ":1.2"))

    /// Records the pairs that have ended.
    private final class Ends: Sendable {
        private let names = Mutex<[String]>([])
        var all: [String] { names.withLock(\.self) }
        func add(_ name: String) { names.withLock { $0.append(name) } }
    }

    private let device: DeviceID
    private let ends = Ends()
    private var subject = OpenStreams<String>()

    init() throws { device = try #require(DeviceID(bytes: [UInt8](repeating: 7, count: 32))) }

    private func handle(_ name: String) -> StreamEngine.Handle {
        let loop = EmbeddedEventLoop()
        let progress = loop.makeSucceededFuture(StreamProgress?.none)
        return StreamEngine.Handle(
            attached: loop.makeSucceededVoidFuture(), ended: loop.makeSucceededFuture(.complete),
            giveUp: { [ends] in ends.add("\(name) given up") }, expire: { [ends] in ends.add("\(name) expired") },
            stop: { [ends] in ends.add("\(name) stopped") }, attach: { _, _ in },
            relieve: { _ in }, reattach: { [ends] in ends.add("\(name) reattached \($0)") }, pathLost: { _ in },
            follow: { [ends] sink in
                ends.add("\(name) \(sink == nil ? "un" : "")followed")
                return progress
            })
    }

    /// Begins a pair. The pair waits for the app that was told of it at time zero, or belongs to
    /// the app here that opened it.
    private mutating func begin(_ name: String, waits: Bool = true, client: ClientID = Self.app) throws -> String {
        let free = subject.takePlace(with: device, for: .connection(client))
        let place = try #require(free)
        let pair = OpenStreams<String>.Pair(
            id: name, client: client, way: StreamWay(device: device, token: Array(name.utf8)), channel: name,
            handle: handle(name), place: place,
            waiting: waits ? (try #require(OwnedDescriptor.socketPair()?.0), since: .zero) : nil)
        subject.insert(pair)
        return pair.id
    }

    @Test("Only the app that was told of a pair can take it, once, and the time limit ends then")
    mutating func taken() throws {
        let id = try begin("a")
        #expect(throws: BatonError.self) { try subject.take(id, by: Self.other) }
        #expect(subject.deadline == .seconds(30))
        let channel = try subject.take(id, by: Self.app).channel
        #expect(channel == "a" && subject.deadline == nil)
        #expect(throws: BatonError.self) { try subject.take(id, by: Self.app) }
        subject.timePassed(at: .seconds(30))
        subject.giveUpUntaken(of: Self.app)
        #expect(ends.all.isEmpty)
    }

    @Test("A pair that is not taken within 30 s expires once, and can no longer be taken")
    mutating func expired() throws {
        let id = try begin("a")
        subject.timePassed(at: .milliseconds(29_999))
        #expect(ends.all.isEmpty)
        for seconds in [30, 31] { subject.timePassed(at: .seconds(seconds)) }
        #expect(ends.all == ["a expired"])
        #expect(throws: BatonError.self) { try subject.take(id, by: Self.app) }
        #expect(subject.count == 1)
    }

    @Test("When a program leaves, only the pairs that wait for it are abandoned")
    mutating func left() throws {
        _ = try [begin("a"), begin("b", waits: false), begin("c", client: Self.other)]
        subject.giveUpUntaken(of: Self.app)
        #expect(ends.all == ["a given up"])
    }

    @Test("A program can abandon only its own pairs")
    mutating func givenUp() throws {
        let id = try begin("a", waits: false)
        let isGivenUp = [subject.giveUp(id, of: Self.other), subject.giveUp(id, of: Self.app)]
        #expect(isGivenUp == [false, true])
        #expect(ends.all == ["a given up"])
        #expect(!subject.haveOrigin)
    }

    @Test("Each pair returns its place once, whether or not it begins")
    mutating func places() throws {
        let id = try begin("a")
        let free = subject.takePlace(with: device, for: .connection(Self.other))
        let place = try #require(free)
        #expect(subject.placeCount == 2 && subject.haveOrigin)
        subject.leave(place)
        let ended = [subject.ended(id)?.channel, subject.ended(id)?.channel]
        #expect(ended == ["a", nil])
        #expect(subject.placeCount == 0 && subject.count == 0 && subject.channels.isEmpty)
    }

    @Test("A token finds its device's pair even after the pair has ended, and the last 64 ended pairs are kept")
    mutating func attachedAgain() throws {
        let stranger = try #require(DeviceID(bytes: [UInt8](repeating: 8, count: 32)))
        let id = try begin("a")
        _ = try begin("own", waits: false)
        #expect(subject.opened(with: Array("a".utf8), by: device) != nil)
        #expect(subject.opened(with: Array("a".utf8), by: stranger) == nil)
        #expect(subject.opened(with: Array("own".utf8), by: device) == nil)
        _ = subject.ended(id)
        #expect(subject.opened(with: Array("a".utf8), by: device) != nil)
        for number in 1...OpenStreams<String>.maximumEnded {
            let next = try begin("\(number)")
            _ = subject.ended(next)
        }
        #expect(subject.opened(with: Array("a".utf8), by: device) == nil)
        #expect(subject.opened(with: Array("1".utf8), by: device) != nil)
    }

    @Test("When a program leaves, only the progress reports to it end")
    mutating func unfollowed() throws {
        _ = try begin("a")
        _ = try begin("b", client: Self.other)
        subject.unfollow(Self.app)
        #expect(ends.all == ["a unfollowed"])
    }

    @Test("While a pair is being opened, the last further Attach of its device waits for it")
    mutating func attachedMeanwhile() throws {
        let stranger = try #require(DeviceID(bytes: [UInt8](repeating: 8, count: 32)))
        let issued = subject.issueToken(to: device, of: device, for: [1], at: .zero)
        let token = try #require(issued)
        #expect(!subject.isOpening(token, by: device))
        _ = subject.redeem(token, by: device, of: device, at: .zero)
        #expect(subject.isOpening(token, by: device) && !subject.isOpening(token, by: stranger))
        #expect(subject.openingCount == 1)
        let attach = { Attach(token: token, generation: $0, nextOffset: 0, window: 1) }
        let replaced = [subject.postpone(attach(2), on: "b"), subject.postpone(attach(3), on: "c")]
        #expect(replaced == [nil, "b"])
        let later = subject.openingEnded(token)
        #expect(later?.attach.generation == 3 && later?.channel == "c")
        #expect(!subject.isOpening(token, by: device) && subject.openingCount == 0)
    }

    @Test("A token cannot be used while its device has no free place, but can be used later")
    mutating func full() throws {
        let issued = subject.issueToken(to: device, of: device, for: [1], at: .zero)
        let token = try #require(issued)
        var places: [Int?] = []
        for number in 0..<StreamLimits.maximumPerDevice {
            let program = ClientProgram.connection(ClientID(rawValue: ":1.\(number)"))
            places.append(subject.takePlace(with: device, for: program))
        }
        let first = try #require(places[0])
        let early = subject.redeem(token, by: device, of: device, at: .zero)
        #expect(early == nil)
        subject.leave(first)
        let redeemed = subject.redeem(token, by: device, of: device, at: .zero)
        #expect(redeemed == [1])
    }

    @Test("A Reattach with an unknown token, or for streams that the other device has opened, has no effect")
    mutating func unknownTokens() throws {
        let stranger = try #require(DeviceID(bytes: [UInt8](repeating: 8, count: 32)))
        _ = try begin("mine", waits: false)
        _ = try begin("theirs")
        for (token, device) in [("other", device), ("theirs", device), ("mine", stranger)] {
            subject.dialled(with: Array(token.utf8), to: device)?.reattach(1)
        }
        #expect(ends.all.isEmpty)
        subject.dialled(with: Array("mine".utf8), to: device)?.reattach(1)
        #expect(ends.all == ["mine reattached 1"])
    }
}
