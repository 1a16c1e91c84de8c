// SPDX-License-Identifier: Apache-2.0

import BatonBus
public import Foundation
import Logging

/// How long nothing is advertised, shown or continued by itself.
public struct Pause: Hashable, Sendable {
    /// When it is over; nil: when the user says so.
    public var until: Date?

    /// A pause.
    public init(until: Date? = nil) { self.until = until }
}

/// The user's say.
extension Desktop {
    /// The rules, in their order.
    public var rules: [String] { settings.rules.map(\.description) }

    /// Adds a rule after the others.
    ///
    /// - Throws: ``BatonBusError``; nothing has changed then.
    public func addRule(_ text: String) async throws {
        let rule: Rule
        do {
            rule = try Rule(text)
        } catch {
            throw BatonBusError(.invalidArgument, "the rule \(error)")
        }
        try settingsFile.add(rule)
        await readSettings()
    }

    /// Removes a rule by its number, from 1.
    ///
    /// - Throws: ``BatonBusError``; nothing has changed then.
    public func removeRule(_ number: Int) async throws {
        try settingsFile.removeRule(number)
        await readSettings()
    }

    /// Begins or ends a pause.
    ///
    /// - Parameter pause: nil ends it.
    public func setPause(_ pause: Pause?) async {
        self.pause = pause
        await advertisingChanged()
        refreshAll()
        guard let pause, let until = pause.until else { return }
        Task {
            // Short sleeps: a laptop that was suspended is not to oversleep.
            while Date() < until { try? await Task.sleep(for: .seconds(min(30, max(0.1, until.timeIntervalSinceNow)))) }
            if self.pause == pause { await setPause(nil) }
        }
    }

    func followSettings() async {
        while !Task.isCancelled {
            let watch = DirectoryWatch([settingsFile.url.deletingLastPathComponent().path])
            await readSettings()
            await DirectoryWatch.change(watch)
        }
    }

    func readSettings() async {
        do {
            let new = try settingsFile.read()
            settingsMistake = nil
            guard new != settings else { return }
            if new.rules != settings.rules { for offer in offers.keys { forgetTrigger(offer) } }
            settings = new
            await advertisingChanged()
            refreshAll()
        } catch {
            settingsMistake = "\(error)"
            logger.warning("\(error)")
        }
    }

    // MARK: - Continuing by itself

    func watchSignal(of offer: OfferSummary, threshold: Int) {
        let name = offer.offer
        var trigger = triggers[name] ?? NearTrigger(threshold: threshold)
        let isNear = trigger.heard(offer.signal, at: Self.uptime)
        triggers[name] = trigger
        setTriggerAlarm(name)
        if isNear { cameNear(name) }
    }

    func forgetTrigger(_ offer: String) {
        triggers[offer] = nil
        triggerAlarms.removeValue(forKey: offer)?.cancel()
    }

    private func setTriggerAlarm(_ offer: String) {
        triggerAlarms.removeValue(forKey: offer)?.cancel()
        guard let deadline = triggers[offer]?.deadline else { return }
        triggerAlarms[offer] = Task {
            guard (try? await Task.sleep(for: max(.zero, deadline - Self.uptime))) != nil else { return }
            if triggers[offer]?.timePassed(at: Self.uptime) == true { cameNear(offer) }
        }
    }

    /// A rule continues by itself only what the user can see it continue.
    private func cameNear(_ offer: String) {
        Task {
            // Two laptops would hand over to each other for ever.
            guard await !host.isFromHere(offer) else { return }
            continueByRule(offer)
        }
    }

    private func continueByRule(_ offer: String) {
        guard session.isActive, !session.isLocked, pause == nil, offers[offer]?.application != nil,
            continuedByRule.insert(offer).inserted
        else { return }
        openByItself(offer, isByRule: true)
    }

    private static let start = ContinuousClock.now
    private static var uptime: Duration { ContinuousClock.now - start }
}
