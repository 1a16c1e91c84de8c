// SPDX-License-Identifier: GPL-3.0-or-later

import ActivityModel
import BatonBus
import BatonDesktop
import BatonService
import DesktopEntries
import Diagnosis
import FoundationEssentials
import TraceModel

/// Answers the session bus with the service, in the bus's words.
struct BusFront: BatonBusHandler {
    let service: HandoffService
    let desktop: Desktop
    let radio: PickedRadio
    let version: String
    let callers: Callers
    let policy: CallerPermissions
    let speakerJudge: SpeakerJudge
    let store: SavedStore
    let history: HistoryStore
    let damaged: DamagedFiles
    let continuations: OwnContinuations

    func admit(_ client: ClientID) async throws -> Admission {
        await service.started()
        await desktop.askSession()
        return policy.mayManage(try await callers.caller(client)) ? .managing : []
    }

    func account(of client: ClientID) async -> String? { (try? await callers.caller(client))?.account }

    func status() async throws -> DaemonStatus {
        var status = await service.status()
        let pause = await desktop.pause
        (status.version, status.radioReason) = (version, radio.reason)
        (status.isPaused, status.pausedUntil) = (pause != nil, pause?.until)
        status.findings =
            [radio.fallback].compactMap(\.self) + status.findings + damaged.findings + (await desktop.findings)
            + speakerJudge.findings
        status.withheld = await desktop.withheld
        status.counts.merge(await desktop.counts) { $1 }
        return status
    }

    func trace(revealing details: Set<TraceDetail>) async throws -> OwnedDescriptor {
        let status = try await status()
        let (socket, reader) = try TraceSocket.make()
        let about = [
            "format": "1", "version": version, "radio": status.radio, "condition": status.radioCondition,
            "time": Date().formatted(.iso8601), "details": details.map(\.rawValue).sorted().joined(separator: " "),
            "members": "\(status.members.count)", "tcp": status.tcp ? "on" : "off",
            "findings": status.findings.map(\.code).joined(separator: " "),
        ]
        guard service.trace.begin(to: socket, revealing: details, about: about.filter { !$0.value.isEmpty }) else {
            throw BatonError(
                .limitReached, "\(TraceRecorder.maximumRecordings) traces are being recorded; end one of them first")
        }
        return reader
    }

    func createCircle(name: String) async throws -> CircleSummary {
        try await service.createCircle(name: name)
        return await summary()
    }

    func invite() async throws -> CircleInvitation {
        let (text, expires) = try await service.invite()
        return CircleInvitation(text: text, expires: Date(timeIntervalSince1970: TimeInterval(expires)))
    }

    func joinCircle(invitation: String) async throws -> CircleSummary {
        try await service.joinCircle(invitation)
        return await summary()
    }

    func pair(address: String?, anew: Bool, client: ClientID) async throws -> PairingDigits {
        let address = try address.map { try PairingAddress($0) }
        let found = try await service.pair(
            address: address.map { ($0.host, $0.port) }, anew: anew, client: client)
        return PairingDigits(pairing: found.pairing, digits: found.digits)
    }

    func pairByCode(client: ClientID) async throws -> PairingCode {
        let shown = try await service.pairByCode(client: client)
        return PairingCode(
            pairing: shown.pairing, code: shown.code,
            expires: Date(timeIntervalSince1970: TimeInterval(shown.expires)))
    }

    func confirm(pairing: String, same: Bool, client: ClientID) async throws {
        try await service.confirmPairing(pairing, same: same, client: client)
    }

    func paired(_ pairing: String, client: ClientID) async throws -> CircleSummary {
        try await service.paired(pairing, client: client)
        return await summary()
    }

    func rename(to name: String) async throws {
        try await service.rename(to: name)
    }

    func removeDevice(_ device: String) async throws -> (member: CircleMember, unvouched: [String]) {
        try await service.removeDevice(device)
    }

    func history() async throws -> [HistoryEntry] { history.entries }
    func forgetHistory() async throws { try history.forgetAll() }

    func stopDevice(_ device: String) async throws -> CircleMember {
        let member = try await service.stopDevice(device)
        await desktop.fetchesAreOver(of: member.device)
        return member
    }

    func allowDevice(_ device: String) async throws -> (member: CircleMember, wasStopped: Bool) {
        try await service.allowDevice(device)
    }

    func ping(_ device: String) async throws -> DeviceAnswer {
        try await service.ping(device)
    }

    func probe(_ device: String) async throws -> DeviceProbe {
        try await service.probe(device)
    }

    func leaveCircle() async throws -> [String] {
        try await service.leaveCircle()
    }

    func publish(
        _ activity: ActivityState, options: PublishOptions, needsSave: Bool, client: ClientID
    ) async throws -> String {
        let caller = try await callers.caller(client)
        let attribution = try await attribution(options, client, caller)
        let team = try policy.team(claimed: attribution.team, by: caller)
        try policy.check(type: activity.activityType, team: team, by: caller)
        let id = try await service.publish(
            activity, team: team, application: attribution.application, speaker: options.speaker,
            account: caller.account, isBackground: options.isBackground, needsSave: needsSave, client: client)
        do {
            // It may have been taken back while this was published.
            try policy.check(type: activity.activityType, team: team, by: caller)
            try await checkHasNotLeft(options.speaker)
        } catch {
            // It may have ended with its speaker.
            try? await service.invalidate(id, client: client)
            throw error
        }
        return id
    }

    /// The app that does what a program publishes, and the team that is claimed for it: what an
    /// adapter says for another app belongs to no team unless the adapter names one.
    private func attribution(
        _ options: PublishOptions, _ client: ClientID, _ caller: Caller
    ) async throws -> (application: String?, team: String?) {
        let application = try policy.applicationID(claimed: options.application, by: caller)
        let isOther = application != nil && application != caller.applicationID
        if isOther, let application { try await desktop.checkAdapter(client, for: application) }
        guard let speaker = options.speaker else { return (application, isOther ? options.team ?? "" : options.team) }
        try await checkIsAdapter(client)
        try await speakerJudge.check(speaker, as: options.application)
        return (options.application, options.team ?? "")
    }

    /// Checks that a program may speak for others.
    private func checkIsAdapter(_ client: ClientID) async throws {
        guard policy.mayManage(try await callers.caller(client)) else {
            throw BatonError(.notAllowed, "a program in a sandbox speaks for itself alone; leave 'speaker' out")
        }
        try await desktop.checkIsAdapter(client)
    }

    /// The speaker may have left before the service had the activity, which ends with its speaker.
    private func checkHasNotLeft(_ speaker: ClientID?) async throws {
        guard let speaker, try await !speakerJudge.isPresent(speaker) else { return }
        throw BatonError(.notAllowed, "speaker: the program has gone")
    }

    func judge(_ speaker: ClientID, as application: String, client: ClientID) async throws -> SpeakerVerdict {
        try await checkIsAdapter(client)
        return try await speakerJudge.verdict(on: speaker, as: application)
    }

    func judgeEnd(
        of socket: OwnedDescriptor, as application: String, client: ClientID
    ) async throws -> SpeakerVerdict {
        try await checkIsAdapter(client)
        return try await speakerJudge.verdict(onEndOf: socket, as: application)
    }

    func withhold(_ item: WithheldItem?, client: ClientID) async throws {
        try await desktop.withhold(item, by: client)
    }

    func update(activity: String, properties: ActivityProperties, client: ClientID) async throws {
        try await service.update(activity, needsSave: properties.needsSave, client: client) {
            properties.applied(to: $0)
        }
    }

    func updateRefused(activity: String, because error: BatonError, client: ClientID) async {
        await service.updateUnreadable(
            activity, isTooLarge: error.code == .userInfoTooLarge, client: client)
    }

    func becomeCurrent(activity: String, client: ClientID) async throws {
        try await service.becomeCurrent(activity, client: client)
    }

    func resignCurrent(activity: String, client: ClientID) async throws {
        try await service.resignCurrent(activity, client: client)
    }

    func invalidate(activity: String, client: ClientID) async throws {
        try await service.invalidate(activity, client: client)
    }

    /// Those that programs have been told of: what is listed can be opened.
    func offers() async throws -> [OfferSummary] {
        let told = await desktop.offers
        var offers: [OfferSummary] = []
        for offer in await service.offers() where told[offer.offer] != nil {
            offers.append(await desktop.decorated(offer))
        }
        return offers
    }

    func openOffer(_ offer: String, options: OpenOptions, client: ClientID) async throws -> OpenedOffer {
        try await desktop.open(offer, options: options)
    }

    func followPages(client: ClientID) async throws -> [OpenedPage] { await desktop.followPages(client) }
    func takePage(_ page: String) async throws -> ContinuedActivity { try await desktop.takePage(page) }

    func rules() async throws -> [String] { try await desktop.rules }
    func addRule(_ rule: String, at number: Int?) async throws { try await desktop.addRule(rule, at: number) }
    func removeRule(_ number: Int) async throws { try await desktop.removeRule(number) }
    func grants() async throws -> [AppGrant] { await desktop.grants }
    func allow(_ grant: AppGrant) async throws { try await desktop.allow(grant) }
    func refuse(_ grant: AppGrant) async throws { try await desktop.refuse(grant) }
    func domains() async throws -> [DomainStatus] { await desktop.domains }
    func checkDomain(_ domain: String) async throws -> [DomainStatus] { try await desktop.checkDomain(domain) }
    func adapters() async throws -> [AdapterStatus] { await desktop.adapters }
    func allowAdapter(_ adapter: String) async throws { try await desktop.answer(true, toAdapter: adapter) }
    func refuseAdapter(_ adapter: String) async throws { try await desktop.answer(false, toAdapter: adapter) }
    func switchAdapter(_ adapter: String?, on isOn: Bool) async throws {
        try await desktop.switchAdapter(adapter, on: isOn)
    }
    func pause(for duration: Duration?) async throws {
        await desktop.setPause(Pause(until: duration.map { Date(timeIntervalSinceNow: $0 / .seconds(1)) }))
    }
    func resume() async throws { await desktop.setPause(nil) }

    func continueOffer(_ offer: String, timeout: Duration?, client: ClientID) async throws -> ContinuedActivity {
        try await checkContinuing(offer, client: client)
        return try await continuations.fetch(offer, for: client) {
            let continued = try await service.continueOffer(
                offer, timeout: timeout, client: client, account: await account(of: client))
            do {
                // It may have been taken back while this was fetched.
                try await checkContinued(continued.activity.activityType, client: client)
            } catch {
                try await service.accept(continued.continuation, accepted: false, client: client)
                throw error
            }
            return continued
        }
    }

    /// A sandboxed app gets only what its desktop entry declares, as far as that is its own or was
    /// granted.
    private func checkContinuing(_ offer: String, client: ClientID) async throws {
        guard let own = policy.continuable(by: try await callers.caller(client)),
            await service.isOffer(offer, ofAnyOf: own.types, team: own.team) == false
        else { return }
        throw Self.notItsOwn
    }

    private func checkContinued(_ type: String, client: ClientID) async throws {
        guard let own = policy.continuable(by: try await callers.caller(client)), !own.types.contains(type) else {
            return
        }
        throw Self.notItsOwn
    }

    private static let notItsOwn = BatonError(
        .notAllowed,
        "offer: a sandboxed app continues only types that its desktop entry declares, of its team, and that begin with its "
            + "id or that the user has allowed it; answer the notification that asks, or see 'baton grants'")

    func accept(continuation: String, accepted: Bool, client: ClientID) async throws {
        do {
            try await service.accept(continuation, accepted: accepted, client: client)
        } catch let error as BatonError {
            continuations.ended(continuation, of: client, error)
            throw error
        }
        let refused = BatonError(.applicationFailed, "the app did not take the activity over")
        continuations.ended(continuation, of: client, accepted ? nil : refused)
    }

    func openStreams(continuation: String, client: ClientID) async throws -> OpenedStreams {
        try await service.openStreams(continuation, client: client)
    }

    func takeStreams(_ stream: String, client: ClientID) async throws -> OpenedStreams {
        try await service.takeStreams(stream, client: client)
    }

    func closeStreams(_ stream: String, end: OwnedDescriptor, discards: Bool, client: ClientID) async throws {
        try await service.closeStreams(stream, end: end, discards: discards, client: client)
    }

    func cancel(_ continuationOrOffer: String, client: ClientID) async throws {
        await service.cancel(continuationOrOffer, client: client)
        continuations.ended(continuationOrOffer, of: client, BatonError(.userCancelled, "it was cancelled"))
        let caller = try await callers.caller(client)
        try await desktop.cancel(continuationOrOffer, by: client, caller, mayManage: policy.mayManage(caller))
    }

    func clientLeft(_ client: ClientID) async {
        continuations.clientLeft(client)
        await desktop.clientLeft(client)
        await service.clientLeft(client)
        Allocator.noteUse()
    }

    private func summary() async -> CircleSummary {
        let status = await service.status()
        return CircleSummary(
            circle: status.circle ?? "", device: status.device, deviceName: status.deviceName,
            members: status.members)
    }
}
