// SPDX-License-Identifier: Apache-2.0

import AssociatedDomains
public import BatonBus
import DesktopEntries
import Diagnosis
import FoundationEssentials
import Logging
import Wording

/// The installed apps and their permissions.
///
/// The permissions concern adapters, sandboxed apps, and apps that continue a domain's pages.
extension Desktop {
    /// Loads the installed apps. The daemon calls this function before it answers its first call,
    /// because for example a click on a search result may start the daemon.
    public func useInstalledApps() async {
        _ = await catalogue.askSession()
        await appsChanged(catalogue.index)
    }

    /// Reloads the apps from the session's current environment. The desktop may announce its
    /// directories and default apps only after the daemon's start.
    public func askSession() async {
        if await catalogue.askSession() { await appsChanged(catalogue.index) }
    }

    func appsChanged(_ index: DesktopEntryIndex) async {
        usableApps.grants.install(index)
        await useApps()
    }

    /// Applies the installed apps and their current permissions to everything that depends on them.
    func useApps() async {
        usableApps.update(settings.adapters)
        await host.tellAdapters(usableApps.adapters.active)
        await host.tellApps(InstalledApps(apps: apps, adapters: adapters))
        await host.declare(usableApps.kinds)
        await chooseAppsAgain()
        tellPanel()
        showQuestions()
        grantsChange.note()
    }

    // MARK: - Adapters

    /// The status of each installed adapter, sorted by id.
    public var adapters: [AdapterStatus] { usableApps.adapters.summaries }

    /// The installed apps that can take part, sorted by id.
    public var apps: [AppStatus] { usableApps.adapters.apps }

    /// Records the user's decision on an adapter in the user's own directory.
    ///
    /// - Throws: ``BatonError``. A refusal takes effect even if it could not be saved.
    public func answer(_ isAllowed: Bool, toAdapter adapter: String) async throws {
        let result = Result { try usableApps.adapters.answer(isAllowed, to: adapter) }
        await useApps()
        try result.get()
    }

    /// Switches an adapter on or off in the configuration.
    ///
    /// - Parameter adapter: The adapter's id, or nil for the switch of all adapters.
    /// - Throws: ``BatonError``. Nothing has changed in that case.
    public func switchAdapter(_ adapter: String?, on isOn: Bool) async throws {
        let key = AdapterSwitches.key(of: try adapter.map { try usableApps.adapters.entry($0).identifier })
        try settingsFile.set(key, to: isOn ? "on" : "off")
        await readSettings()
    }

    /// Checks that a program is an active adapter, which means that it owns the bus name of an
    /// active adapter's desktop entry.
    ///
    /// - Throws: ``BatonError`` with `notAllowed`.
    public func checkIsAdapter(_ client: ClientID) async throws { _ = try await adapter(of: client) }

    /// Returns the id of the active adapter that a program runs as.
    private func adapter(of client: ClientID) async throws -> String {
        for adapter in usableApps.adapters.active where await launcher.owner(of: adapter) == client { return adapter }
        throw BatonError(.notAllowed, .adapterUnused)
    }

    /// Checks that a program may publish another app's activities. The program must be an adapter
    /// for that app: it must own the bus name of an adapter's installed entry that lists the app.
    ///
    /// No adapter may publish for a sandboxed app. Such an app publishes its own activities, within
    /// the user's grants.
    ///
    /// - Throws: ``BatonError`` with `notAllowed`.
    public func checkAdapter(_ client: ClientID, for application: String) async throws {
        let index = usableApps.index
        if index.entries[application]?.sandboxedApp != nil {
            throw BatonError(.notAllowed, .adapterOfSandbox, ["app": .text(application)])
        }
        for adapter in index.adapters(for: application) where await launcher.owner(of: adapter.identifier) == client {
            return
        }
        throw BatonError(.notAllowed, .adapterForeign, ["app": .text(application)])
    }

    /// Records an item that an adapter's app has open and that is not offered. The user finds it in
    /// the panel's menu and in `baton status`, and gets no notification.
    ///
    /// - Parameters:
    ///   - item: The item, which replaces the adapter's previous one, or nil for none.
    ///   - client: The adapter's connection. The item is forgotten when the connection ends.
    /// - Throws: ``BatonError`` with `notAllowed` if the program is not an active adapter.
    public func withhold(_ item: WithheldItem?, by client: ClientID) async throws {
        let adapter = try await adapter(of: client)
        withheldItems.set(item, of: adapter, by: client)
        tellPanel()
    }

    /// The withheld items of all active adapters.
    public var withheld: [WithheldItem] { withheldItems.all(of: usableApps.adapters.active) }

    // MARK: - Sandboxed apps

    /// The pending, granted and refused requests of sandboxed apps.
    public var grants: [AppGrant] { usableApps.grants.summaries }

    /// Grants a sandboxed app activities that it declares.
    ///
    /// - Throws: ``BatonError``. Nothing has changed in that case.
    public func allow(_ grant: AppGrant) async throws {
        try usableApps.grants.allow(grant)
        await grantsChanged()
    }

    /// Refuses a sandboxed app activities that it declares, or revokes a grant. Everything that the
    /// app does under a revoked grant ends.
    ///
    /// - Throws: ``BatonError``. A revocation takes effect even if it could not be saved.
    public func refuse(_ grant: AppGrant) async throws {
        let result = Result { try usableApps.grants.refuse(grant) }
        await grantsChanged()
        try result.get()
    }

    /// Carries out the user's answer to a question about a sandboxed app.
    ///
    /// - Parameter action: The chosen action, or nil if the user closed the notification.
    func answerGrant(_ key: NotificationKey, _ action: String?) async {
        board.carryOut([.remove(key)])
        do {
            guard try usableApps.grants.answered(key, action) else { return }
        } catch {
            logger.error("an answer about a sandboxed app does not last: \(error)")
        }
        await grantsChanged()
    }

    private func grantsChanged() async {
        await useApps()
        for (name, receiver) in openings.receivers
        where !usableApps.grants.permits(receiver.type, team: receiver.team, to: receiver.app) {
            openings.cancel(name)
        }
        await host.endWhatIsNotPermitted()
    }

    /// Shows the open questions about sandboxed apps, if the user can answer them now.
    func showQuestions() {
        let isAskable = settings.notifies && presence.isUnlocked
        board.carryOut(
            usableApps.grants.ask(isAskable: isAskable, hasWindow: BatonWindow.isInstalled, at: clock.uptime()))
    }

    // MARK: - Domains

    /// The domains that installed apps claim, with the domains' answers.
    public var domains: [DomainStatus] {
        guard !settings.asksDomains else { return usableApps.domains.summaries }
        return usableApps.domains.summaries.map { domain in
            var domain = domain
            domain.next = nil
            return domain
        }
    }

    /// Asks a domain at once, at the user's request. An installed app must claim the domain.
    ///
    /// - Throws: ``BatonError``.
    public func checkDomain(_ text: String) async throws -> [DomainStatus] {
        guard settings.asksDomains else {
            throw BatonError(.failed, .domainsOff)
        }
        let domain = try usableApps.domains.claimed(text)
        await ask(domain)
        return domains.filter { $0.domain == domain.description }
    }

    /// Asks a domain that is due.
    ///
    /// A domain is due some time after the installation of an app that claims it, and again before
    /// its answer expires. Offers of other devices must not affect that time, because the request
    /// would then tell the domain that another device is near.
    func askInTime(_ domain: DomainName) async {
        await ask(domain)
        usableApps.domains.lookAgain(at: clock.uptime(), asks: settings.asksDomains)
    }

    private func ask(_ domain: DomainName) async {
        let mayBeLocal = settings.privateDomains.contains(domain.description)
        guard let request = usableApps.domains.begin(domain, mayBeLocal: mayBeLocal) else { return }
        let answer = await asker.ask(request)
        usableApps.domains.ended(request, with: answer)
        switch answer {
        case .answered(let approved, _):
            logger.info("\(domain) approves \(approved.count) of \(request.apps.count) apps")
        case .refused(let problem, _): logger.info("\(domain) approves no app: \(problem)")
        case .unreachable(let problem): logger.info("\(domain) could not be asked: \(problem)")
        }
    }
}
