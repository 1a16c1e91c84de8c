// SPDX-License-Identifier: GPL-3.0-or-later

import BatonBus
import BatonDesktop
import BatonService
import Diagnosis
import FoundationEssentials
import TraceModel

/// Answers calls about the daemon itself.
struct DaemonRoutes {
    let service: HandoffService
    let desktop: Desktop
    let radio: PickedRadio
    let version: String
    let speakerJudge: SpeakerJudge
    let history: HistoryStore
    let damaged: DamagedFiles
    let host: ServiceDesktopHost

    /// Adds the routes.
    ///
    /// - Returns: The programs that follow the status, and those that follow the history.
    func add(to router: inout BusRouter) -> [any FollowingClients] {
        let followers = Followers(of: [service.statusChange, desktop.statusChange]) {
            await status().forFollowers
        } send: { [host] in
            host.endpoint?.send($0, to: $1)
        }
        router.on(DaemonInterface.status) { _ in await status() }
        router.on(DaemonInterface.follow) { try await followers.follow($0) }
        router.on(DaemonInterface.trace) { details, _ in try await trace(revealing: details) }
        let readers = Followers(of: [history.change]) {
            history.entries
        } send: { [host] in
            host.endpoint?.send($0, to: $1)
        }
        router.on(DaemonInterface.history) { _ in history.entries }
        router.on(DaemonInterface.followHistory) { try await readers.follow($0) }
        router.on(DaemonInterface.forgetHistory) { _ in try history.forgetAll() }
        return [followers, readers]
    }

    private func status() async -> DaemonStatus {
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

    private func trace(revealing details: Set<TraceDetail>) async throws -> OwnedDescriptor {
        let status = await status()
        let (socket, reader) = try TraceSocket.make()
        let about = [
            "format": "1", "version": version, "radio": status.radio, "condition": status.radioCondition,
            "time": Date().formatted(.iso8601), "details": details.map(\.rawValue).sorted().joined(separator: " "),
            "members": "\(status.members.count)", "tcp": status.tcp ? "on" : "off",
            "findings": status.findings.map(\.code).joined(separator: " "),
        ]
        guard service.trace.begin(to: socket, revealing: details, about: about.filter { !$0.value.isEmpty }) else {
            throw BatonError(.limitReached, .tooManyTraces, ["count": .count(TraceRecorder.maximumRecordings)])
        }
        return reader
    }
}
