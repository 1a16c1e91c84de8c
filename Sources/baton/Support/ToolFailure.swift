// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import Glibc

/// A failure for people: what failed, and what to do about it.
struct ToolFailure: Error, CustomStringConvertible {
    let description: String

    /// What the process says of it to a script.
    let status: ExitStatus

    /// The value of `errno`, if a system call failed.
    let code: Int32?

    /// Whether it was the socket of a continuation stream that failed, the reason of which the
    /// daemon knows.
    let isOfStream: Bool

    init(_ description: String, status: ExitStatus = .failed) {
        self.description = description
        self.status = status
        code = nil
        isOfStream = false
    }

    /// A system call's failure.
    ///
    /// - Parameters:
    ///   - what: What failed, such as `cannot write FILE`.
    ///   - code: The value of `errno`.
    ///   - status: What the process says of it to a script.
    ///   - isOfStream: Whether it was the socket of a continuation stream.
    init(_ what: String, errno code: Int32, status: ExitStatus = .failed, isOfStream: Bool = false) {
        self.status = status
        self.code = code
        description = what + ": " + String(cString: strerror(code))
        self.isOfStream = isOfStream
    }

    /// Something of the name that was given is not to be replaced, or cannot be: a directory.
    ///
    /// - Parameters:
    ///   - path: The name.
    ///   - advice: What to do about a file.
    static func exists(_ path: String, advice: String = "remove it or give another name") -> ToolFailure {
        var status = stat()
        let isDirectory = lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        return ToolFailure(
            isDirectory ? "\(path) is a directory; give the name of a file" : "\(path) exists already; \(advice)",
            status: .cannotWrite)
    }

    /// The one line that standard error gets.
    ///
    /// - Parameters:
    ///   - error: What was thrown.
    ///   - message: The argument parser's words for it.
    static func oneLine(_ error: any Error, message: String) -> String {
        let text: String
        switch error {
        case let error as BatonError: text = error.description + advice(error)
        case let error as ToolFailure: text = error.description
        case let error as OutputFailure: text = error.description
        default: text = message.isEmpty ? String(describing: error) : message
        }
        return text.split(whereSeparator: \.isNewline).map { String($0).trimmed }.filter { !$0.isEmpty }.joined(
            separator: " ")
    }

    /// What to do, where the message of the daemon or of the bus cannot know.
    private static func advice(_ error: BatonError) -> String {
        switch error.code {
        case .daemonNotRunning where !error.message.contains("batond"): "; start it with: batond"
        default: ""
        }
    }
}
