// SPDX-License-Identifier: Apache-2.0

public import BatonBus
import DirectoryWatching
import Logging

/// The user's wishes and presence: the configuration with its rules, pauses, the session, and
/// answers to notifications.
extension Desktop {
    /// What the user has configured.
    var settings: Settings { inForce.settings }

    /// The rules, in their order.
    ///
    /// - Throws: ``BatonError``, where the file cannot be read: what holds then nobody has written.
    public var rules: [String] {
        get throws {
            if let reason = inForce.unreadable { throw BatonError(.failed, reason) }
            return settings.rules.map(\.description)
        }
    }

    /// Adds a rule. The name of a device in it is put into the id of the one that is called so now;
    /// one that nobody has stays, with a warning.
    ///
    /// - Parameter number: The number, from 1, that it gets; nil for after the others.
    /// - Throws: ``BatonError``; nothing has changed then.
    public func addRule(_ text: String, at number: Int? = nil) async throws {
        try settingsFile.add(NamedRules.rule(text, naming: await deviceNames()), at: number)
        await readSettings()
    }

    /// Removes a rule by its number, from 1.
    ///
    /// - Throws: ``BatonError``; nothing has changed then.
    public func removeRule(_ number: Int) async throws {
        try settingsFile.removeRule(number)
        await readSettings()
    }

    func followSettings() async {
        while !Task.isCancelled {
            let directories = settingsFile.directories
            let watch = DirectoryWatch(directories)
            await readSettings()
            // A link that came between looking and watching leads where nothing is watched.
            if settingsFile.directories == directories { await DirectoryWatch.change(watch) }
        }
    }

    func readSettings() async {
        // First: from the file on nothing may come in between.
        let names = await deviceNames()
        let (former, wasUnreadable) = (settings, inForce.unreadable)
        for line in inForce.read(settingsFile, naming: names) { logger.warning("\(line)") }
        history.keep(for: settings.historyLength)
        guard settings != former || inForce.unreadable != wasUnreadable else { return }
        if settings.rules != former.rules { nearRules.rulesChanged() }
        await advertisingChanged()
        if settings.adapters != former.adapters { await useApps() } else { await chooseAppsAgain() }
        refreshAll()
    }

    /// What the other devices are called.
    func deviceNames() async -> DeviceNames { DeviceNames(await host.members().filter { !$0.isThisDevice }) }

    // MARK: - Whether the user is there

    /// Begins or ends a pause.
    ///
    /// - Parameter pause: Nil ends it.
    public func setPause(_ pause: Pause?) async {
        presence.setPause(pause, at: clock.uptime(), clock.date())
        await pauseChanged()
    }

    /// Goes on with the pause that has begun before, if there is one: before anything can be
    /// advertised, and again as this begins to run.
    public func keepPause() async { if let pause { await setPause(pause) } }

    /// The user's pause; `nil` when there is none.
    public var pause: Pause? { presence.pause }

    func pauseChanged() async {
        await advertisingChanged()
        refreshAll()
    }

    func sessionChanged(_ state: SessionState) async {
        let wasActive = presence.session.isActive
        presence.session = state
        if state.isActive != wasActive { await advertisingChanged() } else { await attendanceChanged() }
        refreshAll()
    }

    /// Returns once nothing is advertised any more, or all is again.
    func sleepChanged(_ isAboutToSleep: Bool) async {
        guard isAboutToSleep != presence.isAboutToSleep else { return }
        presence.isAboutToSleep = isAboutToSleep
        await advertisingChanged()
    }

    private func attendanceChanged() async {
        let before = toldAttendance
        toldAttendance = presence.attendance
        if before == .away, toldAttendance != .away { nearRules.beginListening(at: clock.uptime()) }
        await host.attend(toldAttendance)
    }

    /// Whether anything is advertised, and what not, follows from session, sleep, pause and rules.
    private func advertisingChanged() async {
        advertisingChanges += 1
        var told = 0
        // What changed meanwhile may have been told before this was.
        while told != advertisingChanges {
            told = advertisingChanges
            await attendanceChanged()
            await host.advertise(presence.mayAdvertise) { [inForce] in inForce.whyHidden(type: $0, app: $1) }
        }
    }

    /// Takes over the condition of the daemon itself, whatever the user has decided.
    ///
    /// - Parameters:
    ///   - state: The condition.
    ///   - reason: One line for people, when it does not run.
    public func serviceChanged(to state: PanelStatus.State, reason: String) {
        let isInCircleNow = [.starting, .noCircle].contains(panel.service.state) && state != .noCircle
        panel.service = PanelStatus(state: state, reason: reason)
        tellPanel()
        // Whom rules name is known now.
        if isInCircleNow { Task { await readSettings() } }
    }

    // MARK: - Answers to notifications

    func followClicks() async {
        for await event in board.events {
            switch event {
            case .chosen(let key, let action, let token): await answered(key, action, token: token)
            case .dismissed(let key): await answered(key, nil, token: nil)
            case .closed(let key): hasExpired(key)
            }
        }
    }

    /// The user has answered a notification.
    ///
    /// - Parameter action: Nil when the user has taken it from the screen.
    private func answered(_ key: String, _ action: String?, token: String?) async {
        guard let key = NotificationKey(key) else { return }
        switch (key.kind, action) {
        case (.grant, _): await answerGrant(key, action)
        case (.fetches, _): await answerFetches(key.subject, action)
        case (.progress, NotificationStyle.cancelAction): openings.cancel(key.subject)
        case (.offer, _?): openForClick(key.subject, token: token)
        default: break
        }
    }

    /// Opens an offer for a click: nobody waits for the outcome, and the user is told whatever
    /// fails.
    func openForClick(_ offer: String, token: String?) {
        do {
            _ = try begin(offer, OpenOptions(activationToken: token))
        } catch {
            tellUser(offer, of: known[offer], BatonError(anyError: error))
        }
    }

    /// A notification that does not last has gone from the screen.
    private func hasExpired(_ key: String) {
        guard let key = NotificationKey(key) else { return }
        plan.closed(key)
        // Of an offer there would be another one at its next change.
        if key.kind == .offer { known.settled(key.subject) }
    }

    /// Tells the user of a laptop that fetches again and again, and takes nothing over.
    public func fetchesInVain(of device: String, named name: String, count: Int) async {
        plan.fetchesInVain(of: device, named: name, count: count)
        await showFetches()
    }

    /// The user has done something about such a laptop: there is nothing to ask any more.
    public func fetchesAreOver(of device: String) async {
        board.carryOut(plan.fetchesAreOver(of: device))
        await showFetches()
    }

    private func showFetches() async {
        let members = Set(await host.members().map(\.device))
        board.carryOut(plan.showFetches(among: members))
    }

    /// - Parameter action: Nil when the user has closed the notification: of this laptop there may
    ///   be another one later.
    private func answerFetches(_ device: String, _ action: String?) async {
        await fetchesAreOver(of: device)
        guard action == FetchQuestion.stopAction else { return }
        do {
            try await host.stop(device)
        } catch {
            logger.warning("a laptop that was to be stopped is not: \(error)")
        }
    }
}
