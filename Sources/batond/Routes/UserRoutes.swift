// SPDX-License-Identifier: GPL-3.0-or-later

import BatonBus
import BatonDesktop
import FoundationEssentials

/// Answers calls about the user's decisions: rules, grants, domains, adapters and the pause.
struct UserRoutes {
    let desktop: Desktop
    let host: ServiceDesktopHost

    /// Adds the routes.
    ///
    /// - Returns: The programs that follow the settings, and those that follow the grants.
    func add(to router: inout BusRouter) -> [any FollowingClients] {
        let followers = Followers(of: [desktop.settingsChange]) {
            await desktop.userSettings
        } send: { [host] in
            host.endpoint?.send($0, to: $1)
        }
        router.on(SettingsInterface.follow) { try await followers.follow($0) }
        router.on(SettingsInterface.set) { key, value, _ in try await desktop.set(key, to: value) }
        addRules(to: &router)
        let deciders = Followers(of: [desktop.grantsChange]) {
            await desktop.grants
        } send: { [host] in
            host.endpoint?.send($0, to: $1)
        }
        router.on(GrantsInterface.list) { _ in await desktop.grants }
        router.on(GrantsInterface.follow) { try await deciders.follow($0) }
        router.on(GrantsInterface.allow) { grant, _ in try await desktop.allow(grant) }
        router.on(GrantsInterface.refuse) { grant, _ in try await desktop.refuse(grant) }
        router.on(DomainsInterface.list) { _ in await desktop.domains }
        router.on(DomainsInterface.check) { domain, _ in try await desktop.checkDomain(domain) }
        router.on(AdaptersInterface.list) { _ in await desktop.adapters }
        router.on(AdaptersInterface.apps) { _ in await desktop.apps }
        router.on(AdaptersInterface.allow) { adapter, _ in try await desktop.answer(true, toAdapter: adapter) }
        router.on(AdaptersInterface.refuse) { adapter, _ in try await desktop.answer(false, toAdapter: adapter) }
        router.on(AdaptersInterface.switch) { adapter, isOn, _ in try await desktop.switchAdapter(adapter, on: isOn) }
        return [followers, deciders]
    }

    private func addRules(to router: inout BusRouter) {
        router.on(RulesInterface.list) { _ in try await desktop.rules }
        router.on(RulesInterface.add) { rule, _ in try await desktop.addRule(rule, at: nil) }
        router.on(RulesInterface.insert) { number, rule, _ in try await desktop.addRule(rule, at: number) }
        router.on(RulesInterface.remove) { number, _ in try await desktop.removeRule(number) }
        router.on(RulesInterface.pause) { duration, _ in
            await desktop.setPause(Pause(until: duration.map { Date(timeIntervalSinceNow: $0 / .seconds(1)) }))
        }
        router.on(RulesInterface.resume) { _ in await desktop.setPause(nil) }
    }
}
