// SPDX-License-Identifier: Apache-2.0

import BatonService
import BatonTesting
import Diagnosis
import Foundation
import Glibc

/// An app's socket of a pair of streams. It uses blocking system calls, as a program does, each on
/// a thread of its own.
final class AppEnd: Sendable {
    let id: String
    let transport: String
    private let descriptor: Int32

    /// Takes ownership of the descriptor, which ``close()`` closes.
    init(_ streams: OpenedStreams) throws {
        guard let descriptor = streams.descriptor.take() else { throw Missing(what: "a descriptor") }
        self.descriptor = descriptor
        id = streams.stream
        transport = streams.transport
        // Give every call a time limit, so that a failed test ends.
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    /// Writes all bytes. Returns the number written, which is smaller if the other end closes.
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

    /// Writes as many bytes as the socket accepts without blocking. Returns their number.
    func writeNow(_ bytes: [UInt8]) -> Int {
        max(send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT)), 0)
    }

    /// Reads a number of bytes, or until the end.
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

    /// Whether all bytes have been read and the sender has finished. Reading this value does not
    /// block.
    var isAtEnd: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT)) == 0
    }

    /// Finishes the sending direction.
    func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

    func close() { _ = Glibc.close(descriptor) }

    /// A copy of the descriptor, to return to the daemon.
    var copy: OwnedDescriptor { OwnedDescriptor(adopting: fcntl(descriptor, F_DUPFD_CLOEXEC, 0)) }

    /// Repeats a call that a signal interrupted. The kernel never restarts calls with a time limit:
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

/// Returns pseudo-random bytes, in which every gap and repetition can be detected.
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
    /// Opens streams to an activity that was continued on this device.
    func openStreams(_ continuation: String) async throws -> AppEnd {
        try AppEnd(await service.openStreams(continuation, client: Device.app))
    }

    /// Takes streams that another device has opened to this device's activity.
    func streamsOpened() async throws -> AppEnd {
        try AppEnd(try await service.takeStreams(try await streamsWaiting(), client: Device.app))
    }

    /// Returns the id of streams that another device has opened to this device's activity and that
    /// no app has taken yet.
    func streamsWaiting() async throws -> String {
        try await next("streamsOpened") { if case .streamsOpened(_, _, let stream, _, _) = $0 { stream } else { nil } }
    }

    /// Returns the error with which a pair of streams ended, or nil if nothing was lost.
    func streamEnd(_ end: AppEnd) async throws -> Reason? { try await streamEnd(end.id) }

    /// Returns the error with which the pair of streams with this id ended, or nil if nothing was
    /// lost.
    func streamEnd(_ stream: String) async throws -> Reason? {
        let (_, error) = try await next("streamEnded") { event -> (Bool, Reason?)? in
            if case .streamEnded(stream, _, let error) = event { (true, error) } else { nil }
        }
        return error
    }
}
