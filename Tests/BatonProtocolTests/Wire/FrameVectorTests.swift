// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import Foundation
import Testing

@testable import BatonProtocol

/// Tests the frames that the foreign peer writes (Tests/Vectors/README.md).
struct FrameVectors: Decodable {
    struct Entry: Decodable {
        var name: String
        var bytes: Hex
        var code: String?
    }

    var frames: [Entry]
    var refused: [Entry]
    var passedOver: [Entry]
}

@Suite struct FrameVectorTests {
    static let instance = (0..<16).map { UInt8($0) }
    static let token = (0xF0...0xFF).map { UInt8($0) }
    static let hash: [UInt8] = [1, 2, 3, 4, 5]
    static let endpoint = EndpointRecord(transport: "tcp", address: "192.0.2.1", port: 40000)

    static func state() throws -> ActivityState {
        var state = ActivityState(activityType: "org.example.note", title: "A note")
        state.userInfo = [
            "array": .array([.int(1), .null]), "bool": .bool(true), "data": .data(Data([0, 255])),
            "date": .date(Date(timeIntervalSinceReferenceDate: 0.1)),
            "dictionary": .dictionary([.int(-1): "minus one"]),
            "double": .double(-0.0), "int": .int(.min), "null": .null, "set": .set(["a", "b"]), "uint": .uint(.max),
            "url": .url(try #require(URL(string: "b?c", relativeTo: URL(string: "http://a.example/")))),
            "uuid": .uuid(try #require(UUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0E0F"))),
        ]
        state.webpageURL = URL(string: "https://example.org/")
        state.referrerURL = URL(string: "http://example.org/from")
        state.expirationDate = Date(timeIntervalSinceReferenceDate: 800_000_000.5)
        state.requiredUserInfoKeys = ["int", "bool"]
        state.targetContentIdentifier = "target"
        state.persistentIdentifier = "persistent"
        state.supportsContinuationStreams = true
        return state
    }

    static let keeper = {
        var hello = Hello(name: "c", unixTime: 1, sequence: 2)
        hello.keepsLink = true
        return hello
    }()

    static func frames() throws -> [String: Frame] {
        [
            "hello": .hello(
                Hello(
                    name: "Ålborg", unixTime: 1_700_000_000, sequence: 7, activity: hash,
                    types: [ActivityTypeEntry(hash: hash, team: "team", type: "org.example.note")],
                    endpoints: [endpoint], circle: [UInt8]("circle".utf8))),
            "hello of an idle device": .hello(Hello(name: "b", unixTime: -1, sequence: 0)),
            "hello of a device that keeps the link": .hello(keeper),
            "offer": .offer(
                LinkOffer(sequence: 7, activity: hash, flags: [.hasWebpage, .supportsStreams], title: "A note")),
            "offer without a title": .offer(LinkOffer(sequence: 8, activity: hash)),
            "offer of nothing": .offer(LinkOffer(sequence: 9, activity: nil)),
            "reattach": .reattach(Reattach(token: token, generation: 4_294_967_294)),
            "continueRequest": .continueRequest(ContinueRequest(id: 300, activity: hash)),
            "continueReply": .continueReply(
                ContinueReply(
                    id: 300,
                    result: .success(ContinueGrant(instance: instance, activity: try EncodedActivity(state()))))),
            "continueReply of a grant that is named": .continueReply(
                ContinueReply(
                    id: 300,
                    result: .success(
                        ContinueGrant(
                            instance: instance, activity: try EncodedActivity(state()), origin: token,
                            id: hash + hash + hash + [0x21])))),
            "continueReply with a failure": .continueReply(
                ContinueReply(id: 300, result: .failure(HandoffError(.noSuchActivity, told: "gone")))),
            "continueReply with an unknown failure": .continueReply(
                ContinueReply(id: 0, result: .failure(HandoffError(.init(rawValue: 4000), told: "")))),
            "continued": .continued(Continued(id: 300, accepted: true)),
            "streamRequest": .streamRequest(StreamRequest(id: 301, instance: instance)),
            "streamReply": .streamReply(
                StreamReply(id: 301, result: .success(StreamGrant(token: token, endpoints: [endpoint])))),
            "streamReply with a failure": .streamReply(
                StreamReply(id: 301, result: .failure(HandoffError(.streamsUnsupported, told: "none")))),
            "goodbye": .goodbye(Goodbye(reason: .idle)),
            "join": .join([UInt8]("j".utf8)),
            "welcome": .welcome([UInt8]("w".utf8)),
            "joined": .joined([]),
            "attach": .attach(Attach(token: token, generation: 1, nextOffset: 0, window: 65_536)),
            "attached": .attached(Attached(nextOffset: 5, window: 65_531)),
            "data": .data(StreamData(offset: 1 << 40, bytes: [UInt8]("bytes".utf8)[...])),
            "data at the start": .data(StreamData(offset: 0, bytes: [UInt8](repeating: 0x78, count: 200)[...])),
            "ack": .ack(Ack(offset: 16_384, window: 65_536)),
            "ack of nothing": .ack(Ack(offset: 0, window: 0)),
            "end": .end(End(offset: 1 << 63)),
            "endAck": .endAck,
            "reset": .reset(Reset(reason: .unknownToken)),
            "acceptance": .acceptance(Acceptance(instance: instance)),
            "acceptance of a grant that is named": .acceptance(Acceptance(instance: instance, grant: token)),
            "probeRequest": .probeRequest(ProbeRequest(id: 302)),
            "probeReply": .probeReply(
                ProbeReply(
                    id: 302,
                    result: .success(
                        ProbeReport(
                            heard: ProbeReport.Heard(signal: -52),
                            ways: [
                                ProbeReport.Way(transport: "l2cap", outcome: .success(0)),
                                ProbeReport.Way(
                                    transport: "tcp",
                                    outcome: .failure(HandoffError(.connectionUnavailable, told: "nobody answers"))),
                            ])))),
            "probeReply of a device that is heard, how strongly is not known": .probeReply(
                ProbeReply(id: 0, result: .success(ProbeReport(heard: ProbeReport.Heard(signal: nil), ways: [])))),
            "probeReply of a device that is not heard, by one that is muted": .probeReply(
                ProbeReply(id: 0, result: .success(ProbeReport(heard: nil, ways: [], isMuted: true)))),
            "probeReply with a failure": .probeReply(
                ProbeReply(id: 302, result: .failure(HandoffError(.busy, told: "later")))),
            "trial": .trial,
        ]
    }

    @Test("Every vector is decoded and encoded as the documents say")
    func everyVectorIsAsDocumented() throws {
        let vectors = try vectors("frames.json", as: FrameVectors.self)
        let frames = try Self.frames()
        #expect(Set(vectors.frames.map(\.name)) == Set(frames.keys))
        for vector in vectors.frames {
            let frame = try #require(frames[vector.name])
            #expect(try FrameEncoder.encode(frame) == vector.bytes.bytes, "\(vector.name)")
            var decoder = FrameDecoder()
            decoder.append(vector.bytes.bytes)
            #expect(try decoder.next() == frame, "\(vector.name)")
            #expect(try decoder.next() == nil)
            #expect(decoder.isAtBoundary)
        }
    }

    @Test("Every bad vector is rejected for the reason that it states")
    func everyBadVectorIsRefused() throws {
        for vector in try vectors("frames.json", as: FrameVectors.self).refused {
            var decoder = FrameDecoder()
            decoder.append(vector.bytes.bytes)
            let error = #expect(throws: WireError.self, "\(vector.name)") { try decoder.next() }
            #expect(error?.code.description == vector.code, "\(vector.name)")
        }
    }

    @Test("Unknown kinds of messages are skipped")
    func unknownKindsArePassedOver() throws {
        let vectors = try vectors("frames.json", as: FrameVectors.self)
        #expect(!vectors.passedOver.isEmpty)
        for vector in vectors.passedOver {
            var decoder = FrameDecoder()
            decoder.append(vector.bytes.bytes + (try FrameEncoder.encode(.endAck)))
            #expect(try decoder.next() == .endAck)
        }
    }
}
