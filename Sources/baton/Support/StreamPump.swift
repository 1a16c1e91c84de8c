// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import Glibc
import Threads

/// Moves bytes between a pair of streams and this side's source and target. Each direction has its
/// own thread.
struct StreamPump: Sendable {
    /// The number of bytes moved.
    struct Totals: Hashable, Sendable {
        var sent: Int
        var received: Int
    }

    let streams: ContinuationStreams
    let source: StreamSource?
    let target: StreamTarget
    /// Called with the size of each chunk that arrives. Throws if the limit is exceeded.
    var admit: @Sendable (Int) throws -> Void = { _ in }

    /// Moves all data, and waits for the end of the streams.
    ///
    /// When the source ends, this side's stream ends too.
    ///
    /// - Parameters:
    ///   - giveUp: Tells the daemon that this side's data is incomplete. A closed socket alone
    ///     would look like the end of complete data.
    ///   - waitForEnd: Returns when the daemon reports that the streams are complete. Throws if
    ///     they broke.
    /// - Returns: The number of bytes moved.
    /// - Throws: The reason why the streams broke. In this case the target is discarded.
    func run(
        giveUp: @escaping @Sendable () async -> Void = {}, waitForEnd: @escaping @Sendable () async throws -> Void
    ) async throws -> Totals {
        let socket = OpenDescriptor(streams.descriptor)
        socket.makeBlocking()
        do {
            let totals = try await withTaskCancellationHandler {
                try await move(through: socket, waitForEnd: waitForEnd)
            } onCancel: {
                Task {
                    await giveUp()
                    socket.breakOff()
                }
            }
            try Task.checkCancellation()
            try target.keep()
            return totals
        } catch {
            // Call the daemon in a task of its own, because this task may be cancelled.
            await Task { await giveUp() }.value
            socket.breakOff()
            target.discard()
            if let failure = error as? ToolFailure, failure.status == .noOutput { throw OutputFailure(failure) }
            throw error
        }
    }

    /// The outcome of one of the three parts: sending, receiving, and the daemon's report. A
    /// failure of this side's file ends all three at once. After a failure of the socket, the
    /// daemon's report is awaited, because it names the reason.
    private enum Part: Sendable {
        case sent(Int)
        case received(Int)
        case broken(ToolFailure)
        case ended
    }

    private func move(
        through socket: OpenDescriptor, waitForEnd: @escaping @Sendable () async throws -> Void
    ) async throws -> Totals {
        let (parts, sink) = AsyncThrowingStream.makeStream(of: Part.self)
        let source = source
        let (target, admit) = (target, admit)
        Self.thread(into: sink) {
            let sent = try source?.send(to: socket)
            socket.endSending()
            return .sent(sent ?? 0)
        }
        Self.thread(into: sink) {
            .received(
                try Descriptor.copy(
                    from: socket, called: Descriptor.stream, to: target.descriptor, called: target.name, admit: admit))
        }
        let end = Task {
            do {
                try await waitForEnd()
                sink.yield(.ended)
            } catch {
                sink.finish(throwing: error)
            }
        }
        defer { end.cancel() }
        return try await Self.collect(parts)
    }

    private static func collect(_ parts: AsyncThrowingStream<Part, any Error>) async throws -> Totals {
        var sent: Int?
        var received: Int?
        var broken: ToolFailure?
        var isEnded = false
        for try await part in parts {
            switch part {
            case .sent(let count): sent = count
            case .received(let count): received = count
            case .broken(let failure): broken = broken ?? failure
            case .ended: isEnded = true
            }
            if let broken, isEnded { throw broken }
            if let sent, let received, isEnded { return Totals(sent: sent, received: received) }
        }
        throw CancellationError()
    }

    private static func thread(
        into sink: AsyncThrowingStream<Part, any Error>.Continuation, body: @escaping @Sendable () throws -> Part
    ) {
        OwnThread.startOrDoHere {
            // Block SIGPIPE, because a write to a closed socket must fail without killing the
            // process.
            var pipeSignal = sigset_t()
            sigemptyset(&pipeSignal)
            sigaddset(&pipeSignal, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &pipeSignal, nil)
            do {
                sink.yield(try body())
            } catch let failure as ToolFailure where failure.isOfStream {
                sink.yield(.broken(failure))
            } catch {
                sink.finish(throwing: error)
            }
        }
    }
}

extension OpenDescriptor {
    /// Tells the other end of the socket that no more data comes.
    fileprivate func endSending() { _ = shutdown(number, Int32(SHUT_WR)) }

    /// Ends both directions of the socket, which wakes every thread that waits for it.
    fileprivate func breakOff() { _ = shutdown(number, Int32(SHUT_RDWR)) }
}
