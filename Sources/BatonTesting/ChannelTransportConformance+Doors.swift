// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import NIOCore
import Synchronization

/// The checks of dialling and listening.
extension ChannelTransportConformance {
    func nobodyIsUnreachable(_ check: Check, _ ends: Ends) async throws {
        do {
            let channel = try await ends.dialling.connect(to: ends.nobody, timeout: connectLimit) {
                $0.eventLoop.makeSucceededVoidFuture()
            }
            try? await channel.close()
            throw fail(check, "connected to \(ends.nobody)")
        } catch let error as TransportError {
            guard error.code == .unreachable else { throw fail(check, "threw \(error.code): \(error)") }
        }
    }

    func cancelledConnectLeaksNothing(_ check: Check, _ ends: Ends) async throws {
        let server = try await ConformanceServer.listen(ends.listening, check.rawValue, echoes: true)
        // Dial once before counting, because the first dial may open descriptors that stay open,
        // such as the descriptors of an event loop.
        try? await dial(ends, server.endpoint).channel.close()
        let before = openDescriptorCount()
        let attempts = 128
        for endpoint in [ends.nobody, server.endpoint] {
            for _ in 0..<attempts {
                let task = Task { try await dial(ends, endpoint).channel }
                task.cancel()
                if case .success(let channel) = await task.result { try? await channel.close() }
            }
        }
        // Now cancel each dial after its channel was created and before the channel is returned.
        for _ in 0..<attempts {
            let (begun, sink) = AsyncStream.makeStream(of: EventLoopPromise<Void>.self)
            let task = Task {
                defer { sink.finish() }
                return try await ends.dialling.connect(to: server.endpoint, timeout: connectLimit) { channel in
                    let held = channel.eventLoop.makePromise(of: Void.self)
                    // The transport may create another channel after the dial is over. Do not make
                    // that channel wait.
                    if case .terminated = sink.yield(held) { held.succeed() }
                    return held.futureResult
                }
            }
            for await held in begun {
                task.cancel()
                held.succeed()
            }
            if case .success(let channel) = await task.result { try? await channel.close() }
        }
        // Wait until the number of descriptors has come down again. Peers need time to notice a
        // close, and other tests of this process may open some descriptors at the same time. If
        // these dials leaked descriptors, there would be two for each dial. Keep the server until
        // then, because closing it would also close leaked descriptors of its side.
        while let before, let now = openDescriptorCount(), now > before + attempts / 2 {
            try await Task.sleep(for: .milliseconds(10))
        }
        await server.close()
    }

    func becomesActiveOnce(_ check: Check, _ ends: Ends) async throws {
        let (accepted, dialled) = (ActivityCount(), ActivityCount())
        let listener = try await ends.listening.listen { channel, _ in accepted.prepare(channel) }
        guard let endpoint = await listener.endpoints().first else {
            throw fail(check, "the listener names no endpoint")
        }
        let channel = try await ends.dialling.connect(to: endpoint, timeout: connectLimit) { dialled.prepare($0) }
        // Each side sends a byte when it becomes active, so a received byte shows that the other
        // side is active.
        for side in [accepted, dialled] { _ = await side.collector.wait(forCount: 1) }
        try? await channel.close()
        for side in [accepted, dialled] { _ = await side.collector.waitForClose() }
        await listener.close()
        guard accepted.counts == [1, 1], dialled.counts == [1, 1] else {
            throw fail(
                check, "active (accepted, dialled): \(accepted.counts), \(dialled.counts), not once, when prepared")
        }
    }

    func closedListenerKeepsChannels(_ check: Check, _ ends: Ends) async throws {
        let server = try await ConformanceServer.listen(ends.listening, check.rawValue, echoes: true)
        let client = try await dial(ends, server.endpoint)
        try await client.write([1])
        _ = await client.collector.wait(forCount: 1)
        await server.stopListening()
        if let late = try? await dial(ends, server.endpoint) {
            // The dial may succeed if another thread is just starting a program, because until that
            // program runs it holds a copy of the listener's descriptor. However, nothing may
            // answer.
            try? await late.write([9])
            guard await late.collector.wait(forCount: 1).count == 0 else {
                throw fail(check, "a closed listener accepts")
            }
            try? await late.channel.close()
        }
        try await client.write([2, 3])
        try await expect(client.collector, [1, 2, 3], check, "the channel after its listener was closed")
        try? await client.channel.close()
        await server.close()
        let again = try await ConformanceServer.listen(ends.listening, check.rawValue, echoes: true)
        try? await dial(ends, again.endpoint).channel.close()
        await again.close()
    }

    func oneListenerAtATime(_ check: Check, _ ends: Ends) async throws {
        let server = try await ConformanceServer.listen(ends.listening, check.rawValue, echoes: true)
        do {
            let second = try await ConformanceServer.listen(ends.listening, check.rawValue, echoes: true)
            await second.close()
            throw fail(check, "a second listener was opened")
        } catch is TransportError {}
        await server.close()
    }

    func manyChannelsAtOnce(_ check: Check, _ ends: Ends) async throws {
        let server = try await ConformanceServer.listen(ends.listening, check.rawValue, echoes: true)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<channelCount {
                group.addTask {
                    let client = try await dial(ends, server.endpoint)
                    let bytes = Self.pattern(4_096, seed: UInt8(truncatingIfNeeded: number))
                    try await client.write(bytes)
                    try await expect(client.collector, bytes, check, "channel \(number)")
                    try? await client.channel.close()
                }
            }
            try await group.waitForAll()
        }
        await server.close()
    }
}

/// Counts how often the channel of one side became active in total, and how often after its
/// initializer was done.
private final class ActivityCount: Sendable {
    private struct State {
        var isPrepared = false
        var counts = [0, 0]
    }

    let collector = ByteCollector()
    private let state = Mutex(State())

    var counts: [Int] { state.withLock(\.counts) }

    func prepare(_ channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(Handler(owner: self))
            try channel.pipeline.syncOperations.addHandler(CollectingHandler(collector))
        }.flatMap {
            // Complete the initializer one turn of the event loop later, so that the check notices
            // a transport that activates the channel without waiting for the initializer.
            channel.eventLoop.submit { self.state.withLock { $0.isPrepared = true } }
        }
    }

    private func activate() {
        state.withLock { state in
            state.counts[0] += 1
            if state.isPrepared { state.counts[1] += 1 }
        }
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        let owner: ActivityCount

        init(owner: ActivityCount) { self.owner = owner }

        func channelActive(context: ChannelHandlerContext) {
            owner.activate()
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: [1])), promise: nil)
            context.fireChannelActive()
        }
    }
}
