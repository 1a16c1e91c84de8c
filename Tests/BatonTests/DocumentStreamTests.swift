// SPDX-License-Identifier: Apache-2.0

import Baton
import BatonClient
import BatonLoopback
import BatonTesting
import Foundation
import Testing
import UserActivity

@MainActor
private final class Letter: ActivityDocument {
    var cursor = 0

    override func updateUserActivityState(_ activity: UserActivity) {
        super.updateUserActivityState(activity)
        activity.addUserInfoEntries(from: ["cursor": cursor])
    }

    override func restoreUserActivityState(_ activity: UserActivity) {
        cursor = activity.userInfo?["cursor"] as? Int ?? 0
    }
}

/// A delegate that takes the activity, and reads the document later.
@MainActor
private final class Reader: ApplicationDelegate {
    var url: URL?
    var error: CocoaError?

    func application(
        _ application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping ([any UserActivityRestoring]?) -> Void
    ) -> Bool {
        url = userActivity.userInfo?[UserActivityDocumentURLKey] as? URL
        return true
    }

    func application(_ application: Application, didFailToContinueUserActivityWithType type: String, error: any Error) {
        self.error = error as? CocoaError
    }
}

@MainActor private final class Decliner: ApplicationDelegate {}

/// A delegate that sends bytes that the test chooses, like a device that breaks the rules.
private final class Answer: UserActivityDelegate, Sendable {
    let bytes: [UInt8]
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func userActivity(_ activity: UserActivity, didReceive inputStream: InputStream, outputStream: OutputStream) {
        outputStream.open()
        _ = outputStream.write(bytes, maxLength: bytes.count)
        outputStream.close()
    }
}

/// Tests documents in no shared folder, whose contents are sent through the streams.
@MainActor @Suite(.timeLimit(.minutes(5)), .serialized) struct DocumentStreamTests {
    private static let type = "org.example.letter"
    private let loopback = Loopback()

    private func application(_ delegate: any ApplicationDelegate, _ directory: URL) -> Application {
        let application = Application(
            declaration: ApplicationDeclaration(documentTypes: ["text/plain": Self.type]), delegate: delegate,
            coordinator: ResponderCoordinator()
        ) { _ in }
        application.documentsDirectory = directory
        return application
    }

    /// Returns a letter that is open on the desk in no shared folder, with unsaved changes.
    private func letter(_ contents: Data, on desk: LoopbackApp) -> Letter {
        let coordinator = ResponderCoordinator()
        let letter = Letter(
            fileURL: URL(filePath: "/home/ada/Dear Ada é.txt"), activityType: Self.type, folders: SharedFolders(),
            contents: { _ in contents }, host: desk, coordinator: coordinator)
        letter.cursor = 9
        coordinator.mainChain = [letter]
        return letter
    }

    private func inDirectory(_ body: @MainActor (URL) async throws -> Void) async throws {
        try await withDirectory { directory in
            try await body(directory)
        }
    }

    private func files(in directory: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path)
    }

    @Test("A document is sent as it was saved, and a search on this device opens the original file")
    func documentTravelsAsItWasSaved() async throws {
        try await inDirectory { directory in
            let (desk, sofa) = (loopback.app("desk", delivery: .mainActor), loopback.app("sofa"))
            let (saved, received) = (directory.appending(path: "saved.txt"), directory.appending(path: "received"))
            try Data("Dear Ada".utf8).write(to: saved)
            let coordinator = ResponderCoordinator()
            let letter = Letter(
                fileURL: saved, activityType: Self.type, folders: SharedFolders(), contents: ActivityDocument.savedFile,
                host: desk,
                coordinator: coordinator)
            coordinator.mainChain = [letter]
            let application = application(Decliner(), received)
            var opened: Data?
            application.openDocument = { url in
                opened = try Data(contentsOf: url)
                return nil
            }
            let offer = await sofa.offer(ofType: Self.type)
            #expect(await application.continueOffer(offer, as: sofa) != nil)
            #expect(opened == Data("Dear Ada".utf8))
            // A saved activity on this device opens the original file, not a copy.
            let activity = try #require(letter.userActivity)
            activity.isEligibleForSearch = true
            #expect(await application.open(try #require(activity.savedActivity), host: nil)?.documentURL == saved)
            letter.close()
        }
    }

    @Test("A managed document is opened and restored without asking the delegate")
    func managedDocumentIsRestored() async throws {
        try await inDirectory { directory in
            let (desk, sofa) = (loopback.app("desk", delivery: .mainActor), loopback.app("sofa"))
            let sent = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            let letter = letter(sent, on: desk)
            #expect(letter.userActivity?.supportsContinuationStreams == true)
            let delegate = Decliner()
            let application = application(delegate, directory)
            let opened = Letter(
                fileURL: nil, activityType: nil, folders: SharedFolders(), coordinator: ResponderCoordinator())
            var read: (name: String, contents: Data)?
            application.openDocument = { url in
                read = (url.lastPathComponent, try Data(contentsOf: url))
                return opened
            }
            let continued = await application.continueOffer(await sofa.offer(ofType: Self.type), as: sofa)
            #expect(continued != nil)
            #expect(read?.name == "Dear Ada é.txt")
            #expect(read?.contents == sent)
            #expect(opened.cursor == 9)

            // A document that cannot be opened leaves nothing behind.
            application.openDocument = { _ in throw CocoaError(.fileReadCorruptFile) }
            let kept = try files(in: directory)
            await application.continueOffer(await sofa.offer(ofType: Self.type), as: sofa)
            #expect(try files(in: directory) == kept)
            letter.close()
        }
    }

    @Test("Scoped access protects a document from the streams, and its last stop removes the file")
    func scopedAccessToStreamedFile() async throws {
        try await inDirectory { directory in
            let (desk, sofa) = (loopback.app("desk", delivery: .mainActor), loopback.app("sofa"))
            let letter = letter(Data("Dear Ada".utf8), on: desk)
            let delegate = Reader()
            let application = application(delegate, directory)
            await application.continueOffer(await sofa.offer(ofType: Self.type), as: sofa)
            let url = try #require(delegate.url)
            let mode = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
            #expect(mode == 0)
            #expect(url.startAccessingSecurityScopedResource())
            #expect(url.startAccessingSecurityScopedResource())
            #expect(try Data(contentsOf: url) == Data("Dear Ada".utf8))
            url.stopAccessingSecurityScopedResource()
            #expect(try Data(contentsOf: url) == Data("Dear Ada".utf8))
            url.stopAccessingSecurityScopedResource()
            #expect(try files(in: directory).isEmpty)
            #expect(!url.startAccessingSecurityScopedResource())
            // Further stops, and stops for files that came with no activity, do nothing.
            url.stopAccessingSecurityScopedResource()
            #expect(!directory.startAccessingSecurityScopedResource())
            letter.close()
        }
    }

    @Test("Scoped access works for a shared folder's file, and fails if a link leads out of the folder")
    func scopedAccessToSharedFile() async throws {
        try await inDirectory { directory in
            let (desk, sofa) = (loopback.app("desk", delivery: .mainActor), loopback.app("sofa"))
            let activity = UserActivity(activityType: Self.type, host: desk)
            activity.userInfo = [UserActivityDocumentURLKey: try #require(URL(string: "baton-folder:/notes/a.txt"))]
            activity.becomeCurrent()
            let delegate = Reader()
            let application = application(delegate, directory)
            application.sharedFolders = SharedFolders(["notes": directory])
            await application.continueOffer(await sofa.offer(ofType: Self.type), as: sofa)
            let url = try #require(delegate.url)
            #expect(url == directory.appending(path: "a.txt"))
            // The file is not in the folder yet.
            #expect(!url.startAccessingSecurityScopedResource())
            try Data("a".utf8).write(to: url)
            #expect(url.startAccessingSecurityScopedResource())
            url.stopAccessingSecurityScopedResource()
            #expect(FileManager.default.fileExists(atPath: url.path))
            // The file has become a link that leads out of the folder.
            try FileManager.default.removeItem(at: url)
            try FileManager.default.createSymbolicLink(at: url, withDestinationURL: URL(filePath: "/etc/hostname"))
            #expect(!url.startAccessingSecurityScopedResource())
            activity.invalidate()
        }
    }

    @Test(
        "A document that is incomplete or too large is not opened",
        arguments: [
            ([], CocoaError.userActivityHandoffFailed),
            ([0, 0, 0, 0], .userActivityHandoffFailed),
            ([0, 0, 0, 0, 0, 0, 0, 3, 1, 2], .userActivityHandoffFailed),
            ([0, 0, 0, 0, 0, 0, 0, 1, 1, 2], .userActivityHandoffFailed),
            ([0, 0, 0, 0, 0, 0, 0, 9, 1, 2], .userActivityHandoffUserInfoTooLarge),
            ([255, 255, 255, 255, 255, 255, 255, 255], .userActivityHandoffUserInfoTooLarge),
        ])
    func documentCutShortOrTooLarge(bytes: [UInt8], code: CocoaError.Code) async throws {
        try await inDirectory { directory in
            let (desk, sofa) = (loopback.app("desk"), loopback.app("sofa"))
            let activity = UserActivity(activityType: Self.type, host: desk)
            activity.supportsContinuationStreams = true
            let answer = Answer(bytes)
            activity.delegate = answer
            activity.userInfo = [UserActivityDocumentURLKey: try #require(DocumentStream.url(name: "a"))]
            activity.becomeCurrent()
            let delegate = Reader()
            let application = application(delegate, directory)
            application.maximumDocumentSize = 8
            let offer = await sofa.offer(ofType: Self.type)
            #expect(await application.continueOffer(offer, as: sofa) == nil)
            #expect(delegate.error?.code == code)
            #expect(delegate.url == nil)
            #expect(try files(in: directory).isEmpty)
            activity.invalidate()
        }
    }

    @Test("A document whose app writes nothing is abandoned")
    func silentAppIsGivenUp() async throws {
        @MainActor final class Silent: UserActivityDelegate {
            nonisolated(unsafe) var streams: [Stream] = []
            nonisolated init() {}
            nonisolated func userActivity(
                _ activity: UserActivity, didReceive inputStream: InputStream, outputStream: OutputStream
            ) { streams = [inputStream, outputStream] }
        }
        try await inDirectory { directory in
            let (desk, sofa) = (loopback.app("desk"), loopback.app("sofa"))
            let activity = UserActivity(activityType: Self.type, host: desk)
            activity.supportsContinuationStreams = true
            let silent = Silent()
            activity.delegate = silent
            activity.userInfo = [UserActivityDocumentURLKey: try #require(DocumentStream.url(name: "a"))]
            activity.becomeCurrent()
            let delegate = Reader()
            let application = application(delegate, directory)
            application.documentPatience = .milliseconds(10)
            let offer = await sofa.offer(ofType: Self.type)
            #expect(await application.continueOffer(offer, as: sofa) == nil)
            #expect(delegate.error?.code == .userActivityRemoteApplicationTimedOut)
            activity.invalidate()
        }
    }

    @Test("A document that is moved into a shared folder is handed over by its path again")
    func documentEntersSharedFolder() async throws {
        let letter = Letter(
            fileURL: URL(filePath: "/tmp/a.txt"), activityType: Self.type,
            folders: SharedFolders(["notes": URL(filePath: "/home/ada/Notes")]), contents: { _ in Data() },
            host: loopback.app("desk"), coordinator: ResponderCoordinator())
        let activity = try #require(letter.userActivity)
        _ = await activity.saved()
        #expect(activity.documentURL?.absoluteString == "baton-document:/a.txt")
        letter.move(to: URL(filePath: "/home/ada/Notes/a.txt"))
        #expect(letter.userActivity === activity)
        #expect(!activity.supportsContinuationStreams)
        #expect(activity.delegate == nil)
        _ = await activity.saved()
        #expect(activity.documentURL?.absoluteString == "baton-folder:/notes/a.txt")
        letter.close()
    }

    @Test("The configuration file names the shared folders, and its mistakes are reported")
    func configurationNamesFolders() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        func read(_ file: URL) throws -> (names: [String], mistakes: [String]) {
            var mistakes: [String] = []
            let folders = try SharedFolders(configurationFile: file) { mistakes.append($0.path) }
            return (folders.folders.keys.sorted(), mistakes)
        }
        #expect(try read(file).names.isEmpty)
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("# mine\nnotes = /home/ada/Notes\n".utf8).write(to: file)
        #expect(try read(file) == (["notes"], []))
        try (Data("notes = /home/ada/Notes\npath = Notes\n".utf8) + [0xFF, 0xFE]).write(to: file)
        #expect(try read(file) == (["notes"], ["[line 2]", "[line 3]"]))
        var warnings: [String] = []
        #expect(SharedFolders.configured(in: file) { warnings.append($0) }.folders.count == 1)
        let mistake = "is not NAME = /PATH with a name of its own, in UTF-8"
        let places = ["[line 2]", "[line 3]"].map { "\(file.path): a line does not count: folders\($0)" }
        #expect(warnings == places.map { "\($0) \(mistake)" })
        try Data(repeating: UInt8(ascii: "\n"), count: 65_537).write(to: file)
        let large = #expect(throws: UserActivityError.self) { try read(file) }
        #expect(large?.message == "is larger than 65536 bytes")
        let device = #expect(throws: UserActivityError.self) { try read(URL(filePath: "/dev/null")) }
        #expect(device?.message == "is not a regular file")
    }
}
