// SPDX-License-Identifier: Apache-2.0

import Descriptors
import FoundationEssentials
import Glibc
import UserInfoJSON

/// A connection to the adapter for terminals (Documentation/Terminals.md). Both sides send lines of
/// JSON.
struct TerminalAdapter {
    /// The type of the activities of terminals.
    static let activityType = "org.batonproject.terminal.work"
    static let identifier = "org.batonproject.Adapter.Terminals"
    private static let version: Int64 = 1
    /// The largest size of a line, in bytes.
    private static let longestLine = 65_536
    /// How long the adapter may take for an answer, in seconds. The adapter may have to run git.
    private static let patience = 20
    private static let name = "the adapter for terminals"

    private let socket: OpenDescriptor

    /// Connects to the adapter.
    ///
    /// - Throws: ``ToolFailure`` if the adapter does not run.
    init() throws {
        let runtime = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"] ?? ""
        let number = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw ToolFailure("cannot connect to \(Self.name)", errno: errno) }
        socket = OpenDescriptor(number)
        guard runtime.hasPrefix("/"), let address = UnixAddress(path: runtime + "/baton/shells/socket"),
            address.connect(number) == 0
        else {
            throw ToolFailure(
                "\(Self.name) does not run; install the package baton-adapters, and see 'baton adapters'")
        }
        var limit = timeval(tv_sec: Self.patience, tv_usec: 0)
        setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Sends a request, and returns the adapter's answer.
    func ask(_ request: [String: JSONNode]) throws -> [String: JSONNode] {
        let line = try JSONNode.object(request.merging(["version": .int(Self.version)]) { $1 }).text() + "\n"
        try Descriptor.writeAll(Array(line.utf8)[...], to: socket.number, called: Self.name)
        return try answer()
    }

    /// Waits for the adapter's next line.
    func answer() throws -> [String: JSONNode] {
        var (bytes, byte) = ([UInt8](), UInt8(0))
        while bytes.count <= Self.longestLine {
            let count = recv(socket.number, &byte, 1, 0)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { break }
            guard byte != UInt8(ascii: "\n") else {
                guard case .object(let found)? = try? JSONNode(parsing: Data(bytes)) else { break }
                return found
            }
            bytes.append(byte)
        }
        throw ToolFailure("\(Self.name) does not answer; see 'baton doctor'")
    }
}
