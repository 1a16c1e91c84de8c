// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import Diagnosis
@_spi(Reported) import HandoffModel

/// Messages from the daemon and the bus.
extension DaemonConnection {
    static let daemonEnded = BatonError(.daemonNotRunning, .batonStopped)
    private static let daemonEndedAmidStreams = BatonError(.daemonNotRunning, .streamsEnded)
    static let busHasEnded = BatonError(.busUnavailable, .connectionClosed)

    func receive(_ event: ActivityEvent) {
        switch event {
        case .willSave(let identifier):
            guard let key = publications.activity(identifier) else { return }
            _ = publications.change(key) { $0.willSave() }
            advance()
        case .wasContinued(let identifier, let device, let deviceName):
            let event = PublicationEvent.continued(device: device, deviceName: deviceName)
            guard let key = publications.activity(identifier) else { return }
            guard let activity = activityWithFewCalls(key) else { return report([event], key) }
            callApp(key) { connection in
                await activity.wasContinued()
                connection.report([event], key)
            }
        case .notContinued(let identifier, let device, let deviceName, let reason):
            report(.notContinued(device: device, deviceName: deviceName, reason: reason), of: identifier)
        case .streamsOpened(let identifier, let stream, let device, let deviceName):
            give(stream, device: device, deviceName: deviceName, to: identifier)
        case .warning(let identifier, let text):
            // The daemon sends warnings about a publication before it answers with the identifier.
            if publications.activity(identifier) == nil, publications.isPublishing {
                earlyWarnings.insert(text, of: identifier)
            }
            report(.warning(text), of: identifier)
        case .currentChanged(let identifier, let isCurrent):
            report(.currentChanged(isCurrent: isCurrent), of: identifier)
        case .streamEnded(let stream, let complete, let error):
            streams.ended(stream, complete: complete, error: error)
        case .ended(let identifier, let reason):
            guard let key = publications.activity(identifier) else { return }
            report(publications.change(key) { $0.wasEnded(BatonError(.notAllowed, reported: reason)) } ?? [], key)
            advance()
        }
    }

    /// Notes whether a daemon owns the bus name.
    func daemonIs(there isThere: Bool) {
        publications.isDaemonThere = isThere
        if isThere {
            publications.daemonCame()
        } else if isDaemonThere != nil {
            report(publications.daemonLeft(Self.daemonEnded))
            streams.failAll(Self.daemonEndedAmidStreams)
        }
        isDaemonThere = isThere
        advance()
    }

    /// Fails all activities and streams, because nothing can reach this connection any more.
    func busEnded() {
        report(publications.busEnded(Self.busHasEnded))
        streams.failAll(Self.busHasEnded)
        advance()
    }

    private func report(_ events: [(ActivityIdentity, [PublicationEvent])]) {
        for (key, events) in events { report(events, key) }
    }

    private func report(_ event: PublicationEvent, of identifier: String) {
        if let key = publications.activity(identifier) { report([event], key) }
    }

    /// Returns an activity, unless its app has too many calls to answer.
    private func activityWithFewCalls(_ key: ActivityIdentity) -> (any PublishedActivity)? {
        apps[key].flatMap { $0.calls < AppSide.maximumCalls ? $0.activity : nil }
    }

    /// Gives streams from another device to the app. If nobody can take the streams, cancels them,
    /// so that the other device does not wait.
    private func give(_ stream: String, device: String, deviceName: String, to identifier: String) {
        guard let key = publications.activity(identifier), let activity = activityWithFewCalls(key) else {
            Task { try? await bus.cancel(stream) }
            return
        }
        streams.expect(stream)
        // Take the streams at once, because they wait only 30 s and the app's earlier callbacks may
        // take longer.
        let taking = Task { await take(stream, device: device, deviceName: deviceName) }
        callApp(key) { connection in
            guard let streams = await taking.value else { return }
            let isTaken = await activity.receive(streams, by: connection)
            if !isTaken { StreamOutcomes.discard(streams) }
        }
    }

    /// Takes streams that another device has opened.
    ///
    /// Returns nil if the streams have ended or waited too long. In both cases the other device is
    /// told.
    private func take(_ stream: String, device: String, deviceName: String) async -> ContinuationStreams? {
        do {
            return streams.adopt(try await bus.takeStreams(stream), device: device, deviceName: deviceName)
        } catch {
            streams.forget(stream)
            let error = BatonError(anyError: error)
            let reason = error.code == .notFound ? "they had ended, or waited too long" : error.message
            warn("streams from \(deviceName) could not be taken: \(reason)")
            return nil
        }
    }
}
