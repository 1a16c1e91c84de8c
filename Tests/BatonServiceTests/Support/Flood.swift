// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import NIOCore
import NIOPosix
import TCPTransport

@testable import BatonService

/// Strangers that never stop: each dials, does what it does, and dials again, until the body of
/// ``over(_:each:_:)`` has ended.
final class Flood: Sendable {
    /// How many strangers have done what they do.
    private let done = Watched(0)
    private let strangers = Watched<[Stranger]>([])

    /// Runs a body under a flood.
    ///
    /// - Parameters:
    ///   - doors: What is dialled, each by a stranger of its own.
    ///   - act: What a stranger does with its channel; it need not close it.
    static func over(
        _ doors: [Door], each act: @escaping @Sendable (Stranger) async throws -> Void,
        _ body: @Sendable (Flood) async throws -> Void
    ) async throws {
        let flood = Flood()
        let tasks = doors.map { door in
            Task {
                while !Task.isCancelled {
                    // A link that fails too often is dropped, with what is just being dialled on
                    // it.
                    guard let stranger = try? await door.dial() else { continue }
                    flood.strangers.change { $0.append(stranger) }
                    try? await act(stranger)
                    flood.done.change { $0 += 1 }
                }
            }
        }
        let result: Result<Void, any Error>
        do { result = .success(try await body(flood)) } catch { result = .failure(error) }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        for stranger in flood.strangers.value { await stranger.close() }
        try result.get()
    }

    /// Returns once so many more strangers have done what they do.
    func more(_ count: Int) async throws {
        let before = done.value
        try await done.wait("\(count) more strangers") { $0 >= before + count ? () : nil }
    }
}

/// TCP from an address of one's own choice: all of 127.0.0.0/8 is this machine.
struct TCPFrom: ChannelTransport {
    let address: String
    let traits = TransportTraits.tcp

    init(_ address: String) { self.address = address }

    func connect(
        to endpoint: Endpoint, timeout: Duration, initializer: @escaping ChannelInitializer
    ) async throws -> any Channel {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(to: SocketAddress(ipAddress: address, port: 0))
            .channelInitializer(initializer)
            .connect(host: endpoint.address, port: Int(endpoint.port)).get()
    }

    func listen(initializer: @escaping AcceptedChannelInitializer) async throws -> any Listener {
        throw TransportError(.invalidArgument, "it only dials")
    }
}
