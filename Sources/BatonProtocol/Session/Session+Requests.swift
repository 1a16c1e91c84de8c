// SPDX-License-Identifier: Apache-2.0

import Diagnosis

extension Session {
    /// A request of one device to the other.
    public enum Request: Hashable, Sendable {
        /// The activity with this hash.
        case activity([UInt8])
        /// Streams to the continued activity with this instance.
        case streams([UInt8])
        /// A report on how the other device hears and reaches this one.
        case probe
    }

    /// The answer to a ``Request``, of the same kind.
    public enum Reply: Hashable, Sendable {
        /// The activity. The caller must then send ``Event/reportContinued(id:accepted:)``.
        case activity(ContinueGrant)
        /// The permission to attach the streams, with the endpoints to dial.
        case streams(StreamGrant)
        /// The report of the other device.
        case probe(ProbeReport)
    }

    enum Kind: Hashable, Sendable {
        case activity
        case streams
        case probe
    }
}

extension Session.Request {
    var kind: Session.Kind {
        switch self {
        case .activity: .activity
        case .streams: .streams
        case .probe: .probe
        }
    }

    func frame(_ id: UInt64) -> Frame {
        switch self {
        case .activity(let hash): .continueRequest(ContinueRequest(id: id, activity: hash))
        case .streams(let instance): .streamRequest(StreamRequest(id: id, instance: instance))
        case .probe: .probeRequest(ProbeRequest(id: id))
        }
    }
}

extension Session.Reply {
    /// The activity; nil for another kind of reply.
    public var activity: ContinueGrant? { if case .activity(let grant) = self { grant } else { nil } }
    /// The grant of streams; nil for another kind of reply.
    public var streams: StreamGrant? { if case .streams(let grant) = self { grant } else { nil } }
    /// The report; nil for another kind of reply.
    public var probe: ProbeReport? { if case .probe(let report) = self { report } else { nil } }
}

extension Result where Success == Session.Reply, Failure == HandoffError {
    /// Returns the frame that answers a request of some kind.
    ///
    /// If the reply is of another kind, the frame reports a failure.
    func frame(answering kind: Session.Kind, _ id: UInt64) -> Frame {
        switch kind {
        case .activity: .continueReply(ContinueReply(id: id, result: only(\.activity)))
        case .streams: .streamReply(StreamReply(id: id, result: only(\.streams)))
        case .probe: .probeReply(ProbeReply(id: id, result: only(\.probe)))
        }
    }

    private func only<Value>(_ value: (Session.Reply) -> Value?) -> Result<Value, HandoffError> {
        flatMap { reply in
            value(reply).map(Result<Value, HandoffError>.success)
                ?? .failure(HandoffError(.handoffFailed, .notUnderstood, cause: "the reply is not one to this request"))
        }
    }
}
