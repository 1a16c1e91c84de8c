// SPDX-License-Identifier: Apache-2.0

public import BatonBus
public import Diagnosis
import DirectoryWatching
import Logging
import Wording

/// The user's settings, presence, and answers to notifications.
///
/// The settings include rules and pauses. The presence follows the session and sleep.
extension Desktop {
    var settings: Settings { core.settings }

    /// The rules, in their order.
    ///
    /// - Throws: ``BatonError`` if the file cannot be read. The rules in force are then not those
    ///   in the file.
    public var rules: [String] {
        get throws {
            if let problem = core.inForce.unreadable { throw BatonError(.failed, problem) }
            return settings.rules.map(\.description)
        }
    }

    /// Adds a rule to the configuration.
    ///
    /// A device's name in the rule is replaced by the id of the device that has this name now. A
    /// name that no device has stays, with a warning.
    ///
    /// - Parameter number: The position of the rule, from 1, or nil for the end.
    /// - Throws: ``BatonError``. After an error, nothing has changed.
    public func addRule(_ text: String, at number: Int? = nil) async throws {
        try settingsFile.add(NamedRules.rule(text, naming: await deviceNames()), at: number)
        await readSettings()
    }

    /// Removes the rule with a number, counted from 1.
    ///
    /// - Throws: ``BatonError``. After an error, nothing has changed.
    public func removeRule(_ number: Int) async throws {
        try settingsFile.removeRule(number)
        await readSettings()
    }

    /// The settings in force, for programs that show them.
    public var userSettings: UserSettings {
        UserSettings(values: settings.values, rules: settings.rules.map(\.description))
    }

    /// Sets the value of a key in the configuration. An empty value removes the key.
    ///
    /// - Throws: ``BatonError``. After an error, nothing has changed.
    public func set(_ key: String, to value: String) async throws {
        guard key != "rule" else {
            throw BatonError(argument: "rule", .argumentUnknown, ["others": .list(["Rules.Add", "Rules.Remove"])])
        }
        try settingsFile.set(key, to: value)
        await readSettings()
    }

    func followSettings() async {
        while !Task.isCancelled {
            let directories = settingsFile.directories
            let watch = DirectoryWatch(directories)
            await readSettings()
            // If a symbolic link changed since the watch began, the wrong directories are watched:
            // begin again.
            if settingsFile.directories == directories { await DirectoryWatch.change(watch) }
        }
    }

    /// Reads the configuration, and returns when it is in force, even if another task read it
    /// first.
    func readSettings() async {
        // Ask for the names first. There must be no suspension point after the file is read.
        let names = await deviceNames()
        let (former, wasUnreadable) = (settings, core.inForce.unreadable)
        for line in core.inForce.read(settingsFile, naming: names) { logger.warning("\(line)") }
        settingsChange.note()
        history.keep(for: settings.historyLength)
        if settings != former || core.inForce.unreadable != wasUnreadable {
            if settings.rules != former.rules { core.nearRules.rulesChanged() }
            settingsInForce = Task { [earlier = settingsInForce] in
                await earlier?.value
                await settingsChanged(from: former)
            }
        }
        await settingsInForce?.value
    }

    private func settingsChanged(from former: Settings) async {
        await advertisingChanged()
        if settings.adapters != former.adapters { await useApps() } else { await chooseAppsAgain() }
        refreshAll()
    }

    /// Returns the names of the other devices in the circle.
    func deviceNames() async -> DeviceNames { DeviceNames(await host.members().filter { !$0.isThisDevice }) }

    // MARK: - Presence of the user

    /// Begins or ends a pause.
    ///
    /// - Parameter pause: The pause, or nil to end it.
    public func setPause(_ pause: Pause?) async {
        core.presence.setPause(pause, at: clock.uptime(), clock.date())
        await pauseChanged()
    }

    /// Applies the settings and the pause that the user chose before this object existed. Call this
    /// before anything can be advertised or sent.
    public func applySettings() async {
        let names = await deviceNames()
        for line in core.inForce.read(settingsFile, naming: names) { logger.warning("\(line)") }
        if let pause { core.presence.setPause(pause, at: clock.uptime(), clock.date()) }
        await advertisingChanged()
    }

    /// Resumes a pause that began before this object existed.
    func keepPause() async { if let pause { await setPause(pause) } }

    /// The current pause, or nil if Baton is not paused.
    public var pause: Pause? { core.presence.pause }

    func pauseChanged() async {
        await advertisingChanged()
        refreshAll()
    }

    func sessionChanged(_ state: SessionState) async {
        let wasActive = core.presence.session.isActive
        core.presence.session = state
        if state.isActive != wasActive { await advertisingChanged() } else { await attendanceChanged() }
        refreshAll()
    }

    /// Stops advertising before sleep, or resumes it afterwards, and returns when that is done.
    func sleepChanged(_ isAboutToSleep: Bool) async {
        guard isAboutToSleep != core.presence.isAboutToSleep else { return }
        core.presence.isAboutToSleep = isAboutToSleep
        await advertisingChanged()
    }

    private func attendanceChanged() async {
        await host.attend(core.attend(at: clock.uptime()), needsSignals: settings.needsSignals)
        await host.useLocalNetworks(
            settings.lan, tellsTitles: settings.tellsTitles, isLocked: core.presence.session.isLocked)
    }

    /// Updates what is advertised, from the session, sleep, the pause, the rules and the adapters
    /// that they name.
    func advertisingChanged() async {
        advertisingChanges += 1
        var told = 0
        // While this call waits, another one may send a newer state. Repeat, so that the newest
        // state is sent last.
        while told != advertisingChanges {
            told = advertisingChanges
            await attendanceChanged()
            await host.advertise(core.presence.mayAdvertise) {
                [inForce = core.inForce, names = core.apps.adapters.ownAppNames] in
                inForce.whyHidden(type: $0, app: $1, names: names)
            }
        }
    }

    /// Records the daemon's own state, which does not depend on the user's settings.
    ///
    /// - Parameters:
    ///   - state: The daemon's state.
    ///   - problem: Why the daemon does not run normally, or nil if it does.
    public func serviceChanged(to state: PanelStatus.State, because problem: Finding?) {
        carryOut(core.serviceChanged(to: state, because: problem))
    }

    /// Opens the window for a click of the user.
    ///
    /// - Parameters:
    ///   - page: The window's action that shows a page, or nil for its first page.
    ///   - token: The activation token of the click, or nil if there is none.
    public func openWindow(at page: String? = nil, token: String? = nil) async {
        guard let window = await catalogue.entry(BatonWindow.identifier) else { return }
        do {
            try await launcher.show(window, action: page, activationToken: token)
        } catch {
            logger.warning("the window does not open: \(error)")
        }
    }

    // MARK: - Answers to notifications

    func followClicks() async {
        for await event in board.events {
            switch event {
            case .chosen(let key, let action, let token): await answered(key, action, token: token)
            case .dismissed(let key): await answered(key, nil, token: nil)
            case .closed(let key): if let key = NotificationKey(key) { core.hasExpired(key) }
            }
        }
    }

    /// Carries out the user's answer to a notification.
    ///
    /// - Parameter action: The chosen action, or nil if the user dismissed the notification.
    private func answered(_ key: String, _ action: String?, token: String?) async {
        guard let key = NotificationKey(key) else { return }
        switch (key.kind, action) {
        case (.welcome, _?):
            carryOut(core.welcome.remove().map(DesktopCore.Action.notify))
            await openWindow(token: token)
        case (.grant, GrantNotifications.showAction?):
            await answerGrant(key, nil)
            await openWindow(at: BatonWindow.appsAction, token: token)
        case (.grant, _): await answerGrant(key, action)
        case (.fetches, _): await answerFetches(key.subject, action)
        case (.progress, NotificationStyle.cancelAction): core.openings.cancel(key.subject)
        case (.offer, _?): openForClick(key.subject, token: token)
        default: break
        }
    }

    /// Opens an offer for a click, without waiting for the outcome. The user is informed of any
    /// failure.
    func openForClick(_ offer: String, token: String?) {
        do {
            _ = try begin(offer, OpenOptions(activationToken: token))
        } catch {
            tellUser(offer, of: core.known[offer], BatonError(anyError: error))
        }
    }

    /// Tells the user that a laptop fetches repeatedly without continuing anything.
    public func fetchesInVain(of device: String, named name: String, count: Int) async {
        core.plan.fetchesInVain(of: device, named: name, count: count)
        await showFetches()
    }

    /// Withdraws the question about a laptop that fetches repeatedly, because the user has answered
    /// or acted.
    public func fetchesAreOver(of device: String) async {
        carryOut(core.plan.fetchesAreOver(of: device).map(DesktopCore.Action.notify))
        await showFetches()
    }

    private func showFetches() async {
        let members = Set(await host.members().map(\.device))
        carryOut(core.plan.showFetches(among: members).map(DesktopCore.Action.notify))
    }

    /// Carries out the user's answer to the question about a laptop that fetches repeatedly.
    ///
    /// - Parameter action: The chosen action, or nil if the user closed the notification. The user
    ///   may be asked about this laptop again later.
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
