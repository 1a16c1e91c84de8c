// SPDX-License-Identifier: Apache-2.0

@testable import BatonProtocol
import ActivityModel
import Diagnosis
import Foundation

extension FuzzTarget {
    /// Frames of every kind.
    static let frames: [Frame] = {
        var activity = ActivityState(activityType: "org.example.letter")
        activity.title = "Letter"
        activity.userInfo = [
            "draft": "Dear Ada", "page": .int(3), "ratio": .double(-0.0),
            "list": .array([.int(1), .double(2.5), .bool(true), .null]),
            "when": .date(Date(timeIntervalSinceReferenceDate: 0.1)), "data": .data(Data([1, 2, 3])),
            "set": .set(["a", "b"]), "more": .dictionary([.int(-1): .uint(.max)]),
        ]
        activity.userInfo["id"] = UUID(uuidString: "00010203-0405-0607-0809-0a0b0c0d0e0f").map { .uuid($0) }
        activity.userInfo["url"] = URL(string: "b?c", relativeTo: URL(string: "http://a.example/")).map { .url($0) }
        activity.webpageURL = URL(string: "https://example.org/letter")
        activity.requiredUserInfoKeys = ["draft", "page"]
        activity.expirationDate = Date(timeIntervalSinceReferenceDate: 800_000_000.5)
        let endpoints = [EndpointRecord(transport: "tcp", address: "192.0.2.7", port: 4_711)]
        let hello = Hello(
            name: "own", unixTime: Fixture.moment, sequence: 5, activity: [1, 2, 3, 4, 5],
            types: [ActivityTypeEntry(hash: [1, 2, 3, 4, 5], team: "t", type: "org.example.letter")],
            endpoints: endpoints, circle: [1, 2, 3])
        var keeper = Hello(name: "own", unixTime: Fixture.moment, sequence: 5)
        keeper.keepsLink = true
        let (instance, token) = (Fixture.repeated(1, 16), Fixture.repeated(2, 16))
        guard let encoded = try? EncodedActivity(activity) else { preconditionFailure("the activity can be sent") }
        let grant = ContinueGrant(instance: instance, activity: encoded, origin: Fixture.repeated(3, 16))
        return [
            .hello(hello), .continueRequest(ContinueRequest(id: 1, activity: [1, 2, 3, 4, 5])),
            .continueReply(ContinueReply(id: 1, result: .success(grant))),
            .continueReply(ContinueReply(id: 2, result: .failure(HandoffError(.handoffFailed, .handoverFailed)))),
            .continued(Continued(id: 1, accepted: true)), .streamRequest(StreamRequest(id: 3, instance: instance)),
            .streamReply(
                StreamReply(id: 2, result: .success(StreamGrant(token: token, endpoints: endpoints)))),
            .goodbye(Goodbye(reason: .idle)), .join([4, 5, 6]), .welcome([1, 2, 3]), .joined([]),
            .attach(Attach(token: token, generation: 1, nextOffset: 0, window: 64)),
            .attached(Attached(nextOffset: 0, window: 64)), .data(StreamData(offset: 0, bytes: [1, 2, 3])),
            .ack(Ack(offset: 3, window: 64)), .end(End(offset: 3)), .endAck,
            .reset(Reset(reason: .protocolViolation)),
            .acceptance(Acceptance(instance: instance, grant: instance)), .hello(keeper),
            .offer(LinkOffer(sequence: 5, activity: [1, 2, 3, 4, 5], flags: [.hasWebpage], title: "Letter")),
            .reattach(Reattach(token: Fixture.repeated(2, 16), generation: 1)),
        ]
    }()

    /// Frames inside TLS, cut into any pieces, from a malicious member.
    static let frame = FuzzTarget("frame", maximumLength: 16_384) {
        let encoded = try frames.map { try FrameEncoder.encode($0) }
        return encoded.map { FuzzInput.pieces([$0]) } + [FuzzInput.pieces(encoded)]
    } body: { input in
        var rest = FuzzInput(input)
        let pieces = rest.pieces()
        let cut = try decode(pieces)
        try FuzzFinding.unless("frames are the same in any pieces") { try decode([pieces.flatMap(\.self)]) == cut }
    }

    /// Decodes pieces. Returns the encoding of every frame, and a final `nil` if the channel must
    /// close.
    private static func decode(_ pieces: [[UInt8]]) throws -> [[UInt8]?] {
        var decoder = FrameDecoder()
        var read: [[UInt8]?] = []
        for piece in pieces {
            decoder.append(piece)
            while true {
                let frame: Frame
                do {
                    guard let next = try decoder.next() else { break }
                    frame = next
                } catch {
                    return read + [nil]
                }
                guard let encoded = try? FrameEncoder.encode(frame) else {
                    throw FuzzFinding(rule: "what may be received may be sent")
                }
                var again = FrameDecoder()
                again.append(encoded)
                // A NaN is not equal to itself, so the bytes are compared.
                try FuzzFinding.unless("a frame that was read is written as it was") {
                    try again.next().map { try FrameEncoder.encode($0) } == encoded
                }
                read.append(encoded)
            }
        }
        return read
    }
}
