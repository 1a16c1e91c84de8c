// SPDX-License-Identifier: Apache-2.0

import Diagnosis
import FoundationEssentials
import SwiftProtobuf

extension Frame {
    /// Decodes a frame's body; returns `nil` for a kind of message that this version does not know.
    init?(body: [UInt8]) throws(WireError) {
        if let data = StreamData(body: body) {
            self = .data(data)
            return
        }
        let parsed: WireFrame
        do {
            parsed = try WireFrame(serializedBytes: body)
        } catch {
            throw WireError(.unparsable, "\(error)")
        }
        guard let message = parsed.message else { return nil }
        self = try Frame(message)
    }

    private init(_ message: WireFrame.OneOf_Message) throws(WireError) {
        switch message {
        case .hello(let value): self = .hello(try value.checked())
        case .continueRequest(let value):
            let request = ContinueRequest(id: value.id, activity: [UInt8](value.activity))
            try request.check()
            self = .continueRequest(request)
        case .continueReply(let value): self = .continueReply(try value.checked())
        case .continued(let value): self = .continued(Continued(id: value.id, accepted: value.accepted))
        case .streamRequest(let value):
            let request = StreamRequest(id: value.id, instance: [UInt8](value.instance))
            try request.check()
            self = .streamRequest(request)
        case .streamReply(let value): self = .streamReply(try value.checked())
        case .goodbye(let value): self = .goodbye(Goodbye(reason: .init(rawValue: value.reason)))
        case .join(let bytes): self = .join([UInt8](bytes))
        case .welcome(let bytes): self = .welcome([UInt8](bytes))
        case .joined(let bytes): self = .joined([UInt8](bytes))
        case .attach(let value):
            let attach = Attach(
                token: [UInt8](value.token), generation: value.generation, nextOffset: value.nextOffset,
                window: value.window)
            try attach.check()
            self = .attach(attach)
        case .attached(let value): self = .attached(Attached(nextOffset: value.nextOffset, window: value.window))
        case .data(let value):
            let data = StreamData(offset: value.offset, bytes: [UInt8](value.bytes)[...])
            try data.check()
            self = .data(data)
        case .ack(let value): self = .ack(Ack(offset: value.offset, window: value.window))
        case .end(let value): self = .end(End(offset: value.offset))
        case .endAck: self = .endAck
        case .reset(let value): self = .reset(Reset(reason: .init(rawValue: value.reason)))
        case .acceptance(let value):
            let acceptance = Acceptance(
                instance: [UInt8](value.instance), grant: value.grant.isEmpty ? nil : [UInt8](value.grant))
            try acceptance.check()
            self = .acceptance(acceptance)
        case .probeRequest(let value): self = .probeRequest(ProbeRequest(id: value.id))
        case .probeReply(let value): self = .probeReply(try value.checked())
        case .trial: self = .trial
        case .offer(let value): self = .offer(try value.checked())
        case .reattach(let value):
            let reattach = Reattach(token: [UInt8](value.token), generation: value.generation)
            try reattach.check()
            self = .reattach(reattach)
        }
    }
}

extension StreamData {
    /// Decodes the usual form of a Data message without two of the copies that the library would
    /// make.
    ///
    /// Returns nil for any other body, valid or not, which the library then decodes.
    fileprivate init?(body: [UInt8]) {
        var rest = body[...]
        guard rest.popFirst() == DataField.frame, let count = rest.popVarint(), count == UInt64(rest.count) else {
            return nil
        }
        var offset: UInt64 = 0
        if rest.first == DataField.offset {
            rest.removeFirst()
            guard let value = rest.popVarint() else { return nil }
            offset = value
        }
        guard rest.popFirst() == DataField.bytes, let length = rest.popVarint(), length == UInt64(rest.count),
            (1...Self.maximumLength).contains(rest.count)
        else { return nil }
        self.init(offset: offset, bytes: rest)
    }
}

extension ArraySlice<UInt8> {
    fileprivate mutating func popVarint() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: 0, to: 63, by: 7) {
            guard let byte = popFirst() else { return nil }
            value |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte < 0x80 { return value }
        }
        // Only the lowest bit of the tenth byte fits into 64 bits.
        guard let last = popFirst(), last <= 1 else { return nil }
        return value | UInt64(last) << 63
    }
}

extension WireHello {
    fileprivate func checked() throws(WireError) -> Hello {
        var hello = Hello(
            protocolVersion: protocolVersion, name: name, unixTime: unixTime, sequence: sequence,
            activity: activity.isEmpty ? nil : [UInt8](activity), circle: [UInt8](circle))
        hello.types = types.map {
            ActivityTypeEntry(hash: [UInt8]($0.hash), team: $0.team, type: $0.type)
        }
        hello.endpoints = try endpoints.checked()
        hello.keepsLink = keepsLink
        try hello.check()
        return hello
    }
}

extension WireOffer {
    fileprivate func checked() throws(WireError) -> LinkOffer {
        guard let flags = UInt8(exactly: flags) else { throw WireError(.invalidField, "flags of \(flags)") }
        let offer = LinkOffer(
            sequence: sequence, activity: activity.isEmpty ? nil : [UInt8](activity),
            flags: BeaconFlags(rawValue: flags), title: title.isEmpty ? nil : title)
        try offer.check()
        return offer
    }
}

extension [WireEndpoint] {
    fileprivate func checked() throws(WireError) -> [EndpointRecord] {
        var records: [EndpointRecord] = []
        for endpoint in self {
            guard let port = UInt16(exactly: endpoint.port) else {
                throw WireError(.invalidField, "a port above 65535")
            }
            records.append(EndpointRecord(transport: endpoint.transport, address: endpoint.address, port: port))
        }
        return records
    }
}

extension WireContinueReply {
    fileprivate func checked() throws(WireError) -> ContinueReply {
        switch result {
        case .grant(let value):
            let grant = ContinueGrant(
                instance: [UInt8](value.instance), activity: try EncodedActivity(received: value.state),
                origin: value.origin.isEmpty ? nil : [UInt8](value.origin),
                id: value.id.isEmpty ? nil : [UInt8](value.id))
            try grant.check()
            return ContinueReply(id: id, result: .success(grant))
        case .failure(let value): return ContinueReply(id: id, result: .failure(try value.checked()))
        case nil: throw WireError(.invalidField, "a reply without a result")
        }
    }
}

extension WireStreamReply {
    fileprivate func checked() throws(WireError) -> StreamReply {
        switch result {
        case .grant(let value):
            let grant = StreamGrant(token: [UInt8](value.token), endpoints: try value.endpoints.checked())
            try grant.check()
            return StreamReply(id: id, result: .success(grant))
        case .failure(let value): return StreamReply(id: id, result: .failure(try value.checked()))
        case nil: throw WireError(.invalidField, "a reply without a result")
        }
    }
}

extension WireProbeReply {
    fileprivate func checked() throws(WireError) -> ProbeReply {
        switch result {
        case .report(let value): return ProbeReply(id: id, result: .success(try value.checked()))
        case .failure(let value): return ProbeReply(id: id, result: .failure(try value.checked()))
        case nil: throw WireError(.invalidField, "a reply without a result")
        }
    }
}

extension WireProbeReport {
    fileprivate func checked() throws(WireError) -> ProbeReport {
        var report = ProbeReport(heard: nil, ways: [], isMuted: muted)
        if hasHeard { report.heard = ProbeReport.Heard(signal: heard.hasSignal ? Int(heard.signal) : nil) }
        for way in ways { report.ways.append(try way.checked()) }
        try report.check()
        return report
    }
}

extension WireWay {
    fileprivate func checked() throws(WireError) -> ProbeReport.Way {
        switch outcome {
        case .milliseconds(let time): return ProbeReport.Way(transport: transport, outcome: .success(time))
        case .failure(let value): return ProbeReport.Way(transport: transport, outcome: .failure(try value.checked()))
        case nil: throw WireError(.invalidField, "a way without an outcome")
        }
    }
}

extension WireFailure {
    fileprivate func checked() throws(WireError) -> HandoffError {
        try Limit.text(message, 0...HandoffError.maximumMessageLength, "failure message")
        return HandoffError(.init(rawValue: code), told: HandoffError.sanitized(message))
    }
}
