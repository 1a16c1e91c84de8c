// SPDX-License-Identifier: Apache-2.0

import BatonBus
import ChildProcesses
import Descriptors
import Diagnosis
import FoundationEssentials
import Glibc
import Threads

/// The report for somebody who helps the user: what `baton doctor` finds, and a trace.
enum Report {
    /// The maximum size, in bytes.
    private static let largest = 1 << 20
    /// How long the trace runs.
    private static let traceTime = Duration.seconds(5)

    static func make(for bus: BatonBusClient) async -> String {
        async let trace = trace(of: bus)
        let doctor = await examination()
        return "baton \(BatonVersion.current)\n\n\(doctor)\n\(await trace)"
    }

    /// Writes a report to a new file that only the user can read.
    static func save(_ text: String, to path: String) throws {
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard FileManager.default.createFile(atPath: path, contents: Data(text.utf8), attributes: attributes) else {
            throw BatonError(
                .failed, .reportUnwritten, ["file": .text(path), "reason": .reason(Reason(errno: errno))])
        }
    }

    /// Returns the findings of `baton doctor`, which is installed beside this program.
    private static func examination() async -> String {
        guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
            let (reading, writing) = OwnedDescriptor.socketPair(), let reader = reading.take(),
            let writer = writing.take()
        else { return "" }
        let program = URL(filePath: path).deletingLastPathComponent().appending(path: "baton").path
        do {
            _ = try await ChildProcess(
                program, ["doctor"], output: .descriptor(writer, close: { close(writer) }), error: .none)
        } catch {
            close(writer)
        }
        return await read(reader)
    }

    private static func trace(of bus: BatonBusClient) async -> String {
        guard let reader = try? await bus.trace(revealing: []).take() else { return "" }
        async let text = read(reader)
        try? await Task.sleep(for: traceTime)
        shutdown(reader, Int32(SHUT_RDWR))
        return await text
    }

    /// Reads a descriptor to its end, and closes it.
    private static func read(_ descriptor: Int32) async -> String {
        let bytes = try? await OwnThread.run {
            var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
            while bytes.count < largest {
                let count = Glibc.read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                bytes += buffer.prefix(count)
            }
            close(descriptor)
            return bytes
        }
        return String(decoding: bytes ?? [], as: UTF8.self)
    }
}
