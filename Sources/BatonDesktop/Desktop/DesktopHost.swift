// SPDX-License-Identifier: Apache-2.0

public import BatonBus
public import Diagnosis

/// The daemon's services for its desktop side.
public protocol DesktopHost: Sendable {
    /// Fetches an offered activity. The continuation belongs to the daemon at first.
    ///
    /// - Parameter signal: The signal strength in dBm at which a rule requires the device to be
    ///   heard, or nil if the user chose the offer. If there is a value, the device is asked over
    ///   the radio only, and an activity that this device handed over or has open is declined.
    func fetch(_ offer: String, timeout: Duration?, near signal: Int?) async throws -> ContinuedActivity
    /// Verifies over the radio that an offer's device is heard at least this strongly, in dBm.
    ///
    /// An advertisement alone proves nothing, because anybody can replay it.
    func reach(_ offer: String, near signal: Int) async throws
    /// Informs the daemon whether the user looks at this laptop.
    ///
    /// - Parameter needsSignals: Whether a rule waits until another laptop is near. If none does,
    ///   the radio may listen less.
    func attend(_ attendance: Attendance, needsSignals: Bool) async
    /// Sets in which local networks this laptop speaks first. Also sets whether titles are sent
    /// there to devices that have not asked for them, and whether this laptop's screen is locked.
    func useLocalNetworks(_ use: LanUse, tellsTitles: Bool, isLocked: Bool) async
    /// Returns the facts about an offer's activity that are known before a fetch, or nil if the
    /// offer was withdrawn.
    func activity(of offer: String) async -> OfferedActivity?
    /// Stops sending activities to another device for an hour.
    func stop(_ device: String) async throws
    /// Returns the devices of the circle, including this one.
    func members() async -> [CircleMember]
    /// Transfers a continuation from the daemon to an app.
    ///
    /// - Throws: ``BatonError`` with `notAllowed` if the owner of the app's bus name is sandboxed
    ///   and has no permission for the offer's activity.
    func give(_ continuation: String, of offer: OfferSummary, to app: ClientID) async throws
    /// Transfers a page's continuation to an app that the page's domain has approved.
    ///
    /// - Parameters:
    ///   - identifier: The app's id.
    ///   - team: The app's team in the domain's approval.
    /// - Throws: ``BatonError`` with `notAllowed` if the owner of the app's bus name is sandboxed,
    ///   and is another app or was not granted the team.
    func givePage(_ continuation: String, to app: ClientID, called identifier: String, of team: String) async throws
    /// Checks that the owner of an app's bus name may have activities of a type and a team.
    ///
    /// - Throws: ``BatonError`` with `notAllowed` if the owner is sandboxed and has no permission.
    func check(type: String, team: String, for app: ClientID) async throws
    /// Ends all published activities that exceed the current grants, and informs their apps.
    func endWhatIsNotPermitted() async
    /// Tells the other device whether the activity was accepted. `app` is nil for the daemon
    /// itself.
    func accept(_ continuation: String, by app: ClientID?, accepted: Bool) async
    /// Declares the activity types that apps here continue, by team.
    func declare(_ kinds: [String: Set<String>]) async
    /// Turns advertising on or off, and sets which activities stay hidden. `whyHidden` returns the
    /// reason why an activity of a type and an app is hidden, or nil if it is not.
    func advertise(
        _ isWanted: Bool, hidden whyHidden: @escaping @Sendable (_ type: String, _ app: String?) -> Reason?
    ) async
    /// Announces an offer whose app or visibility has changed.
    func tellChanged(_ offer: OfferSummary) async
    /// Announces the progress of an offer that is being opened.
    func tellProgress(_ progress: OfferProgress) async
    func tellAdapters(_ active: [String]) async
    /// Announces the apps that can take part.
    func tellApps(_ apps: InstalledApps) async
    /// Informs a browser extension that a page is about to be opened in the default browser.
    func tellOpened(_ page: OpenedPage, to follower: ClientID) async
}
