// SPDX-License-Identifier: Apache-2.0

public import ActivityModel
public import TraceModel

/// What the daemon does when it is asked; ``BatonBusService`` calls it.
///
/// Every method may throw a ``BatonError``, which reaches the caller as it is; any other error
/// arrives as `Failed`. Calls of one client begin in the order in which it made them.
public protocol BatonBusHandler: Sendable {
    /// Whether a client is served at all, and what it may do; asked once, before the first of its
    /// calls. What this throws each of them gets.
    func admit(_ client: ClientID) async throws -> Admission
    /// To whose account a client's calls go that was let in, its app's as a rule; nil for its own
    /// alone. All clients of an account share what one may do in a time.
    func account(of client: ClientID) async -> String?
    /// `Daemon.Status`
    func status() async throws -> DaemonStatus
    /// `Daemon.Trace`: begins a trace, that says the details wanted and goes to whoever has the
    /// descriptor.
    func trace(revealing details: Set<TraceDetail>) async throws -> OwnedDescriptor
    /// `Circle.Create`; an empty name means the machine's own.
    func createCircle(name: String) async throws -> CircleSummary
    /// `Circle.Invite`
    func invite() async throws -> CircleInvitation
    /// `Circle.Join`
    func joinCircle(invitation: String) async throws -> CircleSummary
    /// `Circle.Pair`; returns once there are digits to compare.
    ///
    /// - Parameters:
    ///   - address: An IP address and a port to dial; `nil` to find the other device by radio, and
    ///     to be dialled.
    ///   - anew: Whether this device comes back as a new one to the circle from which it was
    ///     removed.
    func pair(address: String?, anew: Bool, client: ClientID) async throws -> PairingDigits
    /// `Circle.PairByCode`; the code is worth nothing once the client has left.
    func pairByCode(client: ClientID) async throws -> PairingCode
    /// `Circle.Confirm`: whether the digits are the same.
    func confirm(pairing: String, same: Bool, client: ClientID) async throws
    /// `Circle.Paired`; returns once both devices are in one circle.
    func paired(_ pairing: String, client: ClientID) async throws -> CircleSummary
    /// `Circle.Rename`, of this device
    func rename(to name: String) async throws
    /// `Circle.Remove`; `device` is an id, or a name that only one device has. Returns which it
    /// was, and the ids of the members that stay although only it vouched for them.
    func removeDevice(_ device: String) async throws -> (member: CircleMember, unvouched: [String])
    /// `Daemon.History`: what left this device, the latest first.
    func history() async throws -> [HistoryEntry]
    /// `Daemon.ForgetHistory`
    func forgetHistory() async throws
    /// `Circle.Stop`; `device` is as for `Remove`. Returns which it is, and until when it gets
    /// nothing.
    func stopDevice(_ device: String) async throws -> CircleMember
    /// `Circle.Allow`; `device` is as for `Remove`. Returns which it is, and whether it was
    /// stopped.
    func allowDevice(_ device: String) async throws -> (member: CircleMember, wasStopped: Bool)
    /// `Circle.Ping`; `device` is an id, or a name that only one device has. Returns once the
    /// device has answered.
    func ping(_ device: String) async throws -> DeviceAnswer
    /// `Circle.Probe`; `device` is as for `Ping`. Returns once both devices have looked for each
    /// other.
    func probe(_ device: String) async throws -> DeviceProbe
    /// `Circle.Leave`; returns the names of the devices that have been told.
    func leaveCircle() async throws -> [String]
    /// `Activities.Publish`; returns the activity's id. It is not current yet.
    func publish(
        _ activity: ActivityState, options: PublishOptions, needsSave: Bool, client: ClientID
    ) async throws -> String
    /// `Activities.Update`
    func update(activity: String, properties: ActivityProperties, client: ClientID) async throws
    /// An `Activities.Update` had properties that cannot be read, and is refused.
    func updateRefused(activity: String, because error: BatonError, client: ClientID) async
    /// `Activities.BecomeCurrent`
    func becomeCurrent(activity: String, client: ClientID) async throws
    /// `Activities.ResignCurrent`
    func resignCurrent(activity: String, client: ClientID) async throws
    /// `Activities.Invalidate`
    func invalidate(activity: String, client: ClientID) async throws
    /// `Activities.TakeStreams`: hands streams over that another device has opened, once. No copy
    /// of the descriptor is kept.
    func takeStreams(_ stream: String, client: ClientID) async throws -> OpenedStreams
    /// `Activities.CloseStreams`: the client is done with a pair of streams, whose end it gives
    /// back.
    func closeStreams(_ stream: String, end: OwnedDescriptor, discards: Bool, client: ClientID) async throws
    /// `Offers.List`
    func offers() async throws -> [OfferSummary]
    /// `Offers.Continue`; `timeout` is `nil` when the caller left it to the daemon.
    func continueOffer(_ offer: String, timeout: Duration?, client: ClientID) async throws -> ContinuedActivity
    /// `Offers.Open`: an app takes the activity over, started if need be. Returns once it has.
    func openOffer(_ offer: String, options: OpenOptions, client: ClientID) async throws -> OpenedOffer
    /// `Offers.Accept`: whether the app took the activity over.
    func accept(continuation: String, accepted: Bool, client: ClientID) async throws
    /// `Offers.OpenStreams`
    func openStreams(continuation: String, client: ClientID) async throws -> OpenedStreams
    /// `Offers.Cancel`, of a continuation, or of an offer whose `Continue` or `Open` is under way.
    func cancel(_ continuationOrOffer: String, client: ClientID) async throws
    /// `Offers.FollowPages`: the client is told of pages from now on, until it leaves. Returns
    /// those that nobody has taken yet.
    func followPages(client: ClientID) async throws -> [OpenedPage]
    /// `Offers.TakePage`
    func takePage(_ page: String) async throws -> ContinuedActivity
    /// `Saved.Save`, for an app that says its id, or `nil` for the caller's own.
    func save(_ activity: SavedUserActivity, application: String?, client: ClientID) async throws
    /// `Saved.Delete`
    func deleteSaved(persistentIdentifiers: Set<String>, application: String?, client: ClientID) async throws
    /// `Saved.DeleteAll`
    func deleteAllSaved(application: String?, client: ClientID) async throws
    /// `Saved.Find`; `query` is `nil` for all there are.
    func savedActivities(
        matching query: String?, application: String?, client: ClientID
    ) async throws -> [SavedUserActivity]
    /// `Rules.List`: the rules in their order.
    func rules() async throws -> [String]
    /// `Rules.Add`, and `Rules.Insert`: the number, from 1, that the rule gets; nil for after the
    /// others.
    func addRule(_ rule: String, at number: Int?) async throws
    /// `Rules.Remove`, by the rule's number, from 1.
    func removeRule(_ number: Int) async throws
    /// `Rules.Pause`; `nil` until `Resume`.
    func pause(for duration: Duration?) async throws
    /// `Rules.Resume`
    func resume() async throws
    /// `Grants.List`: what sandboxed apps ask for, may do and may not.
    func grants() async throws -> [AppGrant]
    /// `Grants.Allow`; the state does not matter.
    func allow(_ grant: AppGrant) async throws
    /// `Grants.Refuse`, of what was granted too; the state does not matter.
    func refuse(_ grant: AppGrant) async throws
    /// `Domains.List`: the domains that apps claim, and what these say.
    func domains() async throws -> [DomainStatus]
    /// `Domains.Check`: asks a domain that an app claims, now.
    func checkDomain(_ domain: String) async throws -> [DomainStatus]
    /// `Adapters.List`: the programs that speak for apps which do not know Baton, by id.
    func adapters() async throws -> [AdapterStatus]
    /// `Adapters.Allow`: one of the user's own counts, as its entry is now.
    func allowAdapter(_ adapter: String) async throws
    /// `Adapters.Refuse`: one of the user's own does not count.
    func refuseAdapter(_ adapter: String) async throws
    /// `Adapters.Switch`: one is on or off in the configuration; nil for the switch of all.
    func switchAdapter(_ adapter: String?, on isOn: Bool) async throws
    /// `Adapters.Judge`: whether an adapter may speak for the program behind a connection, which
    /// claims to be an app; the id is empty where it claims nothing.
    func judge(_ speaker: ClientID, as application: String, client: ClientID) async throws -> SpeakerVerdict
    /// `Adapters.JudgeEnd`: the same of the program at the other end of a socket.
    func judgeEnd(
        of socket: OwnedDescriptor, as application: String, client: ClientID
    ) async throws -> SpeakerVerdict
    /// `Adapters.Withhold`: what an adapter's app has open is not offered; nil: there is nothing of
    /// the kind any more.
    func withhold(_ item: WithheldItem?, client: ClientID) async throws
    /// A client that had called left the bus. None of its calls is being answered any more, and
    /// none will follow.
    func clientLeft(_ client: ClientID) async
}
