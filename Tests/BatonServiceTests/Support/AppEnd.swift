// SPDX-License-Identifier: Apache-2.0

import BatonService
import BatonTesting
import Foundation
import Glibc

/// An app's end of a pair of streams, used as a program would: with the system's calls, which may
/// block on a thread of their own.
final class AppEnd: Sendable {
    let id: String
    let transport: String
    private let descriptor: Int32

    /// Takes the descriptor over; ``close()`` closes it.
    init(_ streams: OpenedStreams) throws {
        guard let descriptor = streams.descriptor.take() else { throw Missing(what: "a descriptor") }
        self.descriptor = descriptor
        id = streams.stream
        transport = streams.transport
        // No call blocks for ever: a test that failed must end.
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    /// Writes everything; fewer bytes when the other end goes.
    @discardableResult
    func write(_ bytes: [UInt8]) async -> Int {
        await onThread { descriptor in
            var written = 0
            while written < bytes.count {
                let count = Self.uninterrupted {
                    bytes.withUnsafeBytes {
                        send(
                            descriptor, $0.baseAddress?.advanced(by: written), bytes.count - written,
                            Int32(MSG_NOSIGNAL))
                    }
                }
                guard count > 0 else { break }
                written += count
            }
            return written
        }
    }

    /// Writes what there is room for.
    func writeNow(_ bytes: [UInt8]) -> Int {
        max(send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT)), 0)
    }

    /// Reads so many bytes, or to the end.
    func read(_ wanted: Int = .max) async -> [UInt8] {
        await onThread { descriptor in
            var all: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while all.count < wanted {
                let count = Self.uninterrupted { recv(descriptor, &buffer, min(buffer.count, wanted - all.count), 0) }
                guard count > 0 else { break }
                all += buffer[..<count]
            }
            return all
        }
    }

    /// Whether all was read, and the end is there; waits for neither.
    var isAtEnd: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT)) == 0
    }

    /// Ends what this app sends.
    func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

    func close() { _ = Glibc.close(descriptor) }

    /// The same end once more, to be given back.
    var copy: OwnedDescriptor { OwnedDescriptor(adopting: fcntl(descriptor, F_DUPFD_CLOEXEC, 0)) }

    /// A call with a time limit is not restarted after a signal, whatever its handler asks for:
    /// signal(7).
    private static func uninterrupted(_ call: () -> Int) -> Int {
        while true {
            let count = call()
            if count >= 0 || errno != EINTR { return count }
        }
    }

    private func onThread<Value: Sendable>(_ body: @escaping @Sendable (Int32) -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [descriptor] in continuation.resume(returning: body(descriptor)) }
        }
    }
}

/// Bytes that betray every gap and repetition.
func pattern(_ count: Int, seed: UInt64) -> [UInt8] {
    var state = seed
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 8)
    while bytes.count < count {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        withUnsafeBytes(of: state) { bytes.append(contentsOf: $0) }
    }
    return Array(bytes.prefix(count))
}

extension Device {
    /// Streams to an activity that was continued here.
    func openStreams(_ continuation: String) async throws -> AppEnd {
        try AppEnd(await service.openStreams(continuation, client: Device.app))
    }

    /// Streams that another device has opened to an activity here, taken.
    func streamsOpened() async throws -> AppEnd {
        try AppEnd(try await service.takeStreams(try await streamsWaiting(), client: Device.app))
    }

    /// The name of streams that another device has opened to an activity here, which nobody has
    /// taken yet.
    func streamsWaiting() async throws -> String {
        try await next("streamsOpened") { if case .streamsOpened(_, _, let stream, _, _) = $0 { stream } else { nil } }
    }

    /// How a pair of streams ended: nil when nothing was lost.
    func streamEnd(_ end: AppEnd) async throws -> String? { try await streamEnd(end.id) }

    /// How the pair of streams with this name ended: nil when nothing was lost.
    func streamEnd(_ stream: String) async throws -> String? {
        let (_, error) = try await next("streamEnded") { event -> (Bool, String?)? in
            if case .streamEnded(stream, _, let error) = event { (true, error) } else { nil }
        }
        return error
    }
}
