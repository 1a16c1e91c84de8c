// SPDX-License-Identifier: Apache-2.0

import Baton
import BatonLoopback
import BatonTesting
import Foundation
import Testing
import UserActivity

/// A text document with a cursor.
@MainActor
private final class TextDocument: ActivityDocument {
    var cursor = 0

    override func updateUserActivityState(_ activity: UserActivity) {
        super.updateUserActivityState(activity)
        activity.addUserInfoEntries(from: ["cursor": cursor])
    }

    override func restoreUserActivityState(_ activity: UserActivity) {
        cursor = activity.userInfo?["cursor"] as? Int ?? 0
    }
}

@MainActor private final class Controller: UserActivityResponder {
    let activityCoordinator: ResponderCoordinator
    init(_ coordinator: ResponderCoordinator) { activityCoordinator = coordinator }
    func updateUserActivityState(_ activity: UserActivity) { activity.addUserInfoEntries(from: ["selection": 3]) }
}

@MainActor private final class Delegate: ApplicationDelegate {}

@MainActor @Suite(.timeLimit(.minutes(5))) struct DocumentTests {
    private static let type = "org.example.text"
    private let loopback = Loopback()
    private let coordinator = ResponderCoordinator()
    private let folders = SharedFolders(["notes": URL(filePath: "/home/ada/Notes")])

    /// Returns whether a change means that the document no longer has an activity.
    private static func isNone(_ change: UserActivity??) -> Bool {
        if case .some(.none) = change { true } else { false }
    }

    private func document(_ path: String, host: LoopbackApp? = nil) -> TextDocument {
        TextDocument(
            fileURL: URL(filePath: path), activityType: Self.type, folders: folders, host: host,
            coordinator: coordinator)
    }

    @Test("A document in a shared folder has an activity with its URL")
    func activityOfSharedDocument() async throws {
        let document = document("/home/ada/Notes/a b/é.txt")
        let activity = try #require(document.userActivity)
        #expect(activity.activityType == Self.type)
        // Without a window the activity does not become current.
        #expect(!activity.isCurrent)
        let controller = Controller(coordinator)
        controller.userActivity = document.userActivity
        let state = await activity.saved()
        #expect(state.title == "é.txt")
        #expect(activity.documentURL?.absoluteString == "baton-folder:/notes/a%20b/%C3%A9.txt")
        #expect(state.userInfo["selection"] == .int(3))
        #expect(state.userInfo["cursor"] == .int(0))
        coordinator.mainChain = [document]
        #expect(activity.isCurrent)
        document.close()
        #expect(activity.isInvalidated)
        controller.userActivity = nil
    }

    @Test("A document's activity comes and goes with the shared folder, and can be observed")
    func activityComesAndGoes() async throws {
        let document = TextDocument(
            fileURL: URL(filePath: "/tmp/elsewhere.txt"), activityType: Self.type, folders: folders, contents: nil,
            host: nil,
            coordinator: coordinator)
        #expect(document.userActivity == nil)
        var changes = document.userActivityChanges.makeAsyncIterator()
        let before = await changes.next()
        #expect(Self.isNone(before))
        document.move(to: URL(filePath: "/home/ada/Notes/in.txt"))
        let activity = try #require(await changes.next() ?? nil)
        #expect(activity === document.userActivity)
        document.move(to: URL(filePath: "/tmp/out.txt"))
        let after = await changes.next()
        #expect(Self.isNone(after))
        #expect(activity.isInvalidated)
        document.close()
        let last = await changes.next()
        #expect(last == nil)
    }

    @Test("A document is opened at the receiver's own path, and restored")
    func openedAtReceiversPlace() async throws {
        try await withDirectory { directory in
            try await openAtReceiver(directory)
        }
    }

    private func openAtReceiver(_ directory: URL) async throws {
        try Data("text".utf8).write(to: directory.appending(path: "letter.txt"))
        let (desk, sofa) = (loopback.app("desk", delivery: .mainActor), loopback.app("sofa", delivery: .mainActor))
        let document = document("/home/ada/Notes/letter.txt", host: desk)
        document.cursor = 7
        coordinator.mainChain = [document]
        let delegate = Delegate()
        var notices = 0
        let application = Application(
            declaration: ApplicationDeclaration(documentTypes: ["text/plain": Self.type]), delegate: delegate,
            coordinator: ResponderCoordinator()
        ) { _ in notices += 1 }
        application.sharedFolders = SharedFolders(["notes": directory])
        let opened = TextDocument(
            fileURL: nil, activityType: nil, folders: folders, coordinator: ResponderCoordinator())
        var text = ""
        application.openDocument = { url in
            text = try String(contentsOf: url, encoding: .utf8)
            return opened
        }
        let offer = await sofa.offer(ofType: Self.type)
        let continued = await application.continueOffer(offer, as: sofa)
        #expect(text == "text")
        #expect(opened.cursor == 7)
        #expect(continued?.documentURL == directory.appending(path: "letter.txt"))

        // A link that leads out of the folder is not followed, and a file in an unknown folder is
        // not opened.
        try FileManager.default.removeItem(at: directory.appending(path: "letter.txt"))
        try FileManager.default.createSymbolicLink(
            at: directory.appending(path: "letter.txt"), withDestinationURL: URL(filePath: "/etc/hostname"))
        #expect(await application.continueOffer(offer, as: sofa) == nil)
        application.sharedFolders = SharedFolders()
        #expect(await application.continueOffer(offer, as: sofa) == nil)
        document.close()
    }
}
