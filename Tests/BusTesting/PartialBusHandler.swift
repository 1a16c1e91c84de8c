// SPDX-License-Identifier: Apache-2.0

public import ActivityModel
public import BatonBus

/// A handler for tests of one concern: what it does not say itself is that of a daemon that has
/// nothing of it. What serves users says all of it itself.
public protocol PartialBusHandler: BatonBusHandler {}

extension PartialBusHandler {
    /// Everybody is served.
    public func admit(_ client: ClientID) async throws -> Admission { .managing }
    /// Each client has its own.
    public func account(of client: ClientID) async -> String? { nil }

    /// Nobody waits for the contents.
    public func updateRefused(activity: String, because error: BatonError, client: ClientID) async {}

    /// None is opened.
    public func followPages(client: ClientID) async throws -> [OpenedPage] { [] }
    /// None was opened.
    public func takePage(_ page: String) async throws -> ContinuedActivity {
        throw BatonError(.notFound, "there is no page \(page)")
    }

    private var grantsNothing: BatonError { BatonError(.failed, "this daemon grants nothing") }
    /// There are none.
    public func grants() async throws -> [AppGrant] { [] }
    /// Nothing is granted.
    public func allow(_ grant: AppGrant) async throws { throw grantsNothing }
    /// Nothing was granted.
    public func refuse(_ grant: AppGrant) async throws { throw grantsNothing }

    /// No app claims any.
    public func domains() async throws -> [DomainStatus] { [] }
    /// No app claims any.
    public func checkDomain(_ domain: String) async throws -> [DomainStatus] {
        throw BatonError(.notFound, "this daemon knows of no domains")
    }

    private func noAdapter(_ adapter: String?) -> BatonError {
        BatonError(.notFound, "this daemon has no adapters" + (adapter.map { ": there is no \($0)" } ?? ""))
    }
    /// There are none.
    public func adapters() async throws -> [AdapterStatus] { [] }
    /// There are none.
    public func allowAdapter(_ adapter: String) async throws { throw noAdapter(adapter) }
    /// There are none.
    public func refuseAdapter(_ adapter: String) async throws { throw noAdapter(adapter) }
    /// There are none.
    public func switchAdapter(_ adapter: String?, on isOn: Bool) async throws { throw noAdapter(adapter) }

    private var judgesNobody: BatonError { BatonError(.notAllowed, "this daemon judges nobody") }
    /// Nobody is judged.
    public func judge(
        _ speaker: ClientID, as application: String, client: ClientID
    ) async throws -> SpeakerVerdict { throw judgesNobody }
    /// Nobody is judged.
    public func judgeEnd(
        of socket: OwnedDescriptor, as application: String, client: ClientID
    ) async throws -> SpeakerVerdict { throw judgesNobody }
    /// Nothing is told.
    public func withhold(_ item: WithheldItem?, client: ClientID) async throws {}

    private var keepsNothing: BatonError { BatonError(.failed, "this daemon keeps no activities") }
    /// Nothing is kept.
    public func save(_ activity: SavedUserActivity, application: String?, client: ClientID) async throws {
        throw keepsNothing
    }
    /// Nothing is kept.
    public func deleteSaved(
        persistentIdentifiers: Set<String>, application: String?, client: ClientID
    ) async throws { throw keepsNothing }
    /// Nothing is kept.
    public func deleteAllSaved(application: String?, client: ClientID) async throws { throw keepsNothing }
    /// Nothing is kept.
    public func savedActivities(
        matching query: String?, application: String?, client: ClientID
    ) async throws -> [SavedUserActivity] { throw keepsNothing }
}
