// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import NIOCore
import NIOPosix
import TCPTransport

@testable import BatonService

/// Strangers that dial, act and dial again, until the body of ``over(_:each:_:)`` has ended.
final class Flood: Sendable {
    /// The number of strangers that have finished their action.
    private let done = Watched(0)
    private let strangers = Watched<[Stranger]>([])

    /// Runs a body under a flood.
    ///
    /// - Parameters:
    ///   - doors: The listeners to dial, each by one stranger at a time.
    ///   - act: A stranger's action on its channel. The action need not close the channel.
    static func over(
        _ doors: [Door], each act: @escaping @Sendable (Stranger) async throws -> Void,
        _ body: @Sendable (Flood) async throws -> Void
    ) async throws {
        let flood = Flood()
        let tasks = doors.map { door in
            Task {
                while !Task.isCancelled {
                    // The service drops a link that fails too often, together with channels that
                    // are just being opened.
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

    /// Waits until this number of further strangers have finished their action.
    func more(_ count: Int) async throws {
        let before = done.value
        try await done.wait("\(count) more strangers") { $0 >= before + count ? () : nil }
    }
}

/// A TCP transport that dials from a chosen address. All addresses in 127.0.0.0/8 belong to this
/// machine.
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
