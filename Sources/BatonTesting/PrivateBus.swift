// SPDX-License-Identifier: Apache-2.0

internal import ChildProcesses
public import Foundation
internal import Glibc

/// A message bus for one test: a real `dbus-daemon` without other clients.
///
/// The programs on the bus get a home directory of their own.
public final class PrivateBus: Sendable {
    /// The bus's address, in the form of `DBUS_SESSION_BUS_ADDRESS`.
    public let address: String

    private let process: ChildProcess
    /// A pipe. The bus ends when this end is closed, so the bus does not outlive a crashed test.
    private let lifeline: Pipe

    private init(address: String, process: ChildProcess, lifeline: Pipe) {
        self.address = address
        self.process = process
        self.lifeline = lifeline
    }

    /// A script that runs a bus until standard input ends or SIGTERM arrives. The script keeps the
    /// configuration file until then, because the bus rereads the file when a service is added.
    private static let script = """
        bus=
        trap 'kill $bus 2>/dev/null' TERM
        configuration=$(mktemp) || exit
        printf %s "$1" >"$configuration"
        dbus-daemon --config-file="$configuration" --nofork --nopidfile --nosyslog --print-address </dev/null &
        bus=$!
        exec >/dev/null
        read -r nothing
        kill $bus 2>/dev/null
        wait
        rm -f "$configuration"
        """

    /// Returns the configuration of a session bus, which is dbus's session.conf without the
    /// installed services.
    ///
    /// Otherwise the bus might start an installed service in the middle of a test. For example, an
    /// installed notification server would take the name that the test's own server needs.
    private static func configuration(services: URL?) -> String {
        let directory = services.map { "<servicedir>\($0.appending(path: "dbus-1/services").path)</servicedir>" } ?? ""
        return """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>session</type>
              <listen>unix:tmpdir=/tmp</listen>
              <auth>EXTERNAL</auth>
              \(directory)
              <policy context="default">
                <allow send_destination="*" eavesdrop="true"/>
                <allow eavesdrop="true"/>
                <allow own="*"/>
              </policy>
              <limit name="max_incoming_bytes">1000000000</limit>
              <limit name="max_outgoing_bytes">1000000000</limit>
              <limit name="max_message_size">1000000000</limit>
              <limit name="service_start_timeout">120000</limit>
              <limit name="auth_timeout">240000</limit>
              <limit name="max_completed_connections">100000</limit>
              <limit name="max_incomplete_connections">10000</limit>
              <limit name="max_connections_per_user">100000</limit>
              <limit name="max_pending_service_starts">10000</limit>
              <limit name="max_names_per_connection">50000</limit>
              <limit name="max_match_rules_per_connection">50000</limit>
              <limit name="max_replies_per_connection">50000</limit>
            </busconfig>
            """
    }

    /// The error that is thrown if a bus does not start.
    public struct StartFailure: Error, CustomStringConvertible {
        /// The reason, in one line.
        public var description: String
    }

    /// Starts a bus, and waits until it listens. End it with ``stop()``.
    ///
    /// - Parameter dataHome: The directory whose `dbus-1/services` lists the services of the bus,
    ///   or `nil` for none.
    public static func start(dataHome: URL? = nil) async throws -> PrivateBus {
        let (lifeline, output) = (Pipe(), Pipe())
        let process = try await ChildProcess(
            "/bin/sh", ["-c", script, "sh", configuration(services: dataHome)],
            environment: .own(adding: dataHome.map { ["XDG_DATA_HOME": $0.path] } ?? [:]),
            input: .handle(lifeline.fileHandleForReading), output: .handle(output.fileHandleForWriting))
        let line = await withCheckedContinuation { waiting in
            Thread.detachNewThread { waiting.resume(returning: firstLine(of: output.fileHandleForReading)) }
        }
        guard line.contains(":") else {
            try? lifeline.fileHandleForWriting.close()
            throw StartFailure(description: "dbus-daemon did not say where it listens; is it installed?")
        }
        try FileManager.default.createDirectory(
            at: home(of: line), withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        return PrivateBus(address: line, process: process, lifeline: lifeline)
    }

    /// Runs a closure with a bus, and always ends the bus afterwards.
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

    /// Ends the bus, waits until it is gone, and removes the home directory. All clients lose their
    /// connection.
    public func stop() async {
        try? lifeline.fileHandleForWriting.close()
        process.send(SIGTERM)
        _ = try? await process.end
        try? FileManager.default.removeItem(at: Self.home(of: address))
    }

    /// Returns the home directory of the programs on a bus.
    ///
    /// The programs must not see the user's own files and configuration.
    static func home(of address: String) -> URL {
        let id = address.split(separator: "guid=").last.map { $0.filter(\.isHexDigit) } ?? ""
        return FileManager.default.temporaryDirectory.appending(path: "baton-home-\(id)")
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
