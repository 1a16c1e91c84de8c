// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Simplenote: an initialiser makes a note's activity, and one function opens notes for all
/// callers.
private struct Note {
    let identifier: String
    let title: String
}

extension NSUserActivity {
    fileprivate static let openNote = "org.example.notes.open"

    fileprivate convenience init(note: Note) {
        self.init(activityType: NSUserActivity.openNote)
        title = note.title
        userInfo = [CSSearchableItemActivityIdentifier: note.identifier]
        suggestedInvocationPhrase = "Open \(note.title)"
        isEligibleForSearch = true
        isEligibleForPrediction = true
        let attributes = CSSearchableItemAttributeSet(itemContentType: "public.data")
        attributes.title = note.title
        attributes.relatedUniqueIdentifier = note.identifier
        contentAttributeSet = attributes
    }
}

@MainActor private final class NotesDelegate: UIApplicationDelegate {
    var opened: [String] = []

    func application(
        _ application: UIApplication, continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([UIUserActivityRestoring]?) -> Void
    ) -> Bool {
        switch userActivity.activityType {
        case CSSearchableItemActionType, NSUserActivity.openNote:
            guard let note = userActivity.userInfo?[CSSearchableItemActivityIdentifier] as? String else { return false }
            opened.append(note)
            return true
        default:
            return false
        }
    }
}

@MainActor func notes() async throws {
    let devices = Devices()
    let delegate = NotesDelegate()
    let application = devices.application([NSUserActivity.openNote], delegate)
    let activity = NSUserActivity(note: Note(identifier: "n7", title: "Shopping"))
    activity.becomeCurrent()
    try await devices.handOver(NSUserActivity.openNote, to: application)
    // An activity that a search on this device has found.
    let saved = activity.savedActivity
    try expect(saved?.contentAttributeSet?.relatedUniqueIdentifier == "n7", "the note has one entry in a search")
    if let saved { await application.open(saved, host: nil) }
    try expect(delegate.opened == ["n7", "n7"], "the note is opened: \(delegate.opened)")
    activity.invalidate()
}

/// Firefox Focus: activities for voice commands, each with the app's own identifier.
private enum Command: String, CaseIterable {
    case eraseAll = "org.example.focus.erase"
    case openSite = "org.example.focus.open"

    @MainActor func activity() -> NSUserActivity {
        let activity = NSUserActivity(activityType: rawValue)
        let attributes = CSSearchableItemAttributeSet(itemContentType: "public.item")
        attributes.contentDescription = "Say it, and it is done"
        activity.contentAttributeSet = attributes
        activity.title = self == .eraseAll ? "Erase" : "Open"
        activity.isEligibleForSearch = true
        activity.isEligibleForPrediction = true
        activity.isEligibleForHandoff = false
        activity.suggestedInvocationPhrase = activity.title
        activity.persistentIdentifier = NSUserActivityPersistentIdentifier(rawValue)
        return activity
    }
}

@MainActor func phrases() async throws {
    let devices = Devices()
    let store = MemoryActivityStore()
    UserActivity.store = store
    let activities = Command.allCases.map { $0.activity() }
    for activity in activities { activity.becomeCurrent() }
    try expect(devices.sofa.offers.isEmpty, "a command is not handed over")
    await NSUserActivity.deleteSavedUserActivities(withPersistentIdentifiers: [Command.eraseAll.rawValue])
    let left = await store.activities().map(\.state.title)
    try expect(left == ["Open"], "the other command stays: \(left)")
    try expect(activities.map(\.suggestedInvocationPhrase) == ["Erase", "Open"], "the phrases are kept")
    for activity in activities { activity.invalidate() }
}
