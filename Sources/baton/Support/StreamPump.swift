// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import Glibc
import Synchronization
import Threads

/// Moves bytes between a pair of streams and this side's source and target, each way on a thread of
/// its own.
struct StreamPump: Sendable {
    /// How much was moved, in bytes.
    struct Totals: Hashable, Sendable {
        var sent: Int
        var received: Int
    }

    let streams: ContinuationStreams
    let source: StreamSource?
    let target: StreamTarget
    /// Told how many bytes have come; throws where they are too many.
    var admit: @Sendable (Int) throws -> Void = { _ in }

    /// Moves everything, ends this side's stream when the source ends, and waits until the streams
    /// have ended.
    ///
    /// - Parameters:
    ///   - giveUp: Tells the daemon that what this side sends will not be whole: a socket that is
    ///     closed cannot say so.
    ///   - waitForEnd: Returns when the daemon says that the streams are complete; throws when they
    ///     broke.
    /// - Returns: How much was moved.
    /// - Throws: What broke them. The target is then dropped.
    func run(
        giveUp: @escaping @Sendable () async -> Void = {}, waitForEnd: @escaping @Sendable () async throws -> Void
    ) async throws -> Totals {
        makeBlocking(streams.descriptor)
        let socket = OpenDescriptor(streams.descriptor)
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
            // In a task of its own, for this one may be cancelled.
            await Task { await giveUp() }.value
            socket.breakOff()
            target.discard()
            if let failure = error as? ToolFailure, failure.status == .noOutput { throw OutputFailure(failure) }
            throw error
        }
    }

    /// The three things that have to come to an end. A failure of this side's file ends all at
    /// once; one of the socket waits for the daemon's word, which says why.
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
            // The other end of a socket may go at any time: that is an error of the write, not of
            // the process.
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

    private func makeBlocking(_ descriptor: Int32) {
        let flags = fcntl(descriptor, F_GETFL)
        if flags >= 0 { _ = fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK) }
    }
}

extension OpenDescriptor {
    /// Tells the other side of a socket that no more will come.
    fileprivate func endSending() { _ = shutdown(number, Int32(SHUT_WR)) }

    /// Ends both directions of a socket at once, and with them whatever a thread waits for.
    fileprivate func breakOff() { _ = shutdown(number, Int32(SHUT_RDWR)) }
}
