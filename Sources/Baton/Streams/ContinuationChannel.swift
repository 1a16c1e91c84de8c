// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization
public import UserActivity

/// The streams of a continuation for new code: an async sequence and a writer, in place of
/// delegates and run loops.
public struct ContinuationChannel: Sendable {
    /// What the other device's app writes.
    public let bytes: ContinuationBytes
    /// What the other device's app reads.
    public let writer: ContinuationWriter

    /// Takes a pair over that was not opened: its streams are not to be used any more.
    ///
    /// - Parameters:
    ///   - input: The input stream that `getContinuationStreams` or a delegate was given.
    ///   - output: The output stream that came with it.
    /// - Throws: `CocoaError(.userActivityHandoffFailed)` for streams of another kind, or for ones
    ///   of two pairs.
    public init(_ input: sending InputStream, _ output: sending OutputStream) throws {
        try self.init(ContinuationPair(input: input, output: output))
    }

    /// Takes a pair over that was not opened.
    ///
    /// - Parameter pair: The pair; its streams are not to be used any more.
    /// - Throws: `CocoaError(.userActivityHandoffFailed)` for streams of another kind, or for ones
    ///   of two pairs.
    public init(_ pair: ContinuationPair) throws {
        guard let reading = pair.input as? ContinuationInputStream,
            let writing = pair.output as? ContinuationOutputStream, reading.socket === writing.socket
        else { throw CocoaError(.userActivityHandoffFailed) }
        bytes = ContinuationBytes(socket: reading.socket, keeper: Keeper(reading))
        writer = ContinuationWriter(socket: writing.socket, keeper: Keeper(writing))
    }
}

/// Keeps one of Foundation's objects, whose end ends its direction.
///
/// - Note: `@unchecked Sendable`: nothing but its release is ever done with the object.
final class Keeper: @unchecked Sendable {
    private let stream: Stream
    init(_ stream: Stream) { self.stream = stream }
}

extension UserActivity {
    /// Asks the app on the device that this activity came from for a pair of streams.
    ///
    /// - Returns: The streams.
    /// - Throws: A `CocoaError`, as `getContinuationStreams` gives it.
    public func continuationChannel() async throws -> ContinuationChannel {
        try ContinuationChannel(await continuationPair())
    }
}

/// What the other device's app writes, in the pieces in which it comes; one iteration at a time.
public struct ContinuationBytes: AsyncSequence, Sendable {
    /// Some bytes, at least one.
    public typealias Element = Data

    let socket: StreamSocket
    let keeper: Keeper

    /// Begins to read, or goes on where the last iteration stopped.
    public func makeAsyncIterator() -> Iterator { Iterator(socket: socket, keeper: keeper) }

    /// All bytes to the end.
    ///
    /// - Parameter limit: How many there may be.
    /// - Returns: The bytes.
    /// - Throws: `CocoaError(.userActivityConnectionUnavailable)` when the streams broke,
    ///   `CocoaError(.userActivityHandoffUserInfoTooLarge)` when there are more than `limit`.
    public func collect(upTo limit: Int) async throws -> Data {
        var all = Data()
        for try await piece in self {
            guard all.count + piece.count <= limit else { throw CocoaError(.userActivityHandoffUserInfoTooLarge) }
            all += piece
        }
        return all
    }

    /// Reads piece by piece.
    public struct Iterator: AsyncIteratorProtocol {
        let socket: StreamSocket
        let keeper: Keeper
        /// What is read into: a piece is as large as what came, whoever keeps it.
        private var buffer = [UInt8](repeating: 0, count: 65_536)

        init(socket: StreamSocket, keeper: Keeper) {
            self.socket = socket
            self.keeper = keeper
        }

        /// The next piece; nil at the end.
        ///
        /// - Throws: `CocoaError(.userActivityConnectionUnavailable)` when the streams broke,
        ///   `CancellationError`.
        public mutating func next() async throws -> Data? {
            while true {
                try Task.checkCancellation()
                let transfer = buffer.withUnsafeMutableBytes { buffer in
                    buffer.baseAddress.map { socket.read($0, buffer.count) } ?? .end
                }
                switch transfer {
                case .count(let count): return Data(buffer[..<count])
                case .notYet: await Readiness.wait(for: socket) { socket.whenReadable($0) }
                case .end: return nil
                case .broken(let error): throw error
                }
            }
        }
    }
}

/// Writes to the other device's app.
public struct ContinuationWriter: Sendable {
    let socket: StreamSocket
    let keeper: Keeper

    /// Writes all bytes, waiting while the other side does not read.
    ///
    /// - Parameter data: The bytes; none do nothing.
    /// - Throws: `CocoaError(.userActivityConnectionUnavailable)` when the streams broke,
    ///   `CocoaError(.userActivityHandoffFailed)` after they were finished, `CancellationError`.
    public func write(_ data: Data) async throws {
        var rest = data
        while !rest.isEmpty {
            try Task.checkCancellation()
            let transfer = rest.withUnsafeBytes { buffer in
                buffer.baseAddress.map { socket.write($0, buffer.count) } ?? .end
            }
            switch transfer {
            case .count(let count): rest = rest.dropFirst(count)
            case .notYet: await Readiness.wait(for: socket) { socket.whenWritable($0) }
            case .end: throw CocoaError(.userActivityHandoffFailed)
            case .broken(let error): throw error
            }
        }
    }

    /// Ends the stream: the other side reads to here. Letting the writer go does it too.
    public func finish() { socket.endOutput() }
}

/// One wait for a socket, which ends with the task's cancellation too.
private enum Readiness {
    private struct State {
        var isOver = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    static func wait(
        for socket: StreamSocket, _ register: (@escaping @Sendable () -> Void) -> ReadinessPoller.Token?
    ) async {
        let state = SharedState()
        let token = register { state.finish() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { state.wait($0) }
        } onCancel: {
            if let token { socket.cancel(token) }
            state.finish()
        }
    }

    private final class SharedState: Sendable {
        private let state = Mutex(State())

        func wait(_ waiting: CheckedContinuation<Void, Never>) {
            let isOver = state.withLock { state in
                if !state.isOver { state.waiting = waiting }
                return state.isOver
            }
            if isOver { waiting.resume() }
        }

        func finish() {
            let waiting = state.withLock { state in
                state.isOver = true
                defer { state.waiting = nil }
                return state.waiting
            }
            waiting?.resume()
        }
    }
}
