// SPDX-License-Identifier: Apache-2.0

import Diagnosis
import FoundationEssentials
import SwiftProtobuf

/// Converts frames to the messages of `frame.proto`.
///
/// All limits are checked here before sending, and again after receiving (`FrameParsing.swift`).
extension WireFrame {
    init(checking frame: Frame) throws(WireError) {
        switch frame {
        case .hello(let value): hello = try WireHello(checking: value)
        case .continueRequest(let value):
            try value.check()
            continueRequest.id = value.id
            continueRequest.activity = Data(value.activity)
        case .continueReply(let value): continueReply = try WireContinueReply(checking: value)
        case .continued(let value):
            continued.id = value.id
            continued.accepted = value.accepted
        case .streamRequest(let value):
            try value.check()
            streamRequest.id = value.id
            streamRequest.instance = Data(value.instance)
        case .streamReply(let value): streamReply = try WireStreamReply(checking: value)
        case .goodbye(let value):
            goodbye.reason = value.reason.rawValue
        case .join(let bytes): join = Data(bytes)
        case .welcome(let bytes): welcome = Data(bytes)
        case .joined(let bytes): joined = Data(bytes)
        case .attach(let value):
            try value.check()
            attach.token = Data(value.token)
            attach.generation = value.generation
            attach.nextOffset = value.nextOffset
            attach.window = value.window
        case .attached(let value):
            attached.nextOffset = value.nextOffset
            attached.window = value.window
        case .data(let value):
            try value.check()
            data.offset = value.offset
            data.bytes = Data(value.bytes)
        case .ack(let value):
            ack.offset = value.offset
            ack.window = value.window
        case .end(let value): end.offset = value.offset
        case .endAck: endAck = WireEndAck()
        case .reset(let value): reset.reason = value.reason.rawValue
        case .acceptance(let value):
            try value.check()
            acceptance.instance = Data(value.instance)
            acceptance.grant = Data(value.grant ?? [])
        case .probeRequest(let value): probeRequest.id = value.id
        case .probeReply(let value): probeReply = try WireProbeReply(checking: value)
        case .trial: trial = WireTrial()
        case .reattach(let value):
            try value.check()
            reattach.token = Data(value.token)
            reattach.generation = value.generation
        case .offer(let value):
            try value.check()
            offer.sequence = value.sequence
            offer.activity = Data(value.activity ?? [])
            offer.flags = UInt32(value.flags.rawValue)
            offer.title = value.title ?? ""
        }
    }
}

extension WireHello {
    fileprivate init(checking hello: Hello) throws(WireError) {
        try hello.check()
        protocolVersion = hello.protocolVersion
        name = hello.name
        unixTime = hello.unixTime
        sequence = hello.sequence
        activity = Data(hello.activity ?? [])
        types = hello.types.map { entry in
            .with {
                $0.hash = Data(entry.hash)
                $0.team = entry.team
                $0.type = entry.type
            }
        }
        endpoints = hello.endpoints.map(WireEndpoint.init)
        circle = Data(hello.circle)
        keepsLink = hello.keepsLink
    }
}

extension WireEndpoint {
    fileprivate init(_ endpoint: EndpointRecord) {
        transport = endpoint.transport
        address = endpoint.address
        port = UInt32(endpoint.port)
    }
}

extension WireContinueReply {
    fileprivate init(checking reply: ContinueReply) throws(WireError) {
        id = reply.id
        switch reply.result {
        case .success(let value):
            try value.check()
            grant.instance = Data(value.instance)
            grant.state = value.activity.message
            grant.origin = Data(value.origin ?? [])
            grant.id = Data(value.id ?? [])
        case .failure(let error): failure = WireFailure(error)
        }
    }
}

extension WireStreamReply {
    fileprivate init(checking reply: StreamReply) throws(WireError) {
        id = reply.id
        switch reply.result {
        case .success(let value):
            try value.check()
            grant.token = Data(value.token)
            grant.endpoints = value.endpoints.map(WireEndpoint.init)
        case .failure(let error): failure = WireFailure(error)
        }
    }
}

extension WireProbeReply {
    fileprivate init(checking reply: ProbeReply) throws(WireError) {
        id = reply.id
        switch reply.result {
        case .success(let value):
            try value.check()
            report = WireProbeReport(value)
        case .failure(let error): failure = WireFailure(error)
        }
    }
}

extension WireProbeReport {
    fileprivate init(_ report: ProbeReport) {
        if let found = report.heard {
            heard = WireHeard()
            if let signal = found.signal { heard.signal = Int32(signal) }
        }
        muted = report.isMuted
        ways = report.ways.map { way in
            .with {
                $0.transport = way.transport
                switch way.outcome {
                case .success(let time): $0.milliseconds = time
                case .failure(let error): $0.failure = WireFailure(error)
                }
            }
        }
    }
}

extension WireFailure {
    fileprivate init(_ error: HandoffError) {
        code = error.code.rawValue
        message = HandoffError.sanitized(error.message)
    }
}
