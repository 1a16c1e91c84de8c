// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonClient
import Glibc

/// The streams of a ``FakeDaemon``: pairs of sockets. Apps get one end of each pair.
struct FakeStreams {
    /// The daemon's ends of the streams that apps opened.
    private(set) var ends: [String: Int32] = [:]
    /// The streams that wait for a publisher.
    private var untaken: [String: OpenedStreams] = [:]

    /// Adds streams that wait for a publisher, and returns the daemon's end.
    mutating func offer(_ stream: String) throws(BatonError) -> Int32 {
        let (app, end) = try Self.socketPair()
        untaken[stream] = OpenedStreams(
            stream: stream, transport: "tcp", descriptor: OwnedDescriptor(adopting: app))
        return end
    }

    mutating func take(_ stream: String) throws(BatonError) -> OpenedStreams {
        guard let streams = untaken.removeValue(forKey: stream) else {
            throw BatonError(.notFound, appMessage: "no streams \(stream) wait")
        }
        return streams
    }

    mutating func open(_ stream: String) throws(BatonError) -> OpenedStreams {
        let (app, end) = try Self.socketPair()
        ends[stream] = end
        return OpenedStreams(stream: stream, transport: "l2cap", descriptor: OwnedDescriptor(adopting: app))
    }

    /// The streams that apps gave back with CloseStreams, and whether the remaining data may be
    /// dropped.
    private(set) var closed: [String: (end: OwnedDescriptor, discards: Bool)] = [:]
    /// Whether this daemon does not know `CloseStreams`.
    var refusesClosed = false

    mutating func close(_ stream: String, _ end: OwnedDescriptor, discards: Bool) throws(BatonError) {
        if refusesClosed { throw BatonError(.failed, appMessage: "no such method") }
        closed[stream] = (end, discards)
    }

    mutating func giveUp(_ stream: String) { untaken[stream] = nil }

    private static func socketPair() throws(BatonError) -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw BatonError(.failed, appMessage: "socketpair")
        }
        return (ends[0], ends[1])
    }
}

extension FakeDaemon {
    /// The daemon's ends of the streams that it opened.
    var streamEnds: [String: Int32] { streams.ends }

    /// Opens streams to a publisher, and returns the daemon's end.
    func openStreams(_ stream: String, to activity: String, device: String, called name: String = "") throws -> Int32 {
        let end = try streams.offer(stream)
        tellOfStreams(stream, to: activity, device: device, called: name)
        return end
    }

    /// Tells a publisher about streams, whether they exist or not.
    func tellOfStreams(_ stream: String, to activity: String, device: String, called name: String) {
        tellClient {
            $0.send(.streamsOpened(activity: activity, stream: stream, device: device, deviceName: name), to: $1)
        }
    }

    func endStream(_ stream: String, error: String? = nil) {
        tellClient { $0.send(.streamEnded(stream: stream, complete: error == nil, error: error), to: $1) }
    }

    /// Tells a publisher how far its streams are.
    func tell(_ progress: StreamProgress, of stream: String) { tellClient { $0.send(progress, of: stream, to: $1) } }

    nonisolated func addStreams(to router: inout BusRouter) {
        router.on(ActivitiesInterface.takeStreams) { stream, _ in
            let streams = try await self.takeStreams(stream)
            return (streams.transport, streams.descriptor)
        }
        router.on(ActivitiesInterface.closeStreams) { stream, discards, end, _ in
            try await self.closeStreams(stream, end: end, discards: discards)
        }
        router.on(ActivitiesInterface.followStreams) { _, _ in
            StreamProgress(sent: 0, received: 0, transport: "tcp", isWaiting: false)
        }
        router.on(OffersInterface.openStreams) { continuation, _ in
            try await self.openStreams(continuation: continuation)
        }
    }

    private func takeStreams(_ stream: String) throws -> OpenedStreams { try streams.take(stream) }

    private func closeStreams(_ stream: String, end: OwnedDescriptor, discards: Bool) throws {
        record(.closedStreams(stream, discards: discards))
        try streams.close(stream, end, discards: discards)
    }

    /// Makes this daemon unaware of `CloseStreams`, like Baton 0.2.
    func refuseClosedStreams() { streams.refusesClosed = true }

    private func openStreams(continuation: String) throws -> OpenedStreams {
        try check()
        let opened = try streams.open("s" + continuation)
        record(.openedStreams(continuation))
        return opened
    }
}
