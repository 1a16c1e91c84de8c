// SPDX-License-Identifier: Apache-2.0

import Baton
import BatonBus
import BatonTesting
import DBus
import Testing
import UserActivity

/// Tests an app that the daemon calls. The test acts as the daemon.
@Suite(.timeLimit(.minutes(5))) struct ApplicationServingTests {
    static let type = "org.example.note"

    @MainActor private final class Silent: ApplicationDelegate {}

    @MainActor private final class Telling: ApplicationDelegate {
        var failures: [String] = []

        func application(
            _ application: Application, didFailToContinueUserActivityWithType userActivityType: String, error: any Error
        ) {
            failures.append(userActivityType)
        }
    }

    @MainActor
    private func withServed(
        _ delegate: any ApplicationDelegate, _ body: @Sendable @escaping (ApplicationBusClient) async throws -> Void
    ) async throws -> [String] {
        let bus = try await PrivateBus.start()
        let daemon = try await DBusConnection.open(address: bus.address)
        _ = try await daemon.requestName(BatonBusName.bus)
        let connection = try await BatonConnection.open(address: bus.address, delivery: .mainActor)
        var notices: [String] = []
        let application = Application(
            declaration: ApplicationDeclaration(activityTypes: [Self.type]), delegate: delegate
        ) { notices.append("\($0)") }
        let service = try await application.serve(as: "org.example.Notes", on: connection)
        var limits = ApplicationTimeLimits()
        limits.willContinue = .seconds(60)
        limits.didFail = .seconds(60)
        let client = ApplicationBusClient(
            identifier: "org.example.Notes", owner: connection.bus.id, connection: daemon, limits: limits)
        try await body(client)
        await service.stop()
        await connection.close()
        daemon.close()
        await bus.stop()
        return notices
    }

    @MainActor @Test("The daemon shows a failure that the app does not show")
    func failureThatIsNotShown()
        async throws
    {
        let notices = try await withServed(Silent()) { client in
            await #expect(throws: BatonError.self) {
                try await client.didFail(
                    type: Self.type, error: BatonError(.connectionUnavailable, appMessage: "out of range"))
            }
        }
        #expect(notices.isEmpty)
    }

    @MainActor @Test("If the app shows a failure itself, the daemon gets no error")
    func failureThatIsShown() async throws {
        let delegate = Telling()
        _ = try await withServed(delegate) { client in
            try await client.didFail(
                type: Self.type, error: BatonError(.connectionUnavailable, appMessage: "out of range"))
        }
        #expect(delegate.failures == [Self.type])
    }

    @MainActor @Test("A type that the app does not declare is rejected")
    func undeclaredTypeIsRefused() async throws {
        _ = try await withServed(Silent()) { client in
            let error = await #expect(throws: BatonError.self) {
                try await client.willContinue(ComingActivity(type: "org.example.other", offer: "o", deviceName: "desk"))
            }
            #expect(error?.code == .notReady)
        }
    }
}
