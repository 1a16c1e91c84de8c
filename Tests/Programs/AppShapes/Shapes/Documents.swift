// SPDX-License-Identifier: Apache-2.0

import Foundation

/// CotEditor: a document adds its selection to the activity, and restores the selection later.
@MainActor private final class TextDocument: ActivityDocument {
    var selection = 0..<0

    override func updateUserActivityState(_ activity: NSUserActivity) {
        super.updateUserActivityState(activity)
        activity.addUserInfoEntries(from: ["selection": [selection.lowerBound, selection.upperBound]])
    }

    override func restoreUserActivityState(_ activity: NSUserActivity) {
        super.restoreUserActivityState(activity)
        guard let bounds = activity.userInfo?["selection"] as? [Int], bounds.count == 2 else { return }
        selection = bounds[0]..<bounds[1]
    }
}

@MainActor func documents() async throws {
    let devices = Devices()
    let type = "org.example.editor.text"
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: directory) }
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    let file = directory.appendingPathComponent("letter.txt")
    try Data("Dear Ada".utf8).write(to: file)
    let folders = SharedFolders(["letters": directory])
    let document = TextDocument(fileURL: file, activityType: type, folders: folders)
    document.selection = 5..<8
    ResponderCoordinator.shared.mainChain = [document]
    document.userActivity?.becomeCurrent()
    let application = devices.application([type])
    application.sharedFolders = folders
    var opened: TextDocument?
    application.openDocument = { url in
        let document = TextDocument(fileURL: url, activityType: nil, folders: folders)
        opened = document
        return document
    }
    try await devices.handOver(type, to: application)
    try expect(opened?.fileURL?.path == file.path, "the file is opened: \(opened?.fileURL?.path ?? "none")")
    try expect(opened?.selection == 5..<8, "the selection is restored")
    document.close()
    try expect(devices.sofa.offers.isEmpty, "a closed document is not offered")
}

/// The book-like sample of day-by-day: controllers fill the activity and restore from it.
@MainActor private final class DayController: UserActivityResponder {
    var day = ""
    var note: String?
    var nextResponder: (any UserActivityResponder)?

    func appear() {
        let activity = NSUserActivity(activityType: "org.example.days.editing")
        activity.title = "Editing a day"
        userActivity = activity
    }

    func edit(_ note: String) {
        self.note = note
        userActivity?.needsSave = true
    }

    func updateUserActivityState(_ activity: NSUserActivity) {
        activity.addUserInfoEntries(from: ["day": day, "note": note ?? ""])
    }

    func restoreUserActivityState(_ activity: NSUserActivity) {
        day = activity.userInfo?["day"] as? String ?? ""
        note = activity.userInfo?["note"] as? String
    }
}

@MainActor private final class DaysDelegate: UIApplicationDelegate {
    let controller = DayController()
    func application(
        _ application: UIApplication, continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([UIUserActivityRestoring]?) -> Void
    ) -> Bool {
        restorationHandler([controller])
        return true
    }
}

@MainActor func responders() async throws {
    let devices = Devices()
    let type = "org.example.days.editing"
    let controller = DayController()
    controller.day = "Monday"
    ResponderCoordinator.shared.mainChain = [controller]
    controller.appear()
    controller.edit("Soup")
    let delegate = DaysDelegate()
    let application = devices.application([type], delegate)
    try await devices.handOver(type, to: application)
    try expect(delegate.controller.day == "Monday" && delegate.controller.note == "Soup", "the note goes on")
    controller.edit("Salad")
    try await devices.handOver(type, to: application)
    try expect(delegate.controller.note == "Salad", "the last change goes on")
    controller.userActivity = nil
    try expect(devices.sofa.offers.isEmpty, "a controller that has gone offers nothing")
}
