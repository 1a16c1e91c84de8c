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
        environment.pauseMemory.current = pause
        await pauseChanged()
    }

    /// Goes on with the pause that has begun before, if there is one: before anything can be
    /// advertised, and again as this begins to run.
    public func keepPause() async { if pause != nil { await pauseChanged() } }

    /// The user's pause; `nil` when there is none.
    public var pause: Pause? { environment.pauseMemory.current }

    private func pauseChanged() async {
        setPauseAlarm()
        await advertisingChanged()
        refreshAll()
    }

    private func setPauseAlarm() {
        alarms[.pause]?.cancel()
        alarms[.pause] = pause?.until.map { until in
            Task {
                // Short sleeps: a laptop that was suspended is not to oversleep.
                while Date() < until {
                    let wait = Duration.seconds(min(30, max(0.1, until.timeIntervalSinceNow)))
                    guard (try? await Task.sleep(for: wait)) != nil else { return }
                }
                guard !Task.isCancelled else { return }
                // Not to be cancelled in the middle of what it does.
                alarms[.pause] = nil
                await setPause(nil)
            }
        }
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
        if settings.rules != former.rules { for offer in known.identifiers { triggers.forget(offer) } }
        await advertisingChanged()
        if settings.adapters != former.adapters { await useApps() } else { await chooseAppsAgain() }
        refreshAll()
    }

    // MARK: - Continuing by itself

    /// How long the radio has listened, after it had not, before a rule acts on what it tells.
    static let listeningBeforeRules = Duration.seconds(20)

    /// The radio begins to listen again: what is known of who is near is of before.
    func restRules() {
        let begin = clock.uptime() + Self.listeningBeforeRules
        rulesBegin = begin
        alarms[.rules]?.cancel()
        alarms[.rules] = Task {
            guard (try? await clock.sleep(begin)) != nil else { return }
            for offer in known.identifiers { continueIfNear(offer) }
        }
    }

    func watchSignal(of offer: OfferSummary, threshold: Int) {
        triggers.heard(offer.offer, offer.signal, threshold: threshold, at: Self.uptime)
        continueIfNear(offer.offer)
    }

    func setTriggerAlarm() {
        alarms[.trigger]?.cancel()
        alarms[.trigger] = triggers.deadline.map { deadline in
            Task {
                guard (try? await Task.sleep(for: max(.zero, deadline - Self.uptime))) != nil else { return }
                for offer in triggers.timePassed(at: Self.uptime) { continueIfNear(offer) }
            }
        }
    }

    /// Continues what has come near, now or as soon as it may: asked whenever the offer, the
    /// session or the apps have changed.
    ///
    /// Anybody can replay what a device advertises: before an app is started, or the user sees
    /// anything, it has answered near by.
    private func continueIfNear(_ offer: String) {
        guard mayContinueByItself(offer), let signal = triggers[offer]?.lowest else { return }
        triggers.beginReaching(offer)
        Task {
            let isFromHere = await host.activity(of: offer)?.isFromHere ?? false
            let isReached = isFromHere ? true : await reaches(offer, near: signal)
            triggers.endReaching(offer, isReached: isReached, at: Self.uptime)
            guard isReached, mayContinueByItself(offer) else { return }
            triggers.settle(offer)
            // Two laptops would hand over to each other for ever.
            guard !isFromHere else {
                return logger.debug("\(offer) came near; this device gave it away, or has it open")
            }
            await continueByRule(offer, near: signal)
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

    /// A rule continues only what the user can see it continue, and nothing twice.
    private func mayContinueByItself(_ offer: String) -> Bool {
        triggers.isPending(offer) && presence.isUnlocked && pause == nil && clock.uptime() >= rulesBegin
            && openings[offer] == nil
            && known[offer]?.application != nil && !known.isContinued(offer) && !known.isDeclined(offer)
    }

    private func continueByRule(_ offer: String, near signal: Int) async {
        do {
            _ = try await begin(offer, near: signal).value
        } catch {
            let error = BatonError(anyError: error)
            logger.notice(
                "\(offer) was not continued by its rule: \(error)", metadata: Self.caused(byOffer: offer))
            switch error.code {
            case .userCancelled: known.declined(offer)
            case .handoffFailed, .connectionUnavailable, .remoteApplicationTimedOut, .radioUnavailable, .limitReached:
                triggers.tryAgain(offer, at: Self.uptime)
            default: break
            }
        }
    }

    private static let start = ContinuousClock.now
    /// Time since it was first read. `start` is made then, so it has to be read before the time.
    static var uptime: Duration { start.duration(to: .now) }
}
