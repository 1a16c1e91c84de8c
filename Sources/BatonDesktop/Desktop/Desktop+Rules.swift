// SPDX-License-Identifier: Apache-2.0

import BatonBus
import DirectoryWatching
import FoundationEssentials
import Logging

/// The user's say.
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
        var rule: Rule
        do {
            rule = try Rule(text)
        } catch {
            throw BatonError(.invalidArgument, "rule: it \(error)")
        }
        let names = await deviceNames()
        do {
            rule.device = try rule.device.map { try names.device(called: $0).device }
        } catch let error as BatonError where error.code == .notFound {
            // It may come yet; until then the warnings say so.
        } catch let error as BatonError {
            throw BatonError(error.code, "rule: \(error.message)")
        }
        try environment.settingsFile.add(rule, at: number)
        await readSettings()
    }

    /// Removes a rule by its number, from 1.
    ///
    /// - Throws: ``BatonError``; nothing has changed then.
    public func removeRule(_ number: Int) async throws {
        try environment.settingsFile.removeRule(number)
        await readSettings()
    }

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

    func followSettings() async {
        while !Task.isCancelled {
            let directories = environment.settingsFile.directories
            let watch = DirectoryWatch(directories)
            await readSettings()
            // A link that came between looking and watching leads where nothing is watched.
            if environment.settingsFile.directories == directories { await DirectoryWatch.change(watch) }
        }
    }

    /// What the other devices are called.
    func deviceNames() async -> DeviceNames {
        DeviceNames(await host.members().filter { !$0.isThisDevice })
    }

    func readSettings() async {
        // First: from the file on nothing may come in between.
        let names = await deviceNames()
        let (former, wasUnreadable) = (settings, inForce.unreadable)
        let news: [String]
        do {
            news = inForce.wasRead(try environment.settingsFile.read(naming: names), naming: names)
        } catch {
            // In force or not, names in it are put into ids while they are known to be meant.
            let understood = environment.settingsFile.understood(naming: names)
            news = inForce.couldNotBeRead(error, naming: names, understood: understood)
        }
        for line in news { logger.warning("\(line)") }
        environment.history.keep(for: settings.historyLength)
        guard settings != former || inForce.unreadable != wasUnreadable else { return }
        if settings.rules != former.rules { nearRules.rulesChanged() }
        await advertisingChanged()
        if settings.adapters != former.adapters { await useApps() } else { await chooseAppsAgain() }
        refreshAll()
    }

    // MARK: - Continuing by itself

    /// Continues what is near, now or as soon as it may: asked whenever the offers, the session,
    /// the apps or the time have changed.
    func continueWhatIsNear() {
        for (offer, signal) in nearRules.take(at: clock.uptime(), where: { mayContinueByItself($0) }) {
            Task { await continueByRule(offer, near: signal) }
        }
    }

    /// A rule continues only what an app can continue, and the user can see it continue.
    private func mayContinueByItself(_ offer: String) -> Bool {
        presence.isUnlocked && !presence.isPaused && openings[offer] == nil && known[offer]?.application != nil
    }

    /// Before an app is started, or the user sees anything, the device has answered near by.
    private func continueByRule(_ offer: String, near signal: Int) async {
        let isFromHere = await host.activity(of: offer)?.isFromHere ?? false
        let isReached = isFromHere ? true : await reaches(offer, near: signal)
        guard
            nearRules.answered(
                offer, isReached: isReached, mayContinue: mayContinueByItself(offer), at: clock.uptime())
        else { return }
        // Two laptops would hand over to each other for ever.
        guard !isFromHere else {
            return logger.debug("\(offer) came near; this device gave it away, or has it open")
        }
        do {
            _ = try await begin(offer, near: signal).value
        } catch {
            let error = BatonError(anyError: error)
            logger.notice("\(offer) was not continued by its rule: \(error)", metadata: Self.caused(byOffer: offer))
            nearRules.failed(offer, error.code, at: clock.uptime())
        }
    }

    private func reaches(_ offer: String, near signal: Int) async -> Bool {
        do {
            try await host.reach(offer, near: signal)
            return true
        } catch {
            logger.notice(
                "\(offer) seems to be near, but its rule could not reach it there: \(BatonError(anyError: error))",
                metadata: Self.caused(byOffer: offer))
            return false
        }
    }
}
