// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Diagnosis
import FoundationEssentials

/// The latest pairing by digits, the latest code, and a return to the circle that is in progress.
struct Pairings {
    /// The last pairing by digits, or nil before the first.
    private(set) var run: PairingRun?
    /// The last code that was shown, or nil before the first.
    private(set) var code: CodeRun?
    /// The new identity of this device while it comes back to the circle from which it was removed;
    /// nil at other times.
    var returning: DeviceIdentity?
    private(set) var limiter = PairingLimiter()
    /// The programs that want to know whether other devices pair. Each program is removed at the
    /// latest when it leaves the bus.
    private var lookers: Set<ClientID> = []

    /// The pairing by digits that is in progress; nil if there is none.
    var runInProgress: PairingRun? { run.flatMap { $0.isOver ? nil : $0 } }

    /// The code that is shown now; nil if there is none.
    var openCode: CodeRun? { code.flatMap { $0.isOver ? nil : $0 } }

    /// Whether a program wants to know whether other devices pair.
    var isLooking: Bool { !lookers.isEmpty }

    /// The phase of the pairing that is in progress; nil if there is none.
    var phase: PairingPhase? {
        guard let run = runInProgress else { return openCode == nil ? nil : .code }
        return run.agreement != nil ? .joining : run.hasDigits ? .comparing : .searching
    }

    /// Returns the pairing by digits that a program has begun.
    func pairing(_ id: String, of client: ClientID) throws -> PairingRun {
        guard let run, run.id == id, run.client == client else { throw BatonError(.notFound, .pairingUnknown) }
        return run
    }

    /// Returns why no pairing by digits can begin now; nil if one can.
    func refusal(_ state: DeviceState, at uptime: Duration) -> BatonError? {
        if state.isCircleUnproved { return BatonError(.noCircle, Finding(.circleOutdated)) }
        if let until = limiter.refusedUntil(at: uptime) {
            let minutes = ((until - uptime) / .seconds(60)).rounded(.up)
            return BatonError(.limitReached, .pairingWaits, ["wait": .duration(.seconds(60) * minutes)])
        }
        return runInProgress == nil ? nil : BatonError(.limitReached, .pairingUnderWay)
    }

    /// Returns when the pause after failed pairings ends; nil if there is no pause.
    func refusedUntil(at now: BeaconAdvertiser.Moment) -> Date? {
        limiter.refusedUntil(at: now.uptime).map {
            Date(timeIntervalSince1970: TimeInterval(now.unixTime) + ($0 - now.uptime) / .seconds(1))
        }
    }

    mutating func begin(_ run: PairingRun) { self.run = run }

    mutating func begin(_ code: CodeRun) { self.code = code }

    /// Records whether a program wants to know whether other devices pair.
    mutating func look(_ isWanted: Bool, for client: ClientID) {
        if isWanted { lookers.insert(client) } else { lookers.remove(client) }
    }

    mutating func succeeded() { limiter.succeeded() }

    /// Counts a failed pairing, if it may have been an attempt to guess the digits.
    mutating func failed(_ run: PairingRun, _ error: any Error, at uptime: Duration) {
        if (error as? PairingFailure)?.isAttempt ?? true { limiter.failed(run.procedure.draws, at: uptime) }
    }
}

extension BatonError {
    /// Creates the error of a failed pairing by digits.
    init(pairingError error: any Error) {
        switch error {
        case let error as BatonError: self = error
        case let failure as PairingFailure: self.init(failure.code, failure.reason)
        case let error as CircleError where error.code == .limitReached:
            self.init(.limitReached, .circleFull, ["reason": .reason(error.explanation)])
        case is ChannelFailure: self.init(.pairingFailed, .pairingBrokeOff)
        default: self.init(.pairingFailed, .pairingFailed, ["reason": BatonError.reason(error)])
        }
    }
}

extension PairingFailure {
    fileprivate var code: BatonError.Code {
        switch self {
        case .abandoned, .declinedHere, .declinedThere, .undecided: .userCancelled
        case .nobodyFound, .unreachable, .noAnswer, .notPairing: .connectionUnavailable
        case .tooManyDevices: .handoffFailed
        case .bothInCircles, .noCircleToReturnTo: .alreadyInCircle
        default: .pairingFailed
        }
    }
}
