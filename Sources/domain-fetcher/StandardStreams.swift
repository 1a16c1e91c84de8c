// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Reads the question.
enum StandardInput {
    /// Returns the first line without its end, or `nil` if there is none or it is too long.
    static func line(limit: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4_096)
        while bytes.count <= limit {
            let count = read(STDIN_FILENO, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            bytes += piece[..<count]
            if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) { return Array(bytes[..<end]) }
        }
        return nil
    }
}

/// Writes the answer.
enum StandardOutput {
    private static let isTaken = Mutex(false)

    /// Writes the answer and ends the program. Only the first call writes.
    static func end(with bytes: [UInt8]) -> Never {
        let isFirst = isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
        guard isFirst else { while true { pause() } }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { exit(1) }
            rest = rest.dropFirst(count)
        }
        exit(0)
    }
}
