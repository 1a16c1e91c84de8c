// SPDX-License-Identifier: Apache-2.0

import BatonLoopback

/// Two devices near each other. An app's own objects are on the first device.
@MainActor struct Devices {
    let desk: LoopbackApp
    let sofa: LoopbackApp

    init() {
        let loopback = Loopback()
        desk = loopback.app("desk", delivery: .mainActor)
        sofa = loopback.app("sofa", delivery: .mainActor)
        UserActivity.defaultHost = desk
        UserActivity.store = nil
        ResponderCoordinator.shared.mainChain = []
    }

    /// Continues the first device's offer on the second device.
    func handOver(_ type: String) async throws -> NSUserActivity {
        let continuation = try await sofa.continueOffer(await sofa.offer(ofType: type))
        await continuation.accept()
        return continuation.activity
    }

    /// Continues the first device's offer in an app on the second device.
    func handOver(_ type: String, to application: Application) async throws {
        let taken = await application.continueOffer(await sofa.offer(ofType: type), as: sofa)
        try expect(taken != nil, "the app takes over \(type)")
    }

    /// Returns an app on the second device that continues these types.
    func application(_ types: [String], _ delegate: (any ApplicationDelegate)? = nil) -> Application {
        Application(declaration: ApplicationDeclaration(activityTypes: types), delegate: delegate) { _ in }
    }
}

/// The error of a check that failed.
struct Unexpected: Error {
    let what: String
}

func expect(_ isSo: Bool, _ what: String) throws {
    if !isSo { throw Unexpected(what: what) }
}
