// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonBus
import DesktopEntries
import TraceModel

/// Completions for the tool's arguments. Completions that ask the daemon offer nothing if no daemon
/// runs or if it is slow.
extension CompletionKind {
    static let device = asking { devices(of: try await $0.status().members) }
    /// The ids of the offers, and the devices that offer something.
    static let offer = custom { words, _, _ in
        // Suggest nothing after `--type` or `--from`, which cannot be combined with this argument.
        guard !words.contains(where: { $0.hasPrefix("--type") || $0.hasPrefix("--from") }) else { return [] }
        return await Completion.lines(offersAndDevices)
    }
    private static let offersAndDevices: @Sendable (BatonBusClient) async throws -> [Candidate] = { bus in
        let offers = try await bus.offers()
        let offering = Set(offers.map(\.device))
        return offers.compactMap { Candidate($0.offer, OfferText.meaning($0)) }
            + devices(of: try await bus.status().members) { offering.contains($0) }
    }
    static let offeredType = asking { types(of: try await $0.offers()) }
    /// The types that this device's apps continue or other devices offer.
    static let type = asking { types(of: (try? await $0.offers()) ?? []) + declaredTypes }
    static let ruleNumber = asking { bus in
        try await bus.rules().enumerated().compactMap { Candidate("\($0 + 1)", $1) }
    }
    /// The possible next words of a rule.
    static let rule = custom { words, index, _ in
        let word = RuleWord(words, index)
        return await Completion.lines { bus in
            let types = word.wants("type") ? types(of: try await bus.offers()) + declaredTypes : []
            let devices = word.wants("device") ? devices(of: try await bus.status().members) : []
            return word.actions + types.compactMap { word.candidate("type", $0) }
                + (word.wants("app") ? installedApps : []).compactMap { word.candidate("app", $0) }
                + devices.compactMap { word.candidate("device", $0) }
        }
    }
    static let app = asking { _ in installedApps }
    /// The sandboxed apps that have asked for a permission or received an answer.
    static let sandboxedApp = asking { bus in
        let grants = try await bus.grants()
        return grants.compactMap { grant in
            let isMeant = grants.allSatisfy { $0.application != grant.application || $0.app == grant.app }
            return Candidate(isMeant ? grant.application : grant.app, "\(grant.sandbox), \(grant.state.rawValue)")
        }
    }
    /// The types that the app has asked for or received an answer for.
    static let grantedType = custom { words, _, _ in
        await Completion.lines { bus in
            try await bus.grants().filter { grant in words.contains(where: grant.isOf) }.flatMap { grant in
                grant.types.compactMap { Candidate($0, grant.state.rawValue) }
            }
        }
    }

    static let adapter = asking { bus in
        try await bus.adapters().compactMap { Candidate($0.adapter, "\($0.name), \($0.state.rawValue)") }
    }

    /// The domains that this device's apps claim.
    static let claimedDomain = asking { bus in
        try await bus.domains().compactMap { claim in
            claim.domain.flatMap { Candidate($0, "\(claim.application), \(claim.state.rawValue)") }
        }
    }

    /// The checks that are not yet on the command line.
    static let check = custom { words, _, _ in
        Check.all.map(\.name).filter { !words.contains($0) }.compactMap { Candidate($0) }.map {
            $0.line(for: CompletionShell.requesting)
        }
    }

    /// The details that a trace may reveal, separated by commas, without those already named.
    static let traceDetails = custom { words, index, _ in
        let word = words.indices.contains(index) ? words[index] : ""
        return details(after: word).map { $0.line(for: CompletionShell.requesting) }
    }

    /// Returns the possible completions of a list of details.
    static func details(after word: String) -> [Candidate] {
        let list = word.lastIndex(of: "=").map { word[$0...].dropFirst() } ?? word[...]
        let named = list.split(separator: ",", omittingEmptySubsequences: false).dropLast()
        return TraceDetail.allCases.map(\.rawValue).filter { !named.contains(Substring($0)) }.compactMap {
            Candidate((named + [Substring($0)]).joined(separator: ","))
        }
    }

    private static func asking(
        _ question: @escaping @Sendable (BatonBusClient) async throws -> [Candidate]
    ) -> CompletionKind {
        custom { _, _, _ in await Completion.lines(question) }
    }

    /// Returns the devices by name, or by id if a name is ambiguous or cannot be typed.
    static func devices(
        of members: [CircleMember], where isWanted: (String) -> Bool = { _ in true }
    ) -> [Candidate] {
        let others = members.filter { !$0.isThisDevice }
        let names = DeviceNames(members)
        return others.filter { isWanted($0.device) }.compactMap { member in
            let isMeant = (try? names.device(called: member.name).device) == member.device
            return (isMeant ? Candidate(member.name, member.device) : nil) ?? Candidate(member.device, member.name)
        }
    }

    private static func types(of offers: [OfferSummary]) -> [Candidate] {
        offers.compactMap { offer in offer.type.flatMap { Candidate($0, "from \(offer.deviceName)") } }
    }

    private static var continuingApps: [DesktopEntry] {
        DesktopEntryIndex.installed.entries.values.filter { !$0.continuableTypes.isEmpty }
            .sorted { $0.identifier < $1.identifier }
    }

    private static var declaredTypes: [Candidate] {
        continuingApps.flatMap { app in app.continuableTypes.compactMap { Candidate($0, app.name) } }
    }

    private static var installedApps: [Candidate] {
        continuingApps.compactMap { Candidate($0.identifier, $0.name) }
    }
}

/// Asks the daemon for completions, with a time limit.
enum Completion {
    /// The longest wait of a user who has pressed Tab.
    private static let patience = Duration.milliseconds(700)
    /// The largest number of words for a shell.
    static let maximumCandidates = 256

    /// Returns the lines for a completion script.
    ///
    /// - Parameter question: A closure that asks a running daemon. If it fails or takes too long,
    ///   there are no lines and no message.
    static func lines(_ question: @escaping @Sendable (BatonBusClient) async throws -> [Candidate]) async -> [String] {
        // A question that is still unanswered ends with the process.
        let candidates = (try? await Deadline.run(patience) { try await ask(question) }?.get()) ?? []
        return unique(candidates).prefix(maximumCandidates).map { $0.line(for: CompletionShell.requesting) }
    }

    private static func ask(
        _ question: @Sendable (BatonBusClient) async throws -> [Candidate]
    ) async throws -> [Candidate] {
        guard let bus = try await BatonBusClient.connectToRunning() else { return [] }
        defer { bus.close() }
        return try await question(bus)
    }

    private static func unique(_ candidates: [Candidate]) -> [Candidate] {
        var seen: Set<String> = []
        return candidates.filter { seen.insert($0.word).inserted }
    }
}
