// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import Glibc
import Wording

/// A failure message for people: what failed, and what to do.
struct ToolFailure: Error, CustomStringConvertible {
    let description: String

    /// The exit status of the process.
    let status: ExitStatus

    /// The value of `errno`, if a system call failed.
    let code: Int32?

    /// Whether the socket of a continuation stream failed. The daemon then knows the real reason.
    let isOfStream: Bool

    init(_ description: String, status: ExitStatus = .failed) {
        self.description = description
        self.status = status
        code = nil
        isOfStream = false
    }

    /// Creates the failure of a system call.
    ///
    /// - Parameters:
    ///   - what: The failed operation, such as `cannot write FILE`.
    ///   - code: The value of `errno`.
    ///   - status: The exit status of the process.
    ///   - isOfStream: Whether the socket of a continuation stream failed.
    init(_ what: String, errno code: Int32, status: ExitStatus = .failed, isOfStream: Bool = false) {
        self.status = status
        self.code = code
        description = what + ": " + SystemMessage.text(code, in: .english)
        self.isOfStream = isOfStream
    }

    /// Returns the failure for an output path that is a directory, or an existing file that must
    /// not be replaced.
    ///
    /// - Parameters:
    ///   - path: The name.
    ///   - advice: The advice if the path is a file.
    static func exists(_ path: String, advice: String = "remove it or give another name") -> ToolFailure {
        var status = stat()
        let isDirectory = lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        return ToolFailure(
            isDirectory ? "\(path) is a directory; give the name of a file" : "\(path) exists already; \(advice)",
            status: .cannotWrite)
    }

    /// Returns the one line for standard error.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - message: The argument parser's message for the error.
    static func oneLine(_ error: any Error, message: String) -> String {
        let text: String
        switch error {
        case let error as BatonError: text = error.text(on: .terminal)
        case let error as ToolFailure: text = error.description
        case let error as OutputFailure: text = error.description
        default: text = message.isEmpty ? String(describing: error) : message
        }
        return text.split(whereSeparator: \.isNewline).map { String($0).trimmed }.filter { !$0.isEmpty }.joined(
            separator: " ")
    }
}
