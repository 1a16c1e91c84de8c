// SPDX-License-Identifier: Apache-2.0

extension Session {
    /// What one device asks of the other.
    public enum Request: Hashable, Sendable {
        /// The activity that has this hash.
        case activity([UInt8])
        /// Streams to the continued activity that has this instance.
        case streams([UInt8])
        /// What the other device hears of this one, and how it reaches it.
        case probe
    }

    /// The answer to a ``Request``, of the same kind.
    public enum Reply: Hashable, Sendable {
        /// The activity. Whoever asked owes ``Event/reportContinued(id:accepted:)``.
        case activity(ContinueGrant)
        /// Where to dial for the streams.
        case streams(StreamGrant)
        /// What the other device found.
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
    /// The frame that answers a request; it says that the request failed if the reply is of another
    /// kind.
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
                ?? .failure(HandoffError(.handoffFailed, "the reply is not one to this request"))
        }
    }
}
