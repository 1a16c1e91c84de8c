// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import AssociatedDomains
public import BatonBus
import DesktopEntries
import FoundationEssentials
import Logging

/// The installed apps, and what they may do: adapters, sandboxed apps, and apps that continue a
/// domain's pages.
extension Desktop {
    /// Takes over the apps that are installed, so that who asks first, as a search whose click has
    /// started the daemon, finds them.
    public func useInstalledApps() async {
        _ = await catalogue.askSession()
        await appsChanged(catalogue.index)
    }

    /// Takes over the apps of the session as it is now, before somebody needs them: the desktop may
    /// have said only after the start where they are, and which of them are its defaults.
    public func askSession() async {
        if await catalogue.askSession() { await appsChanged(catalogue.index) }
    }

    func appsChanged(_ index: DesktopEntryIndex) async {
        keeper.install(index)
        await useApps()
    }

    /// Has all who ask for the apps see them as they are, with what they may have.
    func useApps() async {
        index = adapterKeeper.admit(keeper.entitled, settings.adapters)
        var kinds: [String: Set<String>] = [:]
        for app in index.entries.values where !app.continuableTypes.isEmpty {
            kinds[app.team ?? "", default: []].formUnion(app.continuableTypes)
        }
        domainKeeper.install(index)
        // A page is known by its type before anybody knows its address.
        if domainKeeper.isInUse { kinds["", default: []].insert(ActivityState.browsingWeb) }
        await host.tellAdapters(adapterKeeper.active)
        await host.declare(kinds)
        await chooseAppsAgain()
        tellPanel()
        showQuestions()
    }

    // MARK: - Adapters

    /// The adapters that are installed, by id.
    public var adapters: [AdapterStatus] { adapterKeeper.summaries }

    /// The user has said whether an adapter of the user's own counts.
    ///
    /// - Throws: ``BatonError``; what was refused does not count all the same.
    public func answer(_ isAllowed: Bool, toAdapter adapter: String) async throws {
        let result = Result { try adapterKeeper.answer(isAllowed, to: adapter) }
        await useApps()
        try result.get()
    }

    /// Switches an adapter on or off in the configuration.
    ///
    /// - Parameter adapter: Its id; nil for the switch of all.
    /// - Throws: ``BatonError``; nothing has changed then.
    public func switchAdapter(_ adapter: String?, on isOn: Bool) async throws {
        let key = AdapterSwitches.key(of: try adapter.map { try adapterKeeper.entry($0).identifier })
        try settingsFile.set(key, to: isOn ? "on" : "off")
        await readSettings()
    }

    /// Checks that a program is an adapter: it owns the name of an installed entry that counts.
    ///
    /// - Throws: ``BatonError`` with `notAllowed`.
    public func checkIsAdapter(_ client: ClientID) async throws { _ = try await adapter(of: client) }

    /// The id of the adapter that a program is.
    private func adapter(of client: ClientID) async throws -> String {
        for adapter in adapterKeeper.active where await launcher.owner(of: adapter) == client { return adapter }
        throw BatonError(
            .notAllowed,
            "this program is no adapter: it has to own the name of a desktop entry with X-Baton-Adapter that counts; see 'baton "
                + "adapters'")
    }

    /// Checks that a program may publish what an app is doing that is not itself: it is an adapter
    /// for the app, which is so where it owns the name of an installed entry that lists the app.
    ///
    /// What is in a sandbox speaks for itself, with what its user has granted it.
    ///
    /// - Throws: ``BatonError`` with `notAllowed`.
    public func checkAdapter(_ client: ClientID, for application: String) async throws {
        if index.entries[application]?.sandboxedApp != nil {
            throw BatonError(
                .notAllowed, "application: \(application) is sandboxed, and no adapter speaks for what is in a sandbox")
        }
        for adapter in index.adapters(for: application) where await launcher.owner(of: adapter.identifier) == client {
            return
        }
        throw BatonError(
            .notAllowed,
            "application: this program is no adapter for \(application): it has to own the name of a desktop entry that lists "
                + "the app in X-Baton-Adapter; see 'baton adapters'")
    }

    /// An adapter says what one of its apps has open that is not offered. The user finds it in the
    /// panel's menu and in `baton status`, and is not notified of it.
    ///
    /// - Parameters:
    ///   - item: It takes the place of what the adapter said before; nil for nothing.
    ///   - client: The adapter; what it said is forgotten once it has left.
    /// - Throws: ``BatonError`` with `notAllowed` for a program that is no adapter.
    public func withhold(_ item: WithheldItem?, by client: ClientID) async throws {
        let adapter = try await adapter(of: client)
        withheldItems.set(item, of: adapter, by: client)
        tellPanel()
    }

    /// All that adapters said, but those that do not count any more.
    public var withheld: [WithheldItem] { withheldItems.all(of: adapterKeeper.active) }

    // MARK: - Sandboxed apps

    /// What sandboxed apps ask for, may do and may not.
    public var grants: [AppGrant] { keeper.summaries }

    /// Grants a sandboxed app what it declares.
    ///
    /// - Throws: ``BatonError``; nothing has changed then.
    public func allow(_ grant: AppGrant) async throws {
        try keeper.allow(grant)
        await grantsChanged()
    }

    /// Refuses a sandboxed app what it declares, or takes back what it was granted: what it does by
    /// it ends.
    ///
    /// - Throws: ``BatonError``; what was taken back is, all the same.
    public func refuse(_ grant: AppGrant) async throws {
        let result = Result { try keeper.refuse(grant) }
        await grantsChanged()
        try result.get()
    }

    /// The user has answered a question about a sandboxed app.
    ///
    /// - Parameter action: Nil when the user has closed the notification.
    func answerGrant(_ key: NotificationKey, _ action: String?) async {
        board.carryOut([.remove(key)])
        do {
            guard try keeper.answered(key, action) else { return }
        } catch {
            logger.error("an answer about a sandboxed app does not last: \(error)")
        }
        await grantsChanged()
    }

    private func grantsChanged() async {
        await useApps()
        for (name, receiver) in openings.receivers
        where !keeper.permits(receiver.type, team: receiver.team, to: receiver.app) {
            openings.cancel(name)
        }
        await host.endWhatIsNotPermitted()
    }

    /// Asks what there is to ask, where the user can answer.
    func showQuestions() {
        let isAskable = settings.notifies && presence.isUnlocked
        board.carryOut(keeper.ask(isAskable: isAskable, at: clock.uptime()))
    }

    // MARK: - Domains

    /// What apps claim, and what the domains say.
    public var domains: [DomainStatus] {
        guard !settings.asksDomains else { return domainKeeper.summaries }
        return domainKeeper.summaries.map { domain in
            var domain = domain
            domain.next = nil
            return domain
        }
    }

    /// Asks a domain that an app here claims, now, as the user wants it.
    ///
    /// - Throws: ``BatonError``.
    public func checkDomain(_ text: String) async throws -> [DomainStatus] {
        guard settings.asksDomains else {
            throw BatonError(.failed, "'domains = off' in baton.conf: no domain is asked")
        }
        let domain = try domainKeeper.claimed(text)
        await ask(domain)
        return domains.filter { $0.domain == domain.description }
    }

    /// Asks a domain whose time has come: some time after an app that claims it came, and before
    /// its answer expires. What another device offers plays no part in that: it would tell the
    /// domain who is near.
    func askInTime(_ domain: DomainName) async {
        await ask(domain)
        domainKeeper.lookAgain(at: clock.uptime(), asks: settings.asksDomains)
    }

    private func ask(_ domain: DomainName) async {
        let mayBeLocal = settings.privateDomains.contains(domain.description)
        guard let request = domainKeeper.begin(domain, mayBeLocal: mayBeLocal) else { return }
        let answer = await asker.ask(request)
        domainKeeper.ended(request, with: answer)
        switch answer {
        case .answered(let approved, _):
            logger.info("\(domain) approves \(approved.count) of \(request.apps.count) apps")
        case .refused(let reason, _): logger.info("\(domain) approves no app: \(reason)")
        case .unreachable(let reason): logger.info("\(domain) could not be asked: \(reason)")
        }
    }
}
