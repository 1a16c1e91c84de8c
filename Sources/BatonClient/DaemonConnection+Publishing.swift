// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus

/// Carries out the steps of the program's activities.
extension DaemonConnection {
    /// Takes the program's waiting requests, and begins to carry them out.
    func takeRequests() {
        let waiting = requests.take()
        for activity in waiting.current.values where activity.isOfferedNow {
            apps[activity.identity, default: AppSide()].activity = activity
            publications.becomeCurrent(activity.identity)
        }
        for activity in waiting.changed { _ = publications.change(activity) { $0.change() } }
        if waiting.hasResigned, let current = publications.current, apps[current]?.activity?.isOfferedNow != true {
            publications.resignCurrent()
        }
        for activity in waiting.ended { report(publications.change(activity) { $0.end() } ?? [.invalidated], activity) }
        advance()
    }

    /// Carries out all steps that are possible now.
    func advance() {
        while let (key, step) = publications.next() {
            switch step {
            case .ask: ask(key)
            case .pause: pause(key)
            case .call(let call): make(call, of: key)
            }
        }
        if apps.count > publications.count {
            apps = apps.filter { publications.contains($0.key) || $0.value.calls > 0 }
        }
        guard publications.isAtRest else { return }
        for settled in settling { settled.resume() }
        settling = []
    }

    /// Asks the app for its newest contents. The app may take long to answer.
    private func ask(_ key: ActivityIdentity) {
        guard let activity = apps[key]?.activity else { return release(key) }
        callApp(key) { connection in
            let state = connection.outgoing(await activity.saved(), of: activity)
            _ = connection.publications.change(key) { $0.answered(state) }
            connection.advance()
        }
    }

    private func pause(_ key: ActivityIdentity) {
        Task {
            try? await Task.sleep(for: PublicationMachine.patience)
            _ = publications.change(key) { $0.pauseEnded() }
            advance()
        }
    }

    private func make(_ call: PublicationMachine.Call, of key: ActivityIdentity) {
        Task {
            let result: Result<String, BatonError>
            do {
                result = .success(try await carryOut(call, key))
            } catch {
                result = .failure(BatonError(anyError: error))
            }
            finished(call, of: key, result)
        }
    }

    private func carryOut(_ call: PublicationMachine.Call, _ key: ActivityIdentity) async throws -> String {
        switch call {
        case .publish(let state): return try await bus.publish(state, options: options.publishing)
        case .update(let identifier, .saved(let state, _)):
            try await bus.update(activity: identifier, properties: ActivityProperties(state, needsSave: false))
        case .update(let identifier, .present):
            guard let activity = apps[key]?.activity else {
                release(key)
                break
            }
            let needsSave = activity.needsSave
            let state = outgoing(activity.currentState, of: activity)
            try await bus.update(activity: identifier, properties: ActivityProperties(state, needsSave: needsSave))
        case .becomeCurrent(let identifier): try await bus.becomeCurrent(activity: identifier)
        case .resignCurrent(let identifier): try await bus.resignCurrent(activity: identifier)
        case .invalidate(let identifier): try await bus.invalidate(activity: identifier)
        }
        return ""
    }

    private func finished(
        _ call: PublicationMachine.Call, of key: ActivityIdentity, _ result: Result<String, BatonError>
    ) {
        let events = publications.finished(key, call, result)
        if case .publish = call {
            if case .success(let identifier) = result, let text = earlyWarnings.take(identifier) {
                report([.warning(text)], key)
            }
            if !publications.isPublishing { earlyWarnings = EarlyWarnings() }
        }
        report(events, key)
        advance()
    }

    /// Ends an activity that the program has released.
    private func release(_ key: ActivityIdentity) { report(publications.change(key) { $0.end() } ?? [], key) }

    /// Returns a state for other devices, in which a file in a shared folder is named by its place
    /// in the folder.
    private func outgoing(_ state: ActivityState, of activity: any PublishedActivity) -> ActivityState {
        options.folders.travelling(activity.outgoing(state))
    }

    /// Runs a call of the app after all earlier calls of the same activity.
    func callApp(_ key: ActivityIdentity, _ body: @escaping @Sendable (isolated DaemonConnection) async -> Void) {
        let before = apps[key]?.lastCall
        apps[key]?.calls += 1
        apps[key]?.lastCall = Task {
            await before?.value
            await body(self)
            apps[key]?.calls -= 1
        }
    }

    func report(_ events: [PublicationEvent], _ key: ActivityIdentity) {
        for event in events {
            let isFollowed = observers.send(event, of: key)
            switch event {
            case .refused(let error): if !isFollowed { warn(error.message) }
            case .failed(let error):
                if options.reattaches, !isFollowed { warn(error.message) }
                observers.finish(key)
            case .invalidated: observers.finish(key)
            default: break
            }
        }
    }
}
