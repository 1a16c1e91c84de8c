// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus

/// The work for activities at the daemon.
extension DaemonConnection {
    static let daemonEnded = BatonError(
        .daemonNotRunning, "the daemon has ended; start it again (batond), then repeat the command")
    private static let daemonEndedAmidStreams = BatonError(
        .daemonNotRunning, "the daemon has ended, and the streams with it; continue the activity once more")
    private static let busHasEnded = BatonError(.busUnavailable, "the session bus has ended")

    func carryOut(_ command: Command) {
        switch command {
        case .becameCurrent(let activity): perform(activity) { try await $0.becomeCurrent(activity) }
        case .resigned: resignWhatIsNotOffered()
        case .changed(let activity): perform(activity) { try await $0.change(activity) }
        case .ended(let activity): end(activity)
        case .event(let event): receive(event)
        case .presence(let isThere): if isThere { daemonCame() } else { daemonLeft() }
        case .busEnded: busEnded()
        case .settle(let settled): settle(settled)
        }
    }

    private func settle(_ settled: CheckedContinuation<Void, Never>) {
        let waiting = work.unfinished
        Task {
            for task in waiting { await task.value }
            settled.resume()
        }
    }

    /// Runs a task after all earlier tasks of the same activity. Other activities do not wait.
    func enqueue(
        _ activity: ActivityIdentity, _ body: @escaping @Sendable (isolated DaemonConnection) async -> Void
    ) {
        let before = work.before(activity)
        let number = work.nextNumber()
        let task = Task {
            await before?.value
            await body(self)
            work.end(number, of: activity)
        }
        work.begin(number, of: activity, task)
    }

    /// Runs a task at once, without waiting for earlier tasks.
    private func hurry(_ body: @escaping @Sendable (isolated DaemonConnection) async -> Void) {
        let number = work.nextNumber()
        let task = Task {
            await body(self)
            work.end(number)
        }
        work.begin(number, task)
    }

    func perform(
        _ activity: any PublishedActivity, _ body: @escaping @Sendable (isolated DaemonConnection) async throws -> Void
    ) {
        enqueue(activity.identity) { connection in
            do {
                try await body(connection)
            } catch {
                connection.fail(activity.identity, with: BatonError(anyError: error))
            }
        }
    }

    func fail(_ activity: ActivityIdentity, with error: BatonError) {
        // An activity that has ended meanwhile cannot fail.
        guard let publication = publications[activity] else { return }
        if error.isAboutTheContents, publication.identifier != nil || options.reattaches {
            // The daemon keeps the activity, and accepts its next contents.
            publications[activity]?.isRefused = publication.identifier == nil
            if !observers.send(.refused(error), of: activity) { warn(error.message) }
            if publication.identifier == nil { resignWhatIsNotOffered() }
        } else if error.mayPass, publication.identifier != nil || options.reattaches,
            !isDaemonGone || error.code == .limitReached
        {
            catchUpLater(activity, after: error)
        } else if options.reattaches, error.saysThatTheDaemonIsGone || error.code == .notFound {
            publications[activity]?.identifier = nil
            observers.send(.detached(error), of: activity)
            // Another daemon is already running, and does not know the activity.
            if error.code == .notFound { publication.activity.map { carryOut(.becameCurrent($0)) } }
        } else {
            publications[activity] = nil
            if let identifier = publication.identifier, !error.saysThatTheDaemonIsGone {
                hurry { await $0.retire(identifier) }
            }
            let isFollowed = observers.send(.failed(error), of: activity)
            if options.reattaches, !isFollowed { warn(error.message) }
            observers.finish(activity)
            resignWhatIsNotOffered()
        }
    }

    func becomeCurrent(_ activity: any PublishedActivity) async throws {
        let key = activity.identity
        // Since it was queued, the activity may have resigned, ended, or become ineligible.
        guard activity.isOfferedNow else { return }
        let identifier: String
        if let known = publications[key]?.identifier {
            identifier = known
            do {
                try await save(activity, as: identifier)
            } catch let error as BatonError where error.isAboutTheContents || error.code == .limitReached {
                // The user works with this activity, so it becomes current with its last accepted
                // contents.
                fail(key, with: error)
            }
        } else {
            publishCount += 1
            let isBehind = publications[key]?.isBehind == true
            publications[key] = Publication(activity: activity, number: publishCount, isBehind: isBehind)
            let state = outgoing(await activity.saved(), of: activity)
            // Waiting did not help, so a second rejection is not about the rate of calls.
            identifier = try await publish(state, makingRoom: isBehind)
            publications[key]?.identifier = identifier
            if let text = earlyWarnings.take(identifier) { observers.send(.warning(text), of: key) }
            if !isPublishing { earlyWarnings = EarlyWarnings() }
        }
        try await makeCurrent(activity, as: identifier)
    }

    /// Tells the daemon which activity is the app's current one.
    ///
    /// Only one such call runs at a time, so that two activities cannot overtake each other.
    func makeCurrent(_ activity: any PublishedActivity, as identifier: String) async throws {
        let call = Task { [before = lastMadeCurrent] in
            _ = await before?.result
            // Another activity may have become current while the app was asked for changes.
            guard activity.isOfferedNow, publications[activity.identity]?.identifier == identifier else { return false }
            try await bus.becomeCurrent(activity: identifier)
            return true
        }
        lastMadeCurrent = call
        guard try await call.value else { return }
        for key in publications.keys { publications[key]?.isOffered = key == activity.identity }
        observers.send(.becameCurrent, of: activity.identity)
    }

    /// Publishes a state.
    ///
    /// If the daemon accepts no more activities of this app, the one published first makes room for
    /// it.
    private func publish(_ state: ActivityState, makingRoom: Bool) async throws -> String {
        do {
            return try await bus.publish(state, options: options.publishing)
        } catch let error as BatonError where makingRoom && error.code == .limitReached {
            let idle = publications.filter { $0.value.identifier != nil && $0.value.activity?.isOfferedNow != true }
            guard let (oldest, publication) = idle.min(by: { $0.value.number < $1.value.number }),
                let identifier = publication.identifier
            else { throw error }
            // The removed activity is published again when it becomes current.
            publications[oldest]?.identifier = nil
            await retire(identifier)
            return try await bus.publish(state, options: options.publishing)
        }
    }

    /// Returns a state for other devices, with the places of files in shared folders.
    func outgoing(_ state: ActivityState, of activity: any PublishedActivity) -> ActivityState {
        options.folders.travelling(activity.outgoing(state))
    }

    private var isPublishing: Bool { publications.values.contains { $0.identifier == nil } }

    private func resignWhatIsNotOffered() {
        for activity in publications.values.compactMap(\.activity) where !activity.isOfferedNow {
            perform(activity) { try await $0.resign(activity) }
        }
    }

    private func resign(_ activity: any PublishedActivity) async throws {
        guard let identifier = publications[activity.identity]?.identifier, !activity.isOfferedNow else { return }
        try await resign(activity, as: identifier)
    }

    func resign(_ activity: any PublishedActivity, as identifier: String) async throws {
        try await bus.resignCurrent(activity: identifier)
        publications[activity.identity]?.isOffered = false
        observers.send(.resignedCurrent, of: activity.identity)
    }

    /// Sends all changes since the last call at once, from the present state.
    private func change(_ activity: any PublishedActivity) async throws {
        changes.remove(activity.identity)
        guard let publication = publications[activity.identity] else { return }
        guard let identifier = publication.identifier else {
            // The daemon rejected the former contents, but may accept these.
            return publication.isRefused ? try await becomeCurrent(activity) : ()
        }
        let needsSave = activity.needsSave
        let state = outgoing(activity.currentState, of: activity)
        try await bus.update(activity: identifier, properties: ActivityProperties(state, needsSave: needsSave))
    }

    /// Ends an activity at the daemon at once, even while the app is being asked for changes.
    ///
    /// Only a publication that has no identifier yet must finish first.
    private func end(_ activity: ActivityIdentity) {
        guard let identifier = publications[activity]?.identifier else {
            return enqueue(activity) { await $0.invalidate(activity) }
        }
        hurry { await $0.invalidate(activity, as: identifier) }
        publications[activity] = nil
    }

    private func invalidate(_ activity: ActivityIdentity) async {
        let identifier = publications.removeValue(forKey: activity)?.identifier
        await invalidate(activity, as: identifier)
    }

    private func invalidate(_ activity: ActivityIdentity, as identifier: String?) async {
        if let identifier { await retire(identifier) }
        observers.send(.invalidated, of: activity)
        observers.finish(activity)
    }

    private func save(_ activity: any PublishedActivity, as identifier: String) async throws {
        let state = outgoing(await activity.saved(), of: activity)
        // The activity may have ended or been published again while the app was asked for changes.
        guard publications[activity.identity]?.identifier == identifier, !activity.isInvalidated else { return }
        try await bus.update(activity: identifier, properties: ActivityProperties(state, needsSave: false))
    }
}

/// Messages from the daemon.
extension DaemonConnection {
    private func receive(_ event: ActivityEvent) {
        switch event {
        case .willSave(let identifier):
            guard let activity = activity(identifier) else { return }
            perform(activity) { connection in
                try await connection.save(activity, as: identifier)
                connection.observers.send(.saved, of: activity.identity)
            }
        case .wasContinued(let identifier, let device, let deviceName):
            guard let activity = activity(identifier) else { return }
            perform(activity) { connection in
                await activity.wasContinued()
                connection.observers.send(.continued(device: device, deviceName: deviceName), of: activity.identity)
            }
        case .notContinued(let identifier, let device, let deviceName, let reason):
            guard let activity = activity(identifier) else { return }
            let event = PublicationEvent.notContinued(device: device, deviceName: deviceName, reason: reason)
            observers.send(event, of: activity.identity)
        case .streamsOpened(let identifier, let stream, let device, let deviceName):
            // If nobody takes them, cancel the streams, so that the other device does not wait.
            guard let activity = activity(identifier) else {
                Task { try? await bus.cancel(stream) }
                return
            }
            streams.expect(stream)
            // Take them at once: they wait only 30 s, and the app's earlier callbacks may take
            // longer.
            let taking = Task { await take(stream, device: device, deviceName: deviceName) }
            enqueue(activity.identity) { connection in
                guard let streams = await taking.value else { return }
                let isTaken = await activity.receive(streams, by: connection)
                if !isTaken { StreamOutcomes.discard(streams) }
            }
        case .warning(let identifier, let text):
            guard let activity = activity(identifier) else {
                // The daemon warns while it publishes, and only then answers with the identifier.
                if isPublishing { earlyWarnings.insert(text, of: identifier) }
                return
            }
            observers.send(.warning(text), of: activity.identity)
        case .currentChanged(let identifier, let isCurrent):
            guard let activity = activity(identifier) else { return }
            observers.send(.currentChanged(isCurrent: isCurrent), of: activity.identity)
        case .streamEnded(let stream, let complete, let error):
            streams.ended(stream, complete: complete, error: error)
        case .ended(let identifier, let reason):
            guard let activity = activity(identifier) else { return }
            fail(activity.identity, with: BatonError(.notAllowed, reason))
        }
    }

    /// Takes streams that another device has opened.
    ///
    /// Returns nil if they have ended or waited too long. The other device learns that.
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

    private func daemonLeft() {
        isDaemonGone = true
        for (key, publication) in publications where publication.identifier != nil {
            fail(key, with: Self.daemonEnded)
        }
        streams.failAll(Self.daemonEndedAmidStreams)
    }

    /// Fails all activities and streams, because nothing can reach this connection any more.
    private func busEnded() {
        isDaemonGone = true
        for key in publications.keys { fail(key, with: Self.busHasEnded) }
        streams.failAll(Self.busHasEnded)
    }

    /// Publishes the activities that the daemon does not know.
    private func daemonCame() {
        isDaemonGone = false
        for publication in publications.values where publication.identifier == nil {
            guard let activity = publication.activity else { continue }
            perform(activity) { connection in
                guard connection.publications[activity.identity]?.identifier == nil else { return }
                try await connection.becomeCurrent(activity)
            }
        }
    }

    private func activity(_ identifier: String) -> (any PublishedActivity)? {
        publications.values.first { $0.identifier == identifier }?.activity
    }
}

extension BatonError {
    /// Whether the daemon might accept other contents.
    var isAboutTheContents: Bool { [.userInfoTooLarge, .invalidArgument].contains(code) }

    /// Whether a retry may help.
    ///
    /// Other programs may have filled the daemon, this program called too often, or no answer came
    /// in time.
    var mayPass: Bool { code == .limitReached || isWithoutAnswer }

    /// Whether no daemon answers, so that waiting may help.
    fileprivate var saysThatTheDaemonIsGone: Bool { code == .daemonNotRunning || isWithoutAnswer }

    private var isWithoutAnswer: Bool { cause == "org.freedesktop.DBus.Error.NoReply" }
}
