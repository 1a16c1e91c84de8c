// SPDX-License-Identifier: Apache-2.0

import Baton
import BatonBus
import BatonLoopback
import BatonTesting
import Foundation
import Testing
import UserActivity

@MainActor
private final class Object: UserActivityRestoring {
    var restored: [String] = []
    func restoreUserActivityState(_ activity: UserActivity) { restored.append(activity.title ?? "") }
}

/// A delegate that implements every member.
@MainActor
private final class Whole: ApplicationDelegate {
    private let calls = Watched<[String]>([])
    var log: [String] { calls.value }
    var showsProgress = true
    var takes = true
    var objects: [Object] = []
    var error: (any Error)?

    func application(_ application: Application, willContinueUserActivityWithType type: String) -> Bool {
        calls.change { $0.append("will \(type)") }
        return showsProgress
    }

    func application(
        _ application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping ([any UserActivityRestoring]?) -> Void
    ) -> Bool {
        let version = userActivity.userInfo?["version"] as? Int ?? 0
        calls.change { $0.append("continue \(version)") }
        restorationHandler(objects)
        return takes
    }

    func application(_ application: Application, didFailToContinueUserActivityWithType type: String, error: any Error) {
        calls.change { $0.append("failed \(type)") }
        self.error = error
    }

    func application(_ application: Application, didUpdate userActivity: UserActivity) {
        userActivity.addUserInfoEntries(from: ["version": 2])
    }

    /// Returns after a member of the delegate was called.
    nonisolated func waitForCall() async throws {
        try await calls.wait("the first call") { $0.isEmpty ? nil : () }
    }
}

/// A delegate that implements no member.
@MainActor private final class Bare: ApplicationDelegate {}

@MainActor @Suite(.timeLimit(.minutes(5)), .serialized) struct ApplicationTests {
    private static let type = "org.example.edit"
    private let loopback = Loopback()

    /// An app on the sofa, and an activity on the desk.
    @MainActor private final class Scene {
        let desk: LoopbackApp
        let sofa: LoopbackApp
        let activity: UserActivity
        var notices: [String] = []
        let noter = Noter()

        init(_ loopback: Loopback) {
            desk = loopback.app("desk", delivery: .mainActor)
            sofa = loopback.app("sofa", delivery: .mainActor)
            activity = UserActivity(activityType: ApplicationTests.type, host: desk)
            activity.title = "letter"
            activity.delegate = noter
            activity.becomeCurrent()
        }

        func application(
            _ delegate: any ApplicationDelegate, _ declaration: ApplicationDeclaration? = nil
        ) -> Application {
            Application(
                declaration: declaration ?? ApplicationDeclaration(activityTypes: [ApplicationTests.type]),
                delegate: delegate
            ) { [weak self] notice in
                switch notice {
                case .continuing(let type): self?.notices.append("continuing \(type)")
                case .failed(let type, let error): self?.notices.append("failed \(type) \((error as NSError).code)")
                }
            }
        }
    }

    final class Noter: UserActivityDelegate {
        nonisolated(unsafe) var continued = 0
        func userActivityWasContinued(_ userActivity: UserActivity) { continued += 1 }
    }

    @Test("The delegate is called in order, and each object restores")
    func delegateIsToldInOrder() async {
        let (scene, delegate) = (Scene(loopback), Whole())
        delegate.objects = [Object(), Object()]
        scene.activity.userInfo = ["version": 7]
        let application = scene.application(delegate)
        let continued = await application.continueOffer(await scene.sofa.offer(ofType: Self.type), as: scene.sofa)
        #expect(continued?.title == "letter")
        #expect(continued?.activityType == Self.type)
        #expect(delegate.log == ["will \(Self.type)", "continue 7"])
        #expect(delegate.objects.map(\.restored) == [["letter"], ["letter"]])
        #expect(scene.noter.continued == 1)
        #expect(scene.notices.isEmpty)
    }

    /// An offer of a device that leaves during the hand-over.
    private struct LostOffer: ContinuedOffer {
        let activity = UserActivity(activityType: "org.example.edit", host: nil)
        func accept() async throws { throw CocoaError(.userActivityConnectionUnavailable) }
        func decline() async throws {}
    }

    @Test("An app keeps an activity even if the other device cannot be told")
    func appKeepsWhatItTookOver() async {
        let (scene, delegate) = (Scene(loopback), Whole())
        let offer = LostOffer()
        let continued = await scene.application(delegate).continueActivity(ofType: Self.type) { offer }
        #expect(continued === offer.activity)
        #expect(delegate.log == ["will \(Self.type)", "continue 0"])
    }

    @Test("A hand-over of an activity with invalid contents fails with Foundation's code")
    func impossibleContentsFail() async {
        let (scene, delegate) = (Scene(loopback), Whole())
        await scene.application(delegate).continueActivity(ofType: Self.type) {
            throw UserActivityError(code: .tooDeep, property: "userInfo", message: "is too deep")
        }
        #expect((delegate.error as? CocoaError)?.code == .userActivityHandoffFailed)
        #expect(delegate.log == ["will \(Self.type)", "failed \(Self.type)"])
    }

    @Test("The restoration handler may be called later, or with nil")
    func restorationMayComeLater() async {
        @MainActor final class Later: ApplicationDelegate {
            var handler: (([any UserActivityRestoring]?) -> Void)?
            func application(
                _ application: Application, continue userActivity: UserActivity,
                restorationHandler: @escaping ([any UserActivityRestoring]?) -> Void
            ) -> Bool {
                handler = restorationHandler
                return true
            }
        }
        let (scene, delegate, object) = (Scene(loopback), Later(), Object())
        let application = scene.application(delegate)
        await application.continueOffer(await scene.sofa.offer(ofType: Self.type), as: scene.sofa)
        #expect(scene.noter.continued == 1)
        delegate.handler?(nil)
        delegate.handler?([])
        #expect(object.restored.isEmpty)
        delegate.handler?([object])
        #expect(object.restored == ["letter"])
    }

    @Test("willContinue is called before the activity's data has arrived")
    func willContinueComesFirst() async throws {
        let (scene, delegate) = (Scene(loopback), Whole())
        let application = scene.application(delegate)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let sofa = scene.sofa
        let offer = await sofa.offer(ofType: Self.type)
        let running = Task { @MainActor in
            await application.continueActivity(ofType: Self.type) {
                for await _ in gate { break }
                return try await sofa.continueOffer(offer)
            }
        }
        try await delegate.waitForCall()
        #expect(delegate.log == ["will \(Self.type)"])
        open.yield()
        #expect(await running.value != nil)
        #expect(delegate.log.last == "continue 0")
    }

    @Test("Baton shows the progress that the app does not show")
    func batonShowsTheRest() async {
        let (scene, bare) = (Scene(loopback), Bare())
        let application = scene.application(bare)
        let taken = await application.continueOffer(await scene.sofa.offer(ofType: Self.type), as: scene.sofa)
        #expect(taken == nil)
        let code = CocoaError.userActivityHandoffFailed.rawValue
        #expect(scene.notices == ["continuing \(Self.type)", "failed \(Self.type) \(code)"])
        #expect(scene.noter.continued == 0)
    }

    @Test("Failures and cancellation reach the delegate with Foundation's codes")
    func failuresReachTheDelegate() async {
        let (scene, delegate) = (Scene(loopback), Whole())
        let application = scene.application(delegate)
        for (thrown, code) in [
            (
                BatonError(.remoteApplicationTimedOut, appMessage: "late"),
                CocoaError.userActivityRemoteApplicationTimedOut
            ),
            (BatonError(.connectionUnavailable, appMessage: "far"), .userActivityConnectionUnavailable),
            (BatonError(.userInfoTooLarge, appMessage: "large"), .userActivityHandoffUserInfoTooLarge),
            (BatonError(.userCancelled, appMessage: "no"), .userCancelled),
            (BatonError(.failed, appMessage: "?"), .userActivityHandoffFailed),
        ] {
            await application.continueActivity(ofType: Self.type) { throw thrown }
            #expect((delegate.error as? CocoaError)?.code == code)
        }
        let running = Task { @MainActor in
            await application.continueActivity(ofType: Self.type) {
                try await Task.sleep(for: .seconds(3_600))
                throw CocoaError(.userActivityHandoffFailed)
            }
        }
        running.cancel()
        _ = await running.value
        #expect((delegate.error as? CocoaError)?.code == .userCancelled)
    }

    @Test("The other app does not learn that an activity was declined")
    func declinedIsNotContinued() async {
        let (scene, delegate) = (Scene(loopback), Whole())
        delegate.takes = false
        let application = scene.application(delegate)
        await application.continueOffer(await scene.sofa.offer(ofType: Self.type), as: scene.sofa)
        #expect(scene.noter.continued == 0)
        #expect(delegate.log.last == "failed \(Self.type)")
    }

    @Test("If the delegate declines, the activity's document is opened")
    func documentIsOpened() async {
        let (scene, bare) = (Scene(loopback), Bare())
        let url = URL(filePath: "/home/ada/letter.txt")
        scene.activity.userInfo = [UserActivityDocumentURLKey: URL(string: "baton-folder:/letters/letter.txt") as Any]
        let application = scene.application(bare)
        application.sharedFolders = SharedFolders(["letters": URL(filePath: "/home/ada")])
        let document = Object()
        var opened: [URL] = []
        application.openDocument = { url in
            opened.append(url)
            return document
        }
        let offer = await scene.sofa.offer(ofType: Self.type)
        #expect(await application.continueOffer(offer, as: scene.sofa) != nil)
        #expect(opened == [url])
        #expect(document.restored == ["letter"])
        application.openDocument = { _ in throw CocoaError(.fileNoSuchFile) }
        #expect(await application.continueOffer(offer, as: scene.sofa) == nil)
        #expect(scene.notices.last == "failed \(Self.type) \(CocoaError.fileNoSuchFile.rawValue)")
    }

    @Test("A file is not opened if only the other device has named it")
    func foreignFileIsNotOpened() async {
        let (scene, bare) = (Scene(loopback), Bare())
        scene.activity.userInfo = [UserActivityDocumentURLKey: URL(filePath: "/home/ada/letter.txt")]
        let application = scene.application(bare)
        application.openDocument = { _ in
            Issue.record("it was opened")
            return nil
        }
        let offer = await scene.sofa.offer(ofType: Self.type)
        #expect(await application.continueOffer(offer, as: scene.sofa) == nil)
    }

    @Test("A type that the app does not declare is rejected, and the delegate hears of the failure")
    func undeclaredTypeIsRefused() async {
        let (scene, delegate) = (Scene(loopback), Whole())
        let application = scene.application(delegate, ApplicationDeclaration(activityTypes: ["org.example.other"]))
        #expect(await application.continueOffer(await scene.sofa.offer(ofType: Self.type), as: scene.sofa) == nil)
        #expect(delegate.log == ["failed \(Self.type)"])
    }

    @Test("The delegate's didUpdate may add the app's version to the activity")
    func didUpdateMayStampAVersion() async {
        @MainActor final class Field: UserActivityResponder {
            let activityCoordinator: ResponderCoordinator
            init(_ coordinator: ResponderCoordinator) { activityCoordinator = coordinator }
            func updateUserActivityState(_ activity: UserActivity) {
                activity.addUserInfoEntries(from: ["text": "hel"])
            }
        }
        let (scene, delegate, coordinator) = (Scene(loopback), Whole(), ResponderCoordinator())
        let application = Application(
            declaration: ApplicationDeclaration(activityTypes: [Self.type]), delegate: delegate,
            coordinator: coordinator
        ) { _ in }
        let field = Field(coordinator)
        let activity = UserActivity(activityType: Self.type, host: scene.desk)
        field.userActivity = activity
        coordinator.mainChain = [field]
        await application.continueOffer(await scene.sofa.offer(ofType: Self.type), as: scene.sofa)
        #expect(delegate.log.last == "continue 2")
        #expect(activity.userInfo?["text"] as? String == "hel")
    }

    @Test("A desktop entry declares types, team and documents")
    func entryDeclaresEverything() {
        let declaration = ApplicationDeclaration(
            desktopEntry: """
                [Desktop Entry]
                Type=Application
                Name=Letters
                X-Baton-ActivityTypes=org.example.edit;org.example.view;;
                X-Baton-Team = example
                X-Baton-DocumentActivityTypes=text/plain=org.example.edit;text/html=org.example.page;nonsense;
                [Desktop Action new]
                X-Baton-Team=another
                """)
        #expect(declaration.activityTypes == ["org.example.edit", "org.example.view"])
        #expect(declaration.team == "example")
        #expect(declaration.documentTypes == ["text/plain": "org.example.edit", "text/html": "org.example.page"])
        #expect(declaration.continuableTypes == ["org.example.edit", "org.example.view", "org.example.page"])
        #expect(ApplicationDeclaration(desktopEntry: "").continuableTypes.isEmpty)
    }
    @Test("The desktop entry of an installed app is found, and the one in the first directory counts")
    func installedEntryIsFound() throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "baton-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        let (own, system) = (root.appending(path: "own"), root.appending(path: "system"))
        for (directory, type) in [(own, "org.example.own"), (system, "org.example.system")] {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try Data(
                "[Desktop Entry]\nType=Application\nExec=true\nX-Baton-ActivityTypes=\(type);\nX-Baton-Team=team\n".utf8
            )
            .write(to: directory.appending(path: "org.example.Letters.desktop"))
        }
        func declared(_ name: String, _ directories: URL...) -> ApplicationDeclaration? {
            ApplicationDeclaration(applicationIdentifier: name, in: directories)
        }
        #expect(declared("org.example.Letters", own, system)?.activityTypes == ["org.example.own"])
        #expect(declared("org.example.Letters", root, system)?.activityTypes == ["org.example.system"])
        #expect(declared("org.example.Letters", own)?.team == "team")
        #expect(declared("org.example.Other", own, system) == nil)
        for name in ["", "../own/org.example.Letters", "a\u{0}"] { #expect(declared(name, system) == nil) }
        try Data(repeating: UInt8(ascii: "\n"), count: (1 << 20) + 1).write(
            to: own.appending(path: "org.example.Large.desktop"))
        #expect(declared("org.example.Large", own) == nil)
    }
}
