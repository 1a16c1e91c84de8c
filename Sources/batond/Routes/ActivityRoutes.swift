// SPDX-License-Identifier: GPL-3.0-or-later

import ActivityModel
import BatonBus
import BatonDesktop
import BatonService
import Diagnosis

/// Answers programs that publish activities, and adapters that ask about the programs for which
/// they speak.
struct ActivityRoutes {
    let service: HandoffService
    let desktop: Desktop
    let callers: Callers
    let policy: CallerPermissions
    let speakerJudge: SpeakerJudge

    func add(to router: inout BusRouter) {
        router.on(ActivitiesInterface.publish) { publication, client in try await publish(publication, client) }
        router.on(ActivitiesInterface.update) { activity, change, client in try await update(activity, change, client) }
        router.on(ActivitiesInterface.becomeCurrent) { activity, client in
            try await service.becomeCurrent(activity, client: client)
        }
        router.on(ActivitiesInterface.resignCurrent) { activity, client in
            try await service.resignCurrent(activity, client: client)
        }
        router.on(ActivitiesInterface.invalidate) { activity, client in
            try await service.invalidate(activity, client: client)
        }
        router.on(ActivitiesInterface.takeStreams) { stream, client in
            let streams = try await service.takeStreams(stream, client: client)
            return (streams.transport, streams.descriptor)
        }
        router.on(ActivitiesInterface.closeStreams) { stream, discards, end, client in
            try await service.closeStreams(stream, end: end, discards: discards, client: client)
        }
        router.on(ActivitiesInterface.followStreams) { stream, client in
            try await service.followStreams(stream, client: client)
        }
        addJudging(to: &router)
    }

    private func addJudging(to router: inout BusRouter) {
        router.on(AdaptersInterface.judge) { speaker, application, client in
            try await checkIsAdapter(client)
            return try await speakerJudge.verdict(on: speaker, as: application)
        }
        router.on(AdaptersInterface.judgeEnd) { socket, application, client in
            try await checkIsAdapter(client)
            return try await speakerJudge.verdict(onEndOf: socket, as: application)
        }
        router.on(AdaptersInterface.withhold) { item, client in try await desktop.withhold(item, by: client) }
    }

    private func publish(_ publication: Publication, _ client: ClientID) async throws -> String {
        let (activity, options) = (publication.activity, publication.options)
        let caller = try await callers.caller(client)
        let attribution = try await attribution(options, client, caller)
        let team = try policy.team(claimed: attribution.team, by: caller)
        try policy.check(type: activity.activityType, team: team, by: caller)
        let id = try await service.publish(
            activity, team: team, application: attribution.application, speaker: options.speaker,
            account: caller.account, isBackground: options.isBackground, needsSave: publication.needsSave,
            client: client)
        do {
            // The user may have revoked the grant while the service published the activity.
            try policy.check(type: activity.activityType, team: team, by: caller)
            try await checkHasNotLeft(options.speaker)
        } catch {
            // The activity may already have ended, because its speaker has left.
            try? await service.invalidate(id, client: client)
            throw error
        }
        return id
    }

    /// Changes an activity. An unreadable change is refused, and devices that wait for fresher
    /// contents stop waiting.
    private func update(
        _ activity: String, _ change: Result<ActivityProperties, BatonError>, _ client: ClientID
    ) async throws {
        switch change {
        case .success(let properties):
            try await service.update(activity, needsSave: properties.needsSave, client: client) {
                properties.applied(to: $0)
            }
        case .failure(let error):
            await service.updateUnreadable(activity, isTooLarge: error.code == .userInfoTooLarge, client: client)
            throw error
        }
    }

    /// Returns the app to which an activity belongs, and the claimed team.
    ///
    /// An activity that an adapter publishes for another app belongs to no team unless the adapter
    /// names one.
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

    /// Throws unless a program may speak for others.
    private func checkIsAdapter(_ client: ClientID) async throws {
        guard policy.mayManage(try await callers.caller(client)) else {
            throw BatonError(.notAllowed, .sandboxedCaller)
        }
        try await desktop.checkIsAdapter(client)
    }

    /// Throws if the speaker left before the service got the activity. Otherwise the activity would
    /// never end.
    private func checkHasNotLeft(_ speaker: ClientID?) async throws {
        guard let speaker, try await !speakerJudge.isPresent(speaker) else { return }
        throw BatonError(.notAllowed, .programGone)
    }
}
