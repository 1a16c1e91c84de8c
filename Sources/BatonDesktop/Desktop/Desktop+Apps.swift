// SPDX-License-Identifier: Apache-2.0

import AssociatedDomains
public import BatonBus
import DesktopEntries
import Diagnosis
import FoundationEssentials
import Logging

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
        core.apps.grants.install(index)
        await useApps()
    }

    /// Applies the installed apps and their current permissions to everything that depends on them.
    func useApps() async {
        let former = core.apps.adapters.ownAppNames
        core.apps.update(settings.adapters)
        // A rule may name an adapter that is new. Hide its activities before it begins.
        if core.apps.adapters.ownAppNames != former, settings.rules.contains(where: { $0.action == .hide }) {
            await advertisingChanged()
        }
        await host.tellAdapters(core.apps.adapters.active)
        await host.tellApps(InstalledApps(apps: apps, adapters: adapters))
        await host.declare(core.apps.kinds)
        await chooseAppsAgain()
        carryOut(core.tellPanels() + core.showQuestions(at: clock.uptime()))
        grantsChange.note()
    }

    // MARK: - Adapters

    /// The status of each installed adapter, sorted by id.
    public var adapters: [AdapterStatus] { core.apps.adapters.summaries }

    /// The installed apps that can take part, sorted by id.
    public var apps: [AppStatus] { core.apps.adapters.apps }

    /// Records the user's decision on an adapter in the user's own directory.
    ///
    /// - Throws: ``BatonError``. A refusal takes effect even if it could not be saved.
    public func answer(_ isAllowed: Bool, toAdapter adapter: String) async throws {
        let result = Result { try core.apps.adapters.answer(isAllowed, to: adapter) }
        await useApps()
        try result.get()
    }

    /// Switches an adapter on or off in the configuration.
    ///
    /// - Parameter adapter: The adapter's id, or nil for the switch of all adapters.
    /// - Throws: ``BatonError``. After an error, nothing has changed.
    public func switchAdapter(_ adapter: String?, on isOn: Bool) async throws {
        let key = AdapterSwitches.key(of: try adapter.map { try core.apps.adapters.entry($0).identifier })
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
        for adapter in core.apps.adapters.active where await launcher.owner(of: adapter) == client { return adapter }
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
        let index = core.apps.index
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
        core.withheldItems.set(item, of: adapter, by: client)
        carryOut(core.tellPanels())
    }

    /// The withheld items of all active adapters.
    public var withheld: [WithheldItem] { core.withheld }

    // MARK: - Sandboxed apps

    /// The pending, granted and refused requests of sandboxed apps.
    public var grants: [AppGrant] { core.apps.grants.summaries }

    /// Grants a sandboxed app activities that it declares.
    ///
    /// - Throws: ``BatonError``. After an error, nothing has changed.
    public func allow(_ grant: AppGrant) async throws {
        try core.apps.grants.allow(grant)
        await grantsChanged()
    }

    /// Refuses a sandboxed app activities that it declares, or revokes a grant. Everything that the
    /// app does under a revoked grant ends.
    ///
    /// - Throws: ``BatonError``. A revocation takes effect even if it could not be saved.
    public func refuse(_ grant: AppGrant) async throws {
        let result = Result { try core.apps.grants.refuse(grant) }
        await grantsChanged()
        try result.get()
    }

    /// Carries out the user's answer to a question about a sandboxed app.
    ///
    /// - Parameter action: The chosen action, or nil if the user closed the notification.
    func answerGrant(_ key: NotificationKey, _ action: String?) async {
        carryOut([.notify(.remove(key))])
        do {
            guard try core.apps.grants.answered(key, action) else { return }
        } catch {
            logger.error("an answer about a sandboxed app does not last: \(error)")
        }
        await grantsChanged()
    }

    private func grantsChanged() async {
        await useApps()
        core.cancelWhatIsNotPermitted()
        await host.endWhatIsNotPermitted()
    }

    // MARK: - Domains

    /// The domains that installed apps claim, with the domains' answers.
    public var domains: [DomainStatus] {
        guard !settings.asksDomains else { return core.apps.domains.summaries }
        return core.apps.domains.summaries.map { domain in
            var domain = domain
            domain.next = nil
            return domain
        }
    }

    /// Asks a domain at once, at the user's request. An installed app must claim the domain.
    ///
    /// - Throws: ``BatonError``.
    public func checkDomain(_ text: String) async throws -> [DomainStatus] {
        guard settings.asksDomains else { throw BatonError(.failed, .domainsOff) }
        let domain = try core.apps.domains.claimed(text)
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
        core.apps.domains.lookAgain(at: clock.uptime(), asks: settings.asksDomains)
    }

    private func ask(_ domain: DomainName) async {
        let mayBeLocal = settings.privateDomains.contains(domain.description)
        guard let request = core.apps.domains.begin(domain, mayBeLocal: mayBeLocal) else { return }
        let answer = await asker.ask(request)
        core.apps.domains.ended(request, with: answer)
        switch answer {
        case .answered(let approved, _):
            logger.info("\(domain) approves \(approved.count) of \(request.apps.count) apps")
        case .refused(let problem, _): logger.info("\(domain) approves no app: \(problem)")
        case .unreachable(let problem): logger.info("\(domain) could not be asked: \(problem)")
        }
    }
}
