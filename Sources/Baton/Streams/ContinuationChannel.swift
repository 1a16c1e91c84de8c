// SPDX-License-Identifier: Apache-2.0

public import BatonBus
public import Foundation
import Synchronization
public import UserActivity

/// The streams of a continuation as an async sequence and a writer.
///
/// Unlike Foundation's streams, they need neither delegates nor run loops.
public struct ContinuationChannel: Sendable {
    /// The bytes that the other device's app writes.
    public let bytes: ContinuationBytes
    /// Writes bytes for the other device's app.
    public let writer: ContinuationWriter

    /// Takes over a pair of streams that have not been opened. Do not use the two streams
    /// afterwards.
    ///
    /// - Parameters:
    ///   - input: The input stream from `getContinuationStreams` or a delegate.
    ///   - output: The output stream that came with it.
    /// - Throws: `CocoaError(.userActivityHandoffFailed)` for streams of another kind or of
    ///   different pairs.
    public init(_ input: sending InputStream, _ output: sending OutputStream) throws {
        try self.init(ContinuationPair(input: input, output: output))
    }

    /// Takes over a pair of streams that have not been opened.
    ///
    /// - Parameter pair: The pair. Do not use its streams afterwards.
    /// - Throws: `CocoaError(.userActivityHandoffFailed)` for streams of another kind or of
    ///   different pairs.
    public init(_ pair: ContinuationPair) throws {
        guard let reading = pair.input as? ContinuationInputStream,
            let writing = pair.output as? ContinuationOutputStream, reading.socket === writing.socket
        else { throw CocoaError(.userActivityHandoffFailed) }
        bytes = ContinuationBytes(socket: reading.socket, keeper: Keeper(reading))
        writer = ContinuationWriter(socket: writing.socket, keeper: Keeper(writing))
    }

    /// Returns the progress of the streams, to show to people: the present progress, and then the
    /// progress after each change.
    ///
    /// The reports come and end as ``BatonConnection/progress(of:)`` says.
    ///
    /// - Returns: The reports.
    /// - Throws: `CocoaError(.featureUnsupported)` for streams of a `Loopback`, which have no
    ///   progress, or ``BatonError`` as ``BatonConnection/progress(of:)`` says.
    public func progress() async throws -> AsyncStream<StreamProgress> {
        guard let follow = bytes.socket.follow else { throw CocoaError(.featureUnsupported) }
        return try await follow()
    }
}

/// Keeps a Foundation stream alive, because a stream ends its direction of the connection when it
/// is released.
///
/// - Note: `@unchecked Sendable`: the object is only ever released.
final class Keeper: @unchecked Sendable {
    private let stream: Stream
    init(_ stream: Stream) { self.stream = stream }
}

extension UserActivity {
    /// Asks the app that this activity came from for a pair of streams.
    ///
    /// - Returns: The streams.
    /// - Throws: The `CocoaError` that `getContinuationStreams` gives.
    public func continuationChannel() async throws -> ContinuationChannel {
        try ContinuationChannel(await continuationPair())
    }
}

/// The bytes that the other device's app writes, in pieces. Only one iteration may run at a time.
public struct ContinuationBytes: AsyncSequence, Sendable {
    /// A piece of at least one byte.
    public typealias Element = Data

    let socket: StreamSocket
    let keeper: Keeper

    /// Returns an iterator that begins where the last iteration stopped.
    public func makeAsyncIterator() -> Iterator { Iterator(socket: socket, keeper: keeper) }

    /// Reads all bytes to the end of the stream.
    ///
    /// - Parameter limit: The maximum number of bytes to accept.
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

    /// Reads the stream piece by piece.
    public struct Iterator: AsyncIteratorProtocol {
        let socket: StreamSocket
        let keeper: Keeper
        /// The buffer for reads.
        ///
        /// Each piece is a copy of exactly the bytes read, so that keeping it takes no extra
        /// memory.
        private var buffer = [UInt8](repeating: 0, count: 65_536)

        init(socket: StreamSocket, keeper: Keeper) {
            self.socket = socket
            self.keeper = keeper
        }

        /// Returns the next piece, or nil at the end of the stream.
        ///
        /// - Throws: `CocoaError(.userActivityConnectionUnavailable)` when the streams broke, or
        ///   `CancellationError` when the task is cancelled.
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

/// Writes bytes for the other device's app.
public struct ContinuationWriter: Sendable {
    let socket: StreamSocket
    let keeper: Keeper

    /// Writes all bytes. Waits while the other side does not read.
    ///
    /// - Parameter data: The bytes. Empty data has no effect.
    /// - Throws: `CocoaError(.userActivityConnectionUnavailable)` when the streams broke,
    ///   `CocoaError(.userActivityHandoffFailed)` after they were finished, or `CancellationError`
    ///   when the task is cancelled.
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

    /// Ends the stream.
    ///
    /// The other side can still read everything that was written. Releasing the writer also ends
    /// the stream.
    public func finish() { socket.endOutput() }
}

/// Waits for a socket until it is ready or the task is cancelled.
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
