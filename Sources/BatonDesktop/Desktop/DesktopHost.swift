// SPDX-License-Identifier: Apache-2.0

public import BatonBus

/// What the daemon does for its desktop's side.
public protocol DesktopHost: Sendable {
    /// Fetches an offered activity, for the daemon itself.
    ///
    /// - Parameter signal: For a rule, as nobody has asked for it: how strongly the device has to
    ///   be heard where it is asked, in dBm. Then it is asked over the radio only, and not for what
    ///   this device gave away, or has open.
    func fetch(_ offer: String, timeout: Duration?, near signal: Int?) async throws -> ContinuedActivity
    /// Makes sure, over the radio, that an offer's device is where it is heard with so many dBm at
    /// least: anybody can replay what it advertises.
    func reach(_ offer: String, near signal: Int) async throws
    /// Says whether the user looks at this laptop.
    func attend(_ attendance: Attendance) async
    /// What is known of an offer's activity before it is fetched. Nil when the offer has gone.
    func activity(of offer: String) async -> OfferedActivity?
    /// Gives another device nothing for an hour.
    func stop(_ device: String) async throws
    /// The devices of the circle, this one included.
    func members() async -> [CircleMember]
    /// Makes a continuation of the daemon's own an app's.
    ///
    /// - Throws: ``BatonError``: `notAllowed` where the program that has the app's name is in a
    ///   sandbox, and may not have the offer's activity.
    func give(_ continuation: String, of offer: OfferSummary, to app: ClientID) async throws
    /// Makes a continuation of a page an app's, because the page's domain has approved the app.
    ///
    /// - Parameters:
    ///   - identifier: The app's id.
    ///   - team: The team by which the domain calls it.
    /// - Throws: ``BatonError``: `notAllowed` where the program that has the app's name is in a
    ///   sandbox, and is another app, or was not granted the team.
    func givePage(_ continuation: String, to app: ClientID, called identifier: String, of team: String) async throws
    /// Makes sure that the program that has an app's name may have activities of a type and a team.
    ///
    /// - Throws: ``BatonError``: `notAllowed` where it is in a sandbox, and may not.
    func check(type: String, team: String, for app: ClientID) async throws
    /// Sandboxed apps may do less than before: what they publish beyond it ends, and they are told.
    func endWhatIsNotPermitted() async
    /// Tells the other device whether the activity was taken over; `app` is nil for the daemon
    /// itself.
    func accept(_ continuation: String, by app: ClientID?, accepted: Bool) async
    /// These are the activity types that apps here continue, by team.
    func declare(_ kinds: [String: Set<String>]) async
    /// Whether anything is to be advertised, and why an activity is hidden all the same, by type
    /// and app.
    func advertise(
        _ isWanted: Bool, hidden whyHidden: @escaping @Sendable (_ type: String, _ app: String?) -> String?
    ) async
    /// An offer's app has changed.
    func tellChanged(_ offer: OfferSummary) async
    /// An offer that is being opened has come so far.
    func tellProgress(_ progress: OfferProgress) async
    /// These adapters count from now on, by their ids.
    func tellAdapters(_ active: [String]) async
    /// A page is about to be opened in the default browser.
    func tellOpened(_ page: OpenedPage, to follower: ClientID) async
}
