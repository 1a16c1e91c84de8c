// SPDX-License-Identifier: Apache-2.0

public import ActivityModel
public import BatonBus

/// A handler for tests of one feature. By default it behaves like a daemon without the other
/// features. Methods that serve users must be implemented.
public protocol PartialBusHandler: BatonBusHandler {}

extension PartialBusHandler {
    /// Admits every client.
    public func admit(_ client: ClientID) async throws -> Admission { .managing }
    /// Gives each client its own account.
    public func account(of client: ClientID) async -> String? { nil }

    /// Does nothing, because no client waits for the contents.
    public func updateRefused(activity: String, because error: BatonError, client: ClientID) async {}

    /// Returns no pages.
    public func followPages(client: ClientID) async throws -> [OpenedPage] { [] }
    /// Throws, because no page was opened.
    public func takePage(_ page: String) async throws -> ContinuedActivity {
        throw BatonError(.notFound, "there is no page \(page)")
    }

    private var grantsNothing: BatonError { BatonError(.failed, "this daemon grants nothing") }
    /// Returns no grants.
    public func grants() async throws -> [AppGrant] { [] }
    /// Throws, because this handler grants nothing.
    public func allow(_ grant: AppGrant) async throws { throw grantsNothing }
    /// Throws, because nothing was granted.
    public func refuse(_ grant: AppGrant) async throws { throw grantsNothing }

    /// Returns no claims of domains.
    public func domains() async throws -> [DomainStatus] { [] }
    /// Throws, because no app claims a domain.
    public func checkDomain(_ domain: String) async throws -> [DomainStatus] {
        throw BatonError(.notFound, "this daemon knows of no domains")
    }

    private func noAdapter(_ adapter: String?) -> BatonError {
        BatonError(.notFound, "this daemon has no adapters" + (adapter.map { ": there is no \($0)" } ?? ""))
    }
    /// Returns no adapters.
    public func adapters() async throws -> [AdapterStatus] { [] }
    /// Throws, because there are no adapters.
    public func allowAdapter(_ adapter: String) async throws { throw noAdapter(adapter) }
    /// Throws, because there are no adapters.
    public func refuseAdapter(_ adapter: String) async throws { throw noAdapter(adapter) }
    /// Throws, because there are no adapters.
    public func switchAdapter(_ adapter: String?, on isOn: Bool) async throws { throw noAdapter(adapter) }

    private var judgesNobody: BatonError { BatonError(.notAllowed, "this daemon judges nobody") }
    /// Throws, because this handler judges no speakers.
    public func judge(
        _ speaker: ClientID, as application: String, client: ClientID
    ) async throws -> SpeakerVerdict { throw judgesNobody }
    /// Throws, because this handler judges no speakers.
    public func judgeEnd(
        of socket: OwnedDescriptor, as application: String, client: ClientID
    ) async throws -> SpeakerVerdict { throw judgesNobody }
    /// Ignores the item.
    public func withhold(_ item: WithheldItem?, client: ClientID) async throws {}

    private var keepsNothing: BatonError { BatonError(.failed, "this daemon keeps no activities") }
    /// Throws, because this handler keeps no activities.
    public func save(_ activity: SavedUserActivity, application: String?, client: ClientID) async throws {
        throw keepsNothing
    }
    /// Throws, because this handler keeps no activities.
    public func deleteSaved(
        persistentIdentifiers: Set<String>, application: String?, client: ClientID
    ) async throws { throw keepsNothing }
    /// Throws, because this handler keeps no activities.
    public func deleteAllSaved(application: String?, client: ClientID) async throws { throw keepsNothing }
    /// Throws, because this handler keeps no activities.
    public func savedActivities(
        matching query: String?, application: String?, client: ClientID
    ) async throws -> [SavedUserActivity] { throw keepsNothing }
}
