// SPDX-License-Identifier: GPL-3.0-or-later

import ActivityModel
import BatonBus
import BatonDesktop
import Diagnosis
import TraceModel

/// Answers the session bus when the device's state cannot be used: it says what is wrong, and does
/// nothing else.
///
/// A new identity is not made: the user could take it for the old one, and what was lost would be
/// lost unseen.
struct UnusableStateHandler: BatonBusHandler {
    /// What is wrong, and what to do.
    let problem: String
    let deviceName: String
    let version: String
    let callers: Callers

    func admit(_ client: ClientID) async throws -> Admission {
        _ = try await callers.caller(client)
        return .managing
    }

    func account(of client: ClientID) async -> String? { nil }

    private var refusal: BatonError { BatonError(.failed, problem) }

    func status() async throws -> DaemonStatus {
        DaemonStatus(
            version: version, radio: "none", radioCondition: "off", radioSummary: "not used while the keys cannot be",
            device: "", deviceName: deviceName, withoutCircle: problem, pairingRefusal: problem,
            findings: [Finding(.keysUnusable, problem)])
    }

    func createCircle(name: String) async throws -> CircleSummary { throw refusal }
    func invite() async throws -> CircleInvitation { throw refusal }
    func joinCircle(invitation: String) async throws -> CircleSummary { throw refusal }
    func pair(address: String?, anew: Bool, client: ClientID) async throws -> PairingDigits { throw refusal }
    func pairByCode(client: ClientID) async throws -> PairingCode { throw refusal }
    func confirm(pairing: String, same: Bool, client: ClientID) async throws { throw refusal }
    func paired(_ pairing: String, client: ClientID) async throws -> CircleSummary { throw refusal }
    func rename(to name: String) async throws { throw refusal }
    func removeDevice(_ device: String) async throws -> (member: CircleMember, unvouched: [String]) { throw refusal }
    func history() async throws -> [HistoryEntry] { throw refusal }
    func forgetHistory() async throws { throw refusal }
    func stopDevice(_ device: String) async throws -> CircleMember { throw refusal }
    func allowDevice(_ device: String) async throws -> (member: CircleMember, wasStopped: Bool) { throw refusal }
    func ping(_ device: String) async throws -> DeviceAnswer { throw refusal }
    func probe(_ device: String) async throws -> DeviceProbe { throw refusal }
    func leaveCircle() async throws -> [String] { throw refusal }
    func publish(
        _ activity: ActivityState, options: PublishOptions, needsSave: Bool, client: ClientID
    ) async throws -> String { throw refusal }
    func update(activity: String, properties: ActivityProperties, client: ClientID) async throws { throw refusal }
    func updateRefused(activity: String, because error: BatonError, client: ClientID) async {}
    func becomeCurrent(activity: String, client: ClientID) async throws { throw refusal }
    func resignCurrent(activity: String, client: ClientID) async throws { throw refusal }
    func invalidate(activity: String, client: ClientID) async throws { throw refusal }
    func offers() async throws -> [OfferSummary] { [] }
    func continueOffer(
        _ offer: String, timeout: Duration?, client: ClientID
    ) async throws -> ContinuedActivity { throw refusal }
    func accept(continuation: String, accepted: Bool, client: ClientID) async throws { throw refusal }
    func openStreams(continuation: String, client: ClientID) async throws -> OpenedStreams { throw refusal }
    func takeStreams(_ stream: String, client: ClientID) async throws -> OpenedStreams { throw refusal }
    func closeStreams(_ stream: String, end: OwnedDescriptor, discards: Bool, client: ClientID) async throws {
        throw refusal
    }
    func openOffer(_ offer: String, options: OpenOptions, client: ClientID) async throws -> OpenedOffer {
        throw refusal
    }
    func followPages(client: ClientID) async throws -> [OpenedPage] { [] }
    func takePage(_ page: String) async throws -> ContinuedActivity { throw refusal }
    func trace(revealing details: Set<TraceDetail>) async throws -> OwnedDescriptor { throw refusal }
    func rules() async throws -> [String] { throw refusal }
    func addRule(_ rule: String, at number: Int?) async throws { throw refusal }
    func removeRule(_ number: Int) async throws { throw refusal }
    func grants() async throws -> [AppGrant] { throw refusal }
    func allow(_ grant: AppGrant) async throws { throw refusal }
    func refuse(_ grant: AppGrant) async throws { throw refusal }
    func domains() async throws -> [DomainStatus] { throw refusal }
    func checkDomain(_ domain: String) async throws -> [DomainStatus] { throw refusal }
    func adapters() async throws -> [AdapterStatus] { throw refusal }
    func allowAdapter(_ adapter: String) async throws { throw refusal }
    func refuseAdapter(_ adapter: String) async throws { throw refusal }
    func switchAdapter(_ adapter: String?, on isOn: Bool) async throws { throw refusal }
    func judge(_ speaker: ClientID, as application: String, client: ClientID) async throws -> SpeakerVerdict {
        throw refusal
    }
    func judgeEnd(
        of socket: OwnedDescriptor, as application: String, client: ClientID
    ) async throws -> SpeakerVerdict { throw refusal }
    func withhold(_ item: WithheldItem?, client: ClientID) async throws { throw refusal }
    func save(_ activity: SavedUserActivity, application: String?, client: ClientID) async throws { throw refusal }
    func deleteSaved(
        persistentIdentifiers: Set<String>, application: String?, client: ClientID
    ) async throws { throw refusal }
    func deleteAllSaved(application: String?, client: ClientID) async throws { throw refusal }
    func savedActivities(
        matching query: String?, application: String?, client: ClientID
    ) async throws -> [SavedUserActivity] { throw refusal }
    func pause(for duration: Duration?) async throws { throw refusal }
    func resume() async throws { throw refusal }
    func cancel(_ continuationOrOffer: String, client: ClientID) async throws {}
    func clientLeft(_ client: ClientID) async {}
}
