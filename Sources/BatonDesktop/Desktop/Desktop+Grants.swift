// SPDX-License-Identifier: Apache-2.0

import ActivityModel
public import BatonBus
import DesktopEntries
import Logging

/// What apps in sandboxes may have.
extension Desktop {
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

    /// The user has answered a notification, or closed it.
    func answer(_ key: NotificationKey, _ action: String?) async {
        environment.board.carryOut([.remove(key)])
        do {
            guard try keeper.answered(key, action) else { return }
        } catch {
            logger.error("an answer about a sandboxed app does not last: \(error)")
        }
        await grantsChanged()
    }

    /// Has all who ask for the apps see them as they are, with what they may have.
    func useApps() async {
        index = adapterKeeper.admit(keeper.entitled, settings.adapters)
        var kinds: [String: Set<String>] = [:]
        for app in index.entries.values where !app.continuableTypes.isEmpty {
            kinds[app.team ?? "", default: []].formUnion(app.continuableTypes)
        }
        inquiries.install(index)
        // A page is known by its type before anybody knows its address.
        if inquiries.isInUse { kinds["", default: []].insert(ActivityState.browsingWeb) }
        await host.tellAdapters(adapterKeeper.active)
        await host.declare(kinds)
        await chooseAppsAgain()
        tellPanel()
        showQuestions()
    }

    /// Asks what there is to ask, where the user can answer.
    func showQuestions() {
        let isAskable = settings.notifies && presence.isUnlocked
        environment.board.carryOut(keeper.ask(isAskable: isAskable, at: clock.uptime()))
    }

    private func grantsChanged() async {
        await useApps()
        for (name, receiver) in openings.receivers
        where !keeper.permits(receiver.type, team: receiver.team, to: receiver.app) {
            cancel(name)
        }
        await host.endWhatIsNotPermitted()
    }
}
