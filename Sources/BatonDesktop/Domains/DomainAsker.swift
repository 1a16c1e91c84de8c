// SPDX-License-Identifier: Apache-2.0

import AssociatedDomains
import ChildProcesses
import Descriptors
import DesktopEntries
import Diagnosis
import FoundationEssentials
import Glibc
import Threads

/// Asks domains through the program `domain-fetcher`, so that the daemon itself never contacts a
/// server.
///
/// If the systemd user manager listens on the program's socket, systemd starts the program with
/// access to little but the network. Otherwise the program is a child process, which shares only a
/// pair of sockets with the daemon.
public struct DomainAsker: Sendable {
    /// The way to the program.
    public enum Place: Hashable, Sendable {
        /// A socket. systemd starts a program for each connection to it.
        case socket(String)
        /// The path of the program.
        case program(String)
    }

    /// The way to the program, or nil if there is none.
    private let place: Place?

    /// The time limit for an answer, in seconds. The program's own limit is ten seconds.
    private static let limit = 20

    /// Creates an asker. If `place` is nil, the asker asks no domain.
    public init(_ place: Place?) { self.place = place }

    /// The way to the program on this computer, or nil if the program is not installed. The way is
    /// systemd's socket, or the path of the program in the daemon's directory or in `lib/baton`
    /// beside that directory.
    public static var installed: Place? {
        let socket = BaseDirectories.runtime?.appending(path: "baton/domain-fetcher").path
        if let socket, FileManager.default.fileExists(atPath: socket) { return .socket(socket) }
        guard let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else { return nil }
        let directory = URL(filePath: own).deletingLastPathComponent()
        return ["domain-fetcher", "../lib/baton/domain-fetcher"].lazy
            .compactMap { Programs.ofProcess.path(of: directory.appending(path: $0).standardized.path) }
            .first
            .map { .program($0) }
    }

    /// Asks a domain. If anything fails, the domain counts as one that did not answer.
    func ask(_ request: FetchRequest) async -> FetchAnswer {
        do throws(DomainProblem) {
            switch place {
            case .socket(let path): return try await exchange(request, over: try Self.connected(to: path))
            case .program(let path): return try await askChild(request, path)
            case nil: throw DomainProblem(.fetcherMissing)
            }
        } catch {
            return .unreachable(error)
        }
    }

    /// Asks a child process, whose standard input and output are one end of a socket pair.
    private func askChild(_ request: FetchRequest, _ program: String) async throws(DomainProblem) -> FetchAnswer {
        guard let (own, its) = OwnedDescriptor.socketPair(), let number = its.withDescriptor({ $0 }) else {
            throw DomainProblem(.fetcherNotStarted, errno: errno)
        }
        let child: ChildProcess
        do {
            child = try await ChildProcess(
                program, environment: .only(["PATH": "/usr/bin:/bin"]), directory: "/",
                input: .descriptor(number, close: {}), output: .descriptor(number, close: { its.close() }))
        } catch {
            throw DomainProblem(.fetcherNotStarted, message: "\(error)")
        }
        defer { child.send(SIGKILL) }
        return try await exchange(request, over: own)
    }

    private static func connected(to path: String) throws(DomainProblem) -> OwnedDescriptor {
        guard let address = UnixAddress(path: path) else {
            throw DomainProblem(.fetcherUnreached, errno: ENAMETOOLONG)
        }
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw DomainProblem(.fetcherUnreached, errno: errno) }
        let descriptor = OwnedDescriptor(adopting: number)
        let code = address.connect(number) == 0 ? 0 : errno
        guard code == 0 else { throw DomainProblem(.fetcherUnreached, errno: code) }
        return descriptor
    }

    /// Writes the question, and reads the answer to its end.
    private func exchange(
        _ request: FetchRequest, over descriptor: OwnedDescriptor
    ) async throws(DomainProblem) -> FetchAnswer {
        let question = request.line + [UInt8(ascii: "\n")]
        let line: [UInt8]
        do {
            line = try await OwnThread.run {
                descriptor.withDescriptor { $0.map { Self.exchange(question, over: $0) } ?? [] }
            }
        } catch {
            // No thread is left.
            throw DomainProblem(.fetcherFailed)
        }
        guard let answer = FetchAnswer(line: line, about: request.apps) else {
            throw DomainProblem(.fetcherFailed)
        }
        return answer
    }

    /// Writes the question and reads the answer, with limits on its length and time. Returns an
    /// empty array for an incomplete answer.
    private static func exchange(_ question: [UInt8], over descriptor: Int32) -> [UInt8] {
        var (answer, rest) = ([UInt8](), question[...])
        let end = ContinuousClock.now + .seconds(limit)
        var piece = [UInt8](repeating: 0, count: 16_384)
        while answer.count <= FetchAnswer.maximumLength {
            let left = (end - .now) / .milliseconds(1)
            var poll = pollfd(fd: descriptor, events: Int16(rest.isEmpty ? POLLIN : POLLOUT), revents: 0)
            guard left > 0, Glibc.poll(&poll, 1, Int32(left) + 1) >= 0 || errno == EINTR else { break }
            guard poll.revents != 0 else { continue }
            let count: Int
            if rest.isEmpty {
                count = recv(descriptor, &piece, piece.count, Int32(MSG_DONTWAIT))
                if count > 0 { answer += piece[..<count] }
            } else {
                count = rest.withUnsafeBytes {
                    send(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
                }
                if count > 0 { rest = rest.dropFirst(count) }
            }
            if count < 0, [EINTR, EAGAIN].contains(errno) { continue }
            if count <= 0 { break }
        }
        guard answer.last == UInt8(ascii: "\n") else { return [] }
        return answer.dropLast()
    }
}
