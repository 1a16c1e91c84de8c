// SPDX-License-Identifier: GPL-3.0-or-later

internal import CBluetooth
internal import Glibc

/// A failed operation on a credit-based channel.
public struct L2CAPError: Error, Hashable, Sendable {
    /// The kinds of failure. Later versions may add more.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's stable name.
        public let description: String
        private init(_ description: String) { self.description = description }

        /// This system has no Bluetooth sockets.
        public static let unsupported = Code("unsupported")
        /// The process has no permission.
        public static let notPermitted = Code("not permitted")
        /// No adapter can carry the channel, because there is none or it is off.
        public static let noAdapter = Code("no adapter")
        /// The PSM is in use, or all dynamic PSMs are.
        public static let addressInUse = Code("address in use")
        /// The peer does not answer, or nothing listens on that PSM.
        public static let unreachable = Code("unreachable")
        /// No answer came within the time limit.
        public static let timedOut = Code("timed out")
        /// The kernel refused an SDU as too large although it fits the announced MTU. Only
        /// disconnecting the link helps.
        public static let brokenLink = Code("broken link")
        /// The arguments are invalid.
        public static let invalidArgument = Code("invalid argument")
        /// A limit of this process or machine has been reached.
        public static let resourceExhausted = Code("resource exhausted")
        /// Another failure. ``L2CAPError/errno`` says which.
        public static let other = Code("other")
    }

    /// The kind of failure.
    public var code: Code
    /// The operation that failed, such as `connect to C0:FF:EE:00:00:01/public`.
    public var operation: String
    /// The system's error number, or 0 if the system did not report the failure.
    public var errno: CInt

    /// Creates a failure that the system did not report.
    public init(_ code: Code, _ operation: String, errno: CInt = 0) {
        self.code = code
        self.operation = operation
        self.errno = errno
    }

    /// Creates a failure that the system reported.
    public init(errno: CInt, _ operation: String) {
        self.init(Self.code(of: errno), operation, errno: errno)
    }

    /// The symbolic name of the errno, such as `EAFNOSUPPORT`, or `nil` if there is none.
    public var errnoName: String? {
        guard errno != 0 else { return nil }
        return cbluetooth_errno_name(errno).map { String(cString: $0) } ?? "errno \(errno)"
    }

    /// Whether the peer's kernel refused the channel at once.
    ///
    /// Nothing listens on that PSM, or the peer's kernel believes that the channel's identifier is
    /// in use.
    public var isRefusal: Bool { errno == ECONNREFUSED }

    /// Whether the peer was heard, but the link was not established, because a packet was lost.
    ///
    /// Source: Bluetooth Core Specification, Vol 1, Part F, 2.59 "Connection Failed to be
    /// Established" (0x3e).
    public var isMissed: Bool { errno == ENOSYS }

    /// Whether the peer closed the channel before this side's kernel considered it open.
    public var isReset: Bool { errno == ECONNRESET }

    private static func code(of errno: CInt) -> Code {
        switch errno {
        case EAFNOSUPPORT, EPROTONOSUPPORT, ESOCKTNOSUPPORT: .unsupported
        case EACCES, EPERM: .notPermitted
        case ENODEV, EHOSTUNREACH, ENETDOWN, ENETUNREACH, EADDRNOTAVAIL: .noAdapter
        case EADDRINUSE: .addressInUse
        case ECONNREFUSED, EHOSTDOWN, ECONNRESET, ECONNABORTED, EPIPE, ENOTCONN, EBADE, EIO, EPROTO: .unreachable
        // The kernel gives this errno for controller errors that it does not know. One of these
        // errors is 0x3e, "connection failed to be established", which means that the peer did not
        // hear the request.
        case ENOSYS: .unreachable
        case ETIMEDOUT: .timedOut
        case EMSGSIZE: .brokenLink
        case EINVAL, EBADF: .invalidArgument
        case EMFILE, ENFILE, ENOMEM, ENOBUFS, EBUSY: .resourceExhausted
        default: .other
        }
    }

    /// One line that says what failed and what to do, without the errno.
    public var message: String { "cannot \(operation): \(advice)" }

    /// The advice for the user.
    private var advice: String {
        switch code {
        case .unsupported:
            "there are no Bluetooth sockets here: run \"sudo modprobe bluetooth\", allow AF_BLUETOOTH in a sandbox, "
                + "leave containers with a network of their own"
        case .notPermitted: "not permitted: PSMs below 0x80 need CAP_NET_BIND_SERVICE"
        case .noAdapter: "no Bluetooth adapter is on: plug one in, or run \"bluetoothctl power on\""
        case .addressInUse: "the PSM is taken: close what listens on it, or let the kernel choose one"
        case .unreachable: "no answer: move closer, and see that the other device still advertises"
        case .timedOut: "no answer in time: move closer, and see that the other device still advertises"
        case .brokenLink: "the link is broken: drop it with \"bluetoothctl disconnect\", then try again"
        case .invalidArgument: "the request makes no sense"
        case .resourceExhausted: "a limit was reached: close other channels first"
        default: "failed"
        }
    }
}

extension L2CAPError: CustomStringConvertible {
    /// The message, followed by the name of the errno.
    public var description: String { message + (errnoName.map { " (\($0))" } ?? "") }
}
