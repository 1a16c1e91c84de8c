// SPDX-License-Identifier: GPL-3.0-or-later

internal import CBluetooth
internal import Glibc

/// Why a credit-based channel could not do what it was asked.
public struct L2CAPError: Error, Hashable, Sendable {
    /// The kinds of failure; more may come.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's stable name.
        public let description: String
        private init(_ description: String) { self.description = description }

        /// There are no Bluetooth sockets here.
        public static let unsupported = Code("unsupported")
        /// The process may not do this.
        public static let notPermitted = Code("not permitted")
        /// No adapter can carry it: none there, or off.
        public static let noAdapter = Code("no adapter")
        /// The PSM is taken, or every dynamic one is.
        public static let addressInUse = Code("address in use")
        /// Nobody answers there, or nobody listens on that PSM.
        public static let unreachable = Code("unreachable")
        /// No answer in the time that was given.
        public static let timedOut = Code("timed out")
        /// An SDU was refused as too large though it fits the announced MTU: only dropping the link
        /// repairs that.
        public static let brokenLink = Code("broken link")
        /// The arguments can never be met.
        public static let invalidArgument = Code("invalid argument")
        /// A limit of this process or machine was reached.
        public static let resourceExhausted = Code("resource exhausted")
        /// Something else; ``L2CAPError/errno`` tells.
        public static let other = Code("other")
    }

    /// What kind of failure it is.
    public var code: Code
    /// What was being done: `connect to C0:FF:EE:00:00:01/public`.
    public var operation: String
    /// What the system said; 0 when it was not the system that said it.
    public var errno: CInt

    /// A failure of a kind that was found out without the system.
    public init(_ code: Code, _ operation: String, errno: CInt = 0) {
        self.code = code
        self.operation = operation
        self.errno = errno
    }

    /// A failure that the system reported.
    public init(errno: CInt, _ operation: String) {
        self.init(Self.code(of: errno), operation, errno: errno)
    }

    /// The errno's symbolic name, `EAFNOSUPPORT`; `nil` when there was none.
    public var errnoName: String? {
        guard errno != 0 else { return nil }
        return cbluetooth_errno_name(errno).map { String(cString: $0) } ?? "errno \(errno)"
    }

    /// Whether the peer's kernel refused the channel at once: nobody listens on that PSM, or it
    /// holds the channel's identifier for taken.
    public var isRefusal: Bool { errno == ECONNREFUSED }

    private static func code(of errno: CInt) -> Code {
        switch errno {
        case EAFNOSUPPORT, EPROTONOSUPPORT, ESOCKTNOSUPPORT: .unsupported
        case EACCES, EPERM: .notPermitted
        case ENODEV, EHOSTUNREACH, ENETDOWN, ENETUNREACH, EADDRNOTAVAIL: .noAdapter
        case EADDRINUSE: .addressInUse
        case ECONNREFUSED, EHOSTDOWN, ECONNRESET, ECONNABORTED, EPIPE, ENOTCONN, EBADE, EIO, EPROTO: .unreachable
        // What the kernel makes of reasons of a controller's that it has no name for, as of 0x3e,
        // "connection failed to be established": the peer has not heard the call.
        case ENOSYS: .unreachable
        case ETIMEDOUT: .timedOut
        case EMSGSIZE: .brokenLink
        case EINVAL, EBADF: .invalidArgument
        case EMFILE, ENFILE, ENOMEM, ENOBUFS, EBUSY: .resourceExhausted
        default: .other
        }
    }

    /// What failed and what to do, in one line, without the errno.
    public var message: String { "cannot \(operation): \(advice)" }

    /// What to do about it.
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
    /// The message, with the errno's name.
    public var description: String { message + (errnoName.map { " (\($0))" } ?? "") }
}
