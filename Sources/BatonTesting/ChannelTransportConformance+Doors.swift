// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import NIOCore

/// The checks about dialling and listening.
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
        // The first one may open what stays open, such as an event loop's own descriptors.
        try? await dial(ends, server.endpoint).channel.close()
        guard let before = openDescriptorCount() else { return await server.close() }
        for endpoint in [ends.nobody, server.endpoint] {
            for _ in 0..<16 {
                let task = Task { try await dial(ends, endpoint).channel }
                task.cancel()
                if case .success(let channel) = await task.result { try? await channel.close() }
            }
        }
        await server.close()
        // The listener itself is closed, so there is one less; peers notice a close in their own time.
        while let now = openDescriptorCount(), now > before {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    func closedListenerKeepsChannels(_ check: Check, _ ends: Ends) async throws {
        let server = try await ConformanceServer.listen(ends.listening, check.rawValue, echoes: true)
        let client = try await dial(ends, server.endpoint)
        try await client.write([1])
        _ = await client.collector.wait(forCount: 1)
        await server.stopListening()
        if let late = try? await dial(ends, server.endpoint) {
            try? await late.channel.close()
            throw fail(check, "a closed listener accepts")
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
