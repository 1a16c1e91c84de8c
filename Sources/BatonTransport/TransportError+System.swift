// SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOCore

extension TransportError {
    /// Creates the error for a failed system call.
    ///
    /// - Parameters:
    ///   - errno: The system's error number.
    ///   - message: The failed operation, in words for the user.
    package init(errno: CInt, _ message: String) {
        self.init(Self.code(ofErrno: errno), message, cause: Self.name(ofErrno: errno), errno: errno)
    }

    /// Converts an error from NIO or the system to a ``TransportError``. Returns every other error,
    /// such as a cancellation, unchanged.
    package static func translating(_ error: any Error, _ message: String) -> any Error {
        switch error {
        case let error as IOError: TransportError(errno: error.errnoCode, message)
        case is ChannelError, is EventLoopError: TransportError(.unreachable, message, cause: "\(error)")
        default: error
        }
    }

    private static func code(ofErrno errno: CInt) -> Code {
        switch errno {
        case EMFILE, ENFILE, ENOBUFS, ENOMEM, EADDRINUSE: .resourceExhausted
        case EINVAL, EAFNOSUPPORT, EACCES, EPERM, ENAMETOOLONG: .invalidArgument
        default: .unreachable
        }
    }

    private static func name(ofErrno errno: CInt) -> String {
        switch errno {
        case EACCES: "EACCES"
        case EADDRINUSE: "EADDRINUSE"
        case EADDRNOTAVAIL: "EADDRNOTAVAIL"
        case EAFNOSUPPORT: "EAFNOSUPPORT"
        case EAGAIN: "EAGAIN"
        case ECONNREFUSED: "ECONNREFUSED"
        case ECONNRESET: "ECONNRESET"
        case EHOSTUNREACH: "EHOSTUNREACH"
        case EINVAL: "EINVAL"
        case EMFILE: "EMFILE"
        case ENAMETOOLONG: "ENAMETOOLONG"
        case ENETUNREACH: "ENETUNREACH"
        case ENFILE: "ENFILE"
        case ENOENT: "ENOENT"
        case ENOTDIR: "ENOTDIR"
        case EPERM: "EPERM"
        case EROFS: "EROFS"
        case ETIMEDOUT: "ETIMEDOUT"
        default: "errno \(errno)"
        }
    }
}
