// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonBus
import DesktopEntries
import TraceModel

/// What the shells complete besides commands, options and files: what the daemon knows now. Nothing
/// where no daemon runs, or it is slow.
extension CompletionKind {
    /// Another device of the circle.
    static let device = asking { devices(of: try await $0.status().members) }
    /// An offer by its id, or the device that has one.
    static let offer = custom { words, _, _ in
        // An offer is named by its id, or by its type and its device.
        guard !words.contains(where: { $0.hasPrefix("--type") || $0.hasPrefix("--from") }) else { return [] }
        return await Completion.lines(offersAndDevices)
    }
    private static let offersAndDevices: @Sendable (BatonBusClient) async throws -> [Candidate] = { bus in
        let offers = try await bus.offers()
        let offering = Set(offers.map(\.device))
        return offers.compactMap { Candidate($0.offer, OfferText.meaning($0)) }
            + devices(of: try await bus.status().members) { offering.contains($0) }
    }
    /// The type of an offer.
    static let offeredType = asking { types(of: try await $0.offers()) }
    /// A type that apps here continue, or another device offers.
    static let type = asking { types(of: (try? await $0.offers()) ?? []) + declaredTypes }
    /// The number of a rule.
    static let ruleNumber = asking { bus in
        try await bus.rules().enumerated().compactMap { Candidate("\($0 + 1)", $1) }
    }
    /// The next word of a rule.
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
    /// An app that continues activities.
    static let app = asking { _ in installedApps }
    /// An app in a sandbox that asks, or was answered.
    static let sandboxedApp = asking { bus in
        let grants = try await bus.grants()
        return grants.compactMap { grant in
            let isMeant = grants.allSatisfy { $0.application != grant.application || $0.app == grant.app }
            return Candidate(isMeant ? grant.application : grant.app, "\(grant.sandbox), \(grant.state.rawValue)")
        }
    }
    /// A type that the app asks for, or was answered.
    static let grantedType = custom { words, _, _ in
        await Completion.lines { bus in
            try await bus.grants().filter { grant in words.contains(where: grant.isOf) }.flatMap { grant in
                grant.types.compactMap { Candidate($0, grant.state.rawValue) }
            }
        }
    }

    /// An adapter that is installed.
    static let adapter = asking { bus in
        try await bus.adapters().compactMap { Candidate($0.adapter, "\($0.name), \($0.state.rawValue)") }
    }

    /// A domain that an app here claims.
    static let claimedDomain = asking { bus in
        try await bus.domains().compactMap { claim in
            claim.domain.flatMap { Candidate($0, "\(claim.application), \(claim.state.rawValue)") }
        }
    }

    /// A check that is not named yet.
    static let check = custom { words, _, _ in
        Check.all.map(\.name).filter { !words.contains($0) }.compactMap { Candidate($0) }.map {
            $0.line(for: CompletionShell.requesting)
        }
    }

    /// What a trace may tell as it is, with commas between: what is not named yet.
    static let traceDetails = custom { words, index, _ in
        let word = words.indices.contains(index) ? words[index] : ""
        return details(after: word).map { $0.line(for: CompletionShell.requesting) }
    }

    /// What a list of details may become.
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

    /// The devices by their names, and by their ids where a name does not say which one is meant,
    /// or cannot be typed.
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

/// How the daemon is asked for a shell that waits.
enum Completion {
    /// How long a user who has pressed Tab waits at most.
    private static let patience = Duration.milliseconds(700)
    /// The most words that a shell is given.
    static let maximumCandidates = 256

    /// The lines that a completion script wants.
    ///
    /// - Parameter question: Asks a daemon that runs. What fails, or takes too long, gives no
    ///   lines, and no word of it.
    static func lines(_ question: @escaping @Sendable (BatonBusClient) async throws -> [Candidate]) async -> [String] {
        let (answers, sink) = AsyncStream.makeStream(of: [Candidate].self)
        Task {
            sink.yield((try? await ask(question)) ?? [])
        }
        Task {
            try? await Task.sleep(for: patience)
            sink.yield([])
        }
        // The first counts; who is late ends with the process.
        let candidates = await answers.first { _ in true } ?? []
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
