// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// The progress of an offer that is being opened in an app or the browser: the signal
/// `Offers.Progress`.
public struct OfferProgress: Hashable, Sendable {
    /// The offer's id.
    public var offer: String
    /// The phase that the offer has reached.
    public var phase: Phase
    /// The app that continues the offer or failed to continue it, or `nil` if the app is not known
    /// yet.
    ///
    /// The signal leaves out a page that the browser opens, because the address may be confidential
    /// and every program receives the signal. Only the caller of `Open` gets the address.
    public var opened: OpenedOffer?
    /// The error, only if the phase is ``Phase/failed``.
    public var error: BatonError?

    /// Creates a progress report.
    public init(offer: String, phase: Phase, opened: OpenedOffer? = nil, error: BatonError? = nil) {
        self.offer = offer
        self.phase = phase
        self.opened = opened
        self.error = error
    }

    /// The step that a continuation has reached, as one word. Later versions may add more.
    public struct Phase: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
        /// The word.
        public var rawValue: String
        /// Creates a phase with this word.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The word.
        public var description: String { rawValue }

        /// Baton fetches the activity from the other device while the app starts.
        public static let fetching = Phase(rawValue: "fetching")
        /// The activity has arrived, but the app or the browser is still starting.
        public static let starting = Phase(rawValue: "starting")
        /// The app has received the activity and is opening it.
        public static let delivering = Phase(rawValue: "delivering")
        /// The app has taken the activity over.
        public static let done = Phase(rawValue: "done")
        /// The activity could not be continued.
        public static let failed = Phase(rawValue: "failed")
    }
}

extension OfferProgress {
    var details: [String: DBusValue] {
        var details: [String: DBusValue] = if case .application = opened { opened?.bus ?? [:] } else { [:] }
        details["error"] = error.map { plain($0.code.rawValue) }
        details["message"] = error.map { plain($0.message) }
        error?.explain(&details)
        return details
    }

    /// Creates the progress that an Offers signal reports, or `nil` if it is another signal or is
    /// malformed.
    init?(_ signal: DBusSignal) {
        guard signal.member == "Progress", signal.arguments.signature == "ssa{sv}",
            let offer = signal.arguments[0].stringValue, let phase = signal.arguments[1].stringValue,
            let details = try? Properties(signal.arguments[2])
        else { return nil }
        let code = details.text("error").map(BatonError.Code.init(rawValue:))
        self.init(
            offer: offer, phase: Phase(rawValue: phase), opened: try? OpenedOffer(bus: signal.arguments[2]),
            error: code.map { BatonError($0, explainedBy: details.values) })
    }
}
