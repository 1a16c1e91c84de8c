// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis
import UserInfoJSON

/// The tool's exit statuses. They have the numbers of `sysexits.h` if that file has a fitting
/// status.
///
/// `baton --help` shows ``table``, and the manual page is generated from it.
enum ExitStatus: Int32, CaseIterable, Sendable {
    case failed = 1
    case found = 2
    case usage = 64
    case badContents = 65
    case noInput = 66
    case unknown = 67
    case unreachable = 68
    case noDaemon = 69
    case cannotWrite = 73
    case noOutput = 74
    case noOffer = 75
    case refused = 77
    case noCircle = 78
    case interrupted = 130

    /// The meaning in one line of a terminal, at most 75 characters.
    var meaning: String {
        switch self {
        case .failed: "another failure, for example when batond cannot write its own files"
        case .found: "baton doctor has found a problem"
        case .usage: "an option or an argument is wrong"
        case .badContents: "contents cannot be used: bad JSON, a bad invitation, or too much"
        case .noInput: "a file cannot be read"
        case .unknown: "there is no such device, rule or app"
        case .unreachable: "a device or domain is unreachable or broke off, or a pairing failed"
        case .noDaemon: "batond does not run or does not answer, or there is no session bus"
        case .cannotWrite: "a file is there already, or cannot be written"
        case .noOutput: "standard output cannot be written; the command may have taken effect"
        case .noOffer: "there is no such offer, or none came in time"
        case .refused: "it is not allowed, or not now, or not so often, or a user said no"
        case .noCircle: "this device is in no circle"
        case .interrupted: "SIGINT, SIGTERM or SIGHUP came before the end; --watch ends with 0"
        }
    }

    /// All statuses with their meanings, one on each line.
    static var table: String {
        allCases.map { "\($0.rawValue)".padded(to: 5) + $0.meaning }.joined(separator: "\n")
    }

    /// Creates the status for a failure. Returns `nil` for the argument parser's own errors.
    init?(of error: any Error) {
        switch error {
        case let error as ToolFailure: self = error.status
        case is OutputFailure: self = .noOutput
        case is UserInfoJSONError: self = .badContents
        case let error as BatonError where error.isUnanswered: self = .noDaemon
        case let error as BatonError where error.code == .invalidArgument && error.isOfContents: self = .badContents
        case let error as BatonError: self.init(of: error.code)
        default: return nil
        }
    }

    private init(of code: BatonError.Code) {
        switch code {
        case .daemonNotRunning, .busUnavailable: self = .noDaemon
        case .noCircle: self = .noCircle
        case .connectionUnavailable, .handoffFailed, .remoteApplicationTimedOut, .pairingFailed: self = .unreachable
        case .notAllowed, .userCancelled, .limitReached, .alreadyInCircle, .alreadyRunning: self = .refused
        case .invalidArgument: self = .usage
        case .invitationInvalid, .userInfoTooLarge: self = .badContents
        case .notFound: self = .unknown
        default: self = .failed
        }
    }
}

extension BatonError {
    /// Whether the error is about a value in the contents of an activity.
    fileprivate var isOfContents: Bool {
        guard case .text(let argument)? = reason?.values["argument"] else { return false }
        return argument.hasPrefix("userInfo")
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
