// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import Diagnosis
import Foundation
import Testing

@testable import BatonProtocol

/// Tests each limit in Session.md. Values within a limit are encoded and decoded, and values beyond
/// it are not.
@Suite struct FrameLimitTests {
    private func expectLimit(_ within: Frame, _ beyond: Frame, _ name: Comment) throws {
        var decoder = FrameDecoder()
        decoder.append(try FrameEncoder.encode(within))
        #expect(try decoder.next() == within, name)
        #expect(throws: WireError.self, name) { try FrameEncoder.encode(beyond) }
    }

    private func hello(_ change: (inout Hello) -> Void) -> Frame {
        var hello = Hello(name: "a", unixTime: 0, sequence: 0)
        change(&hello)
        return .hello(hello)
    }

    private func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    @Test("Each limit of a probe's report is enforced in encoding and decoding")
    func limitsOfProbes() throws {
        func reply(_ heard: ProbeReport.Heard? = nil, _ ways: [ProbeReport.Way] = []) -> Frame {
            .probeReply(ProbeReply(id: 1, result: .success(ProbeReport(heard: heard, ways: ways))))
        }
        func way(_ transport: String, _ time: UInt32 = 1) -> ProbeReport.Way {
            ProbeReport.Way(transport: transport, outcome: .success(time))
        }
        try expectLimit(reply(.init(signal: 127)), reply(.init(signal: 128)), "strong")
        try expectLimit(reply(.init(signal: -128)), reply(.init(signal: -129)), "weak")
        let ways = Array(repeating: way("t"), count: 9)
        try expectLimit(reply(nil, Array(ways.dropLast())), reply(nil, ways), "ways")
        try expectLimit(reply(nil, [way(text(32))]), reply(nil, [way(text(33))]), "transport")
        try expectLimit(reply(nil, [way("t")]), reply(nil, [way("")]), "no transport")
        try expectLimit(reply(nil, [way("t")]), reply(nil, [way("t\u{1B}[2J")]), "what cannot be seen")
        try expectLimit(reply(nil, [way("t", 3_600_000)]), reply(nil, [way("t", 3_600_001)]), "time")
    }

    @Test("Each limit of an offer is enforced in encoding and decoding")
    func limitsOfOffers() throws {
        func offer(_ activity: [UInt8]?, _ title: String?) -> Frame {
            .offer(LinkOffer(sequence: .max, activity: activity, title: title))
        }
        let hash: [UInt8] = [1, 2, 3, 4, 5]
        try expectLimit(offer(hash, nil), offer(Array(hash.dropLast()), nil), "activity")
        try expectLimit(offer(nil, nil), offer([], nil), "no activity")
        try expectLimit(offer(hash, text(1_024)), offer(hash, text(1_025)), "title")
        try expectLimit(offer(hash, text(1)), offer(hash, ""), "empty title")
        let marks = String(repeating: "\u{301}", count: 65)
        try expectLimit(offer(hash, "a" + marks.dropLast()), offer(hash, "a" + marks), "combining marks")
    }

    @Test("Each limit of a Reattach is enforced in encoding and decoding")
    func limitsOfReattach() throws {
        func reattach(_ length: Int, _ generation: UInt32) -> Frame {
            .reattach(Reattach(token: [UInt8](repeating: 1, count: length), generation: generation))
        }
        for length in [0, 15, 17] { try expectLimit(reattach(16, .max), reattach(length, 1), "token") }
        try expectLimit(reattach(16, 1), reattach(16, 0), "generation")
    }

    @Test("Each limit of a hello is enforced in encoding and decoding")
    func limitsOfHello() throws {
        let entry = ActivityTypeEntry(hash: [1, 2, 3, 4, 5], team: "", type: "t")
        let endpoint = EndpointRecord(transport: "tcp", address: "a", port: 1)
        try expectLimit(hello { $0.name = text(63) }, hello { $0.name = text(64) }, "name")
        try expectLimit(hello { _ in }, hello { $0.name = "" }, "no name")
        try expectLimit(hello { $0.name = "ü ö" }, hello { $0.name = "a\u{1B}[2J" }, "control characters")
        try expectLimit(hello { $0.name = "👩\u{200D}💻" }, hello { $0.name = "a\u{200D}" }, "joiners")
        try expectLimit(hello { $0.protocolVersion = .max }, hello { $0.protocolVersion = 0 }, "version")
        try expectLimit(hello { $0.activity = [0, 0, 0, 0, 0] }, hello { $0.activity = [] }, "activity")
        try expectLimit(
            hello { $0.types = Array(repeating: entry, count: 256) },
            hello { $0.types = Array(repeating: entry, count: 257) }, "types")
        for hidden in ["\u{1B}[2J", "\n", "\u{9B}31m", "\u{202E}", "\u{2028}", "\u{7F}", "\0"] {
            try expectLimit(
                hello { $0.types = [ActivityTypeEntry(hash: entry.hash, team: "a b", type: "ü ö")] },
                hello { $0.types = [ActivityTypeEntry(hash: entry.hash, team: "", type: "t" + hidden)] },
                "what cannot be seen in a type")
            try expectLimit(
                hello { _ in }, hello { $0.types = [ActivityTypeEntry(hash: entry.hash, team: hidden, type: "t")] },
                "what cannot be seen in a team")
        }
        try expectLimit(
            hello { $0.types = [ActivityTypeEntry(hash: entry.hash, team: text(255), type: text(255))] },
            hello { $0.types = [ActivityTypeEntry(hash: entry.hash, team: text(256), type: "t")] }, "team")
        try expectLimit(
            hello { $0.types = [entry] },
            hello { $0.types = [ActivityTypeEntry(hash: entry.hash, team: "", type: "")] }, "type")
        try expectLimit(
            hello { $0.types = [entry] },
            hello { $0.types = [ActivityTypeEntry(hash: [1], team: "", type: "t")] }, "hash")
        try expectLimit(
            hello { $0.endpoints = Array(repeating: endpoint, count: 16) },
            hello { $0.endpoints = Array(repeating: endpoint, count: 17) }, "endpoints")
        try expectLimit(
            hello { $0.endpoints = [EndpointRecord(transport: text(32), address: text(128), port: .max)] },
            hello { $0.endpoints = [EndpointRecord(transport: "tcp", address: text(129), port: 1)] }, "address")
        try expectLimit(
            hello { $0.circle = [UInt8](repeating: 1, count: 902_144) },
            hello { $0.circle = [UInt8](repeating: 1, count: 902_145) }, "circle")
    }

    @Test("An address in a hello or a grant cannot name an interface of this device")
    func toldAddressesNameNoInterface() throws {
        func told(_ transport: String, _ address: String) -> [EndpointRecord] {
            [EndpointRecord(transport: transport, address: address, port: 1)]
        }
        for address in ["fe80::1%eth0", "fe80::1%2", "fe80::1%", "%", "192.0.2.1%lo"] {
            try expectLimit(
                hello { $0.endpoints = told("tcp", "fe80::1") }, hello { $0.endpoints = told("tcp", address) },
                "address")
            #expect(throws: WireError.self) {
                try StreamGrant(token: [UInt8](repeating: 1, count: 16), endpoints: told("tcp", address)).check()
            }
        }
        // For an unknown transport, the meaning of the address is unknown too.
        _ = try FrameEncoder.encode(hello { $0.endpoints = told("quic", "fe80::1%eth0") })
    }

    @Test("The largest hello fits into a frame")
    func theLargestHelloFitsAFrame() throws {
        let largest = hello {
            $0.name = text(63)
            $0.types = Array(
                repeating: ActivityTypeEntry(hash: [1, 2, 3, 4, 5], team: text(255), type: text(255)), count: 256)
            $0.endpoints = Array(
                repeating: EndpointRecord(transport: text(32), address: text(128), port: .max), count: 16)
            $0.circle = [UInt8](repeating: 1, count: Hello.maximumCircleLength)
        }
        #expect(try FrameEncoder.encode(largest).count <= Frame.maximumLength + 4)
    }

    @Test("Identifiers, tokens and generations are accepted up to their limits, and refused beyond")
    func limitsOfIdentifiers() throws {
        let sixteen = [UInt8](repeating: 1, count: 16)
        try expectLimit(
            .continueRequest(ContinueRequest(id: .max, activity: [1, 2, 3, 4, 5])),
            .continueRequest(ContinueRequest(id: 1, activity: [1, 2, 3, 4, 5, 6])), "activity")
        try expectLimit(
            .streamRequest(StreamRequest(id: 1, instance: sixteen)),
            .streamRequest(StreamRequest(id: 1, instance: sixteen + [1])), "instance")
        try expectLimit(
            .attach(Attach(token: sixteen, generation: .max, nextOffset: .max, window: .max)),
            .attach(Attach(token: [], generation: 1, nextOffset: 0, window: 0)), "token")
        try expectLimit(
            .attach(Attach(token: sixteen, generation: 1, nextOffset: 0, window: 0)),
            .attach(Attach(token: sixteen, generation: 0, nextOffset: 0, window: 0)), "generation")
    }

    @Test("An activity may have no origin, and an origin must have 16 bytes")
    func originOfAnActivity() throws {
        let activity = try EncodedActivity(ActivityState(activityType: "t"))
        func reply(_ origin: [UInt8]?) -> Frame {
            let grant = ContinueGrant(
                instance: [UInt8](repeating: 1, count: 16), activity: activity, origin: origin)
            return .continueReply(ContinueReply(id: 1, result: .success(grant)))
        }
        let sixteen = [UInt8](repeating: 2, count: 16)
        try expectLimit(reply(nil), reply([2]), "origin")
        try expectLimit(reply(sixteen), reply(sixteen + [2]), "origin")
    }

    @Test("Each limit of an activity is enforced in encoding and decoding")
    func limitsOfAnActivity() throws {
        func state(_ change: (inout ActivityState) -> Void) -> ActivityState {
            var state = ActivityState(activityType: "t")
            change(&state)
            return state
        }
        func expectLimit(_ within: ActivityState, _ beyond: ActivityState, _ name: Comment) throws {
            let grant = ContinueGrant(
                instance: [UInt8](repeating: 1, count: 16), activity: try EncodedActivity(within))
            let reply = Frame.continueReply(ContinueReply(id: 1, result: .success(grant)))
            var decoder = FrameDecoder()
            decoder.append(try FrameEncoder.encode(reply))
            #expect(try decoder.next() == reply, name)
            #expect(throws: WireError.self, name) { try EncodedActivity(beyond) }
        }
        func web(_ count: Int) -> URL? { URL(string: "https://a/" + text(count - 10)) }
        try expectLimit(state { $0.activityType = text(255) }, state { $0.activityType = text(256) }, "type")
        try expectLimit(state { _ in }, state { $0.activityType = "" }, "no type")
        try expectLimit(state { $0.title = text(1_024) }, state { $0.title = text(1_025) }, "title")
        try expectLimit(
            state { $0.targetContentIdentifier = text(4_096) }, state { $0.targetContentIdentifier = text(4_097) },
            "target")
        try expectLimit(
            state { $0.persistentIdentifier = text(4_096) }, state { $0.persistentIdentifier = text(4_097) },
            "persistent")
        try expectLimit(state { $0.webpageURL = web(8_192) }, state { $0.webpageURL = web(8_193) }, "web page")
        try expectLimit(
            state { $0.webpageURL = URL(string: "HTTP://a") }, state { $0.webpageURL = URL(string: "file:///etc") },
            "scheme")
        try expectLimit(
            state { $0.referrerURL = web(8_192) }, state { $0.referrerURL = URL(string: "javascript:1") }, "referrer")
        try expectLimit(
            state { $0.requiredUserInfoKeys = Set((0..<256).map(String.init)) },
            state { $0.requiredUserInfoKeys = Set((0..<257).map(String.init)) }, "required keys")
        try expectLimit(
            state { $0.requiredUserInfoKeys = [text(1_024)] }, state { $0.requiredUserInfoKeys = [text(1_025)] },
            "required key")
    }

    @Test("A failure's message is cut and cleaned, but not rejected")
    func failureMessagesAreCut() throws {
        let message = "line\nline\u{1B}" + String(repeating: "ü", count: 400)
        var decoder = FrameDecoder()
        let error = HandoffError(.handoffFailed, told: message)
        decoder.append(try FrameEncoder.encode(.continueReply(ContinueReply(id: 1, result: .failure(error)))))
        guard case .continueReply(let reply) = try decoder.next(), case .failure(let received) = reply.result else {
            Issue.record("no reply")
            return
        }
        #expect(received.message.hasPrefix("line line ü"))
        #expect((500...512).contains(received.message.utf8.count))
    }

    @Test("This device words another device's failure by its code, and writes the other device's text to the log")
    func failuresAreWordedHere() throws {
        var decoder = FrameDecoder()
        let sent = HandoffError(.busy, .tooManyRequests, cause: "stays here")
        decoder.append(try FrameEncoder.encode(.continueReply(ContinueReply(id: 1, result: .failure(sent)))))
        guard case .continueReply(let reply) = try decoder.next(), case .failure(let received) = reply.result else {
            Issue.record("no reply")
            return
        }
        #expect(received.reason == Reason(.laptopBusy))
        #expect(received.told == FailureCode.tooManyRequests.meaning && received.cause == nil)
    }

    @Test("A failure's unknown code is kept")
    func unknownCodesAreKept() {
        #expect(HandoffError.Code(rawValue: 0) == .handoffFailed)
        #expect(HandoffError.Code(rawValue: 999).rawValue == 999)
    }
}
