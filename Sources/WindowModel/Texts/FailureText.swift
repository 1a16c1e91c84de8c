// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis
import Wording

/// Sentences for requests that the daemon refused or that failed.
enum FailureText {
    /// Returns why an offer was not continued.
    static func continuing(_ error: BatonError) -> String {
        if let reason = error.reason?.text(on: .ownWindow) {
            return tr("It could not be continued. {reason}", ["reason": ShownText.sentence(reason)])
        }
        return switch error.code {
        case .connectionUnavailable:
            tr("It could not be continued. The other laptop does not answer. Bring it closer and try again.")
        case .remoteApplicationTimedOut:
            tr("It could not be continued. The app on the other laptop did not answer in time. Try again.")
        case .applicationFailed: tr("It could not be continued. No app on this laptop has taken it over.")
        case .notFound: tr("It is no longer offered.")
        case .handoffFailed: tr("It could not be continued. The other laptop has refused.")
        default: any(error)
        }
    }

    /// Returns why two laptops were not paired.
    ///
    /// - Parameters:
    ///   - wait: The time to wait, in minutes, before another pairing by digits.
    ///   - hasRadio: Whether Bluetooth can be used here.
    static func pairing(_ error: BatonError, wait: Int?, hasRadio: Bool) -> String {
        if let wait {
            return ntr(
                "You can compare digits again in {count} minute. Until then you can show a code.",
                "You can compare digits again in {count} minutes. Until then you can show a code.", wait)
        }
        return switch (error.code, error.reason?.failure) {
        case (.radioUnavailable, _),
            (_, .nobodyPairing?) where !hasRadio:
            withoutRadio
        // The daemon's sentence is about the argument of a call.
        case (.invalidArgument, let failure) where failure != .addressUnusable:
            tr("That is not an address, such as 192.168.1.7:42424.")
        // The window calls an invitation a code.
        case (.invitationInvalid, .invitationMalformed?):
            tr("This code is not valid, or is too old. Show a new one on the other laptop.")
        default: any(error)
        }
    }

    /// What to do if Bluetooth cannot be used to find the other laptop.
    static var withoutRadio: String {
        tr("Bluetooth cannot be used. Turn it on, or type the other laptop's address.")
    }

    /// Returns why the camera read no code.
    static func scanning(_ failure: ScanFailure) -> String {
        switch failure {
        case .noCamera: tr("This laptop has no camera. Connect one, or paste the code.")
        case .busy: tr("Another app is using the camera. Close that app and try again.")
        case .gone: tr("The camera was unplugged, or has stopped. Connect it and try again.")
        case .late: tr("The camera saw no code for two minutes. Bring the other laptop closer and try again.")
        case .silent: tr("The camera does not answer. Try again, or paste the code.")
        case .failed: tr("The camera cannot be used. Paste the code.")
        }
    }

    /// Returns why something else failed.
    static func any(_ error: BatonError) -> String {
        switch error.code {
        case .daemonNotRunning, .busUnavailable: tr("Baton is not running.")
        default: ShownText.sentence(error.text(on: .ownWindow))
        }
    }
}
