// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// How far an offer has come that is being handed to an app, or to the browser: `Offers.Progress`.
public struct OfferProgress: Hashable, Sendable {
    /// The offer's id.
    public var offer: String
    /// How far it has come.
    public var phase: Phase
    /// The app that continues it, or did not; `nil` while that is not known, and where the browser
    /// has the page.
    ///
    /// The page's address goes only to who called `Open`: it may hold what is nobody else's, and
    /// this is told to everyone.
    public var opened: OpenedOffer?
    /// Why it has failed, with ``Phase/failed`` only.
    public var error: BatonError?

    /// A step.
    public init(offer: String, phase: Phase, opened: OpenedOffer? = nil, error: BatonError? = nil) {
        self.offer = offer
        self.phase = phase
        self.opened = opened
        self.error = error
    }

    /// What is being waited for, in one word. More may come.
    public struct Phase: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
        /// The word.
        public var rawValue: String
        /// A phase with this word.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The word.
        public var description: String { rawValue }

        /// The other device is asked for the activity, while the app is being started.
        public static let fetching = Phase(rawValue: "fetching")
        /// The activity is here; the app, or the browser, is still being started.
        public static let starting = Phase(rawValue: "starting")
        /// The app has been handed the activity, and is opening it.
        public static let delivering = Phase(rawValue: "delivering")
        /// The activity was continued.
        public static let done = Phase(rawValue: "done")
        /// It was not.
        public static let failed = Phase(rawValue: "failed")
    }
}

extension OfferProgress {
    var details: [String: DBusValue] {
        var details: [String: DBusValue] = if case .application = opened { opened?.bus ?? [:] } else { [:] }
        details["error"] = error.map { plain($0.code.rawValue) }
        details["message"] = error.map { plain($0.message) }
        return details
    }

    /// A signal of the Offers interface; `nil` for another, or one that is malformed.
    init?(_ signal: DBusSignal) {
        guard signal.member == "Progress", signal.arguments.signature == "ssa{sv}",
            let offer = signal.arguments[0].stringValue, let phase = signal.arguments[1].stringValue,
            let details = try? Properties(signal.arguments[2])
        else { return nil }
        let code = details.text("error").map(BatonError.Code.init(rawValue:))
        self.init(
            offer: offer, phase: Phase(rawValue: phase), opened: try? OpenedOffer(bus: signal.arguments[2]),
            error: code.map { BatonError($0, details.text("message") ?? "") })
    }
}
