// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A message bus of a test's own: a real `dbus-daemon`, with nobody else on it.
public final class PrivateBus: Sendable {
    /// Where to connect, as `DBUS_SESSION_BUS_ADDRESS` says it.
    public let address: String

    private let process: Process
    /// The bus ends when nobody holds this any more: it does not outlive a test that dies.
    private let lifeline: Pipe
    private let ended: AsyncStream<Void>

    private init(address: String, process: Process, lifeline: Pipe, ended: AsyncStream<Void>) {
        self.address = address
        self.process = process
        self.lifeline = lifeline
        self.ended = ended
    }

    /// Runs a bus until standard input ends, or SIGTERM.
    private static let script = """
        dbus-daemon --session --nofork --nopidfile --nosyslog --print-address </dev/null &
        bus=$!
        trap 'kill $bus' TERM
        exec >/dev/null
        read -r nothing
        kill $bus 2>/dev/null
        wait
        """

    /// Why there is no bus.
    public struct StartFailure: Error, CustomStringConvertible {
        /// The error for people.
        public var description: String
    }

    /// Starts a bus and waits until it listens. End it with ``stop()``.
    ///
    /// - Parameter dataHome: where `dbus-1/services` says what the bus starts; nil for what is installed.
    public static func start(dataHome: URL? = nil) async throws -> PrivateBus {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script]
        if let dataHome {
            process.environment = ProcessInfo.processInfo.environment.merging(["XDG_DATA_HOME": dataHome.path]) { $1 }
        }
        let (lifeline, output) = (Pipe(), Pipe())
        process.standardInput = lifeline
        process.standardOutput = output
        let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in continuation.finish() }
        let line: String = try await withCheckedThrowingContinuation { waiting in
            Thread.detachNewThread {
                do {
                    try process.runHearingSignals()
                    waiting.resume(returning: firstLine(of: output.fileHandleForReading))
                } catch {
                    waiting.resume(throwing: error)
                }
            }
        }
        guard line.contains(":") else {
            try? lifeline.fileHandleForWriting.close()
            throw StartFailure(description: "dbus-daemon did not say where it listens; is it installed?")
        }
        return PrivateBus(address: line, process: process, lifeline: lifeline, ended: ended)
    }

    /// Runs a closure with a bus, and ends the bus whatever happens.
    public static func with<Result: Sendable>(
        _ body: @Sendable (PrivateBus) async throws -> Result
    ) async throws -> Result {
        let bus = try await start()
        do {
            let result = try await body(bus)
            await bus.stop()
            return result
        } catch {
            await bus.stop()
            throw error
        }
    }

    /// Ends the bus and waits until it has gone; whoever is connected loses the connection.
    public func stop() async {
        try? lifeline.fileHandleForWriting.close()
        if process.isRunning { process.terminate() }
        for await _ in ended {}
    }

    private static func firstLine(of handle: FileHandle) -> String {
        var bytes = Data()
        while bytes.count < 4_096, let byte = try? handle.read(upToCount: 1), let first = byte.first {
            if first == UInt8(ascii: "\n") { break }
            bytes.append(first)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
