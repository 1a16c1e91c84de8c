// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import BatonTesting
import DBus
import Diagnosis
import Foundation
import Testing

/// Tests saved activities over the bus.
@Suite(.timeLimit(.minutes(5)))
struct SavedTests {
    private func full() throws -> SavedUserActivity {
        var state = ActivityState(
            activityType: "org.example.letter", title: "To Ada", userInfo: ["id": .int(7), "at": .date(Date())])
        state.persistentIdentifier = "7"
        state.expirationDate = Date(timeIntervalSince1970: 4_000_000_000)
        var attributes = SearchableItemAttributes(contentType: "text/markdown")
        attributes.title = "Ada"
        attributes.displayName = "Äda"
        attributes.contentDescription = "About the engine"
        attributes.keywords = ["engine", "notes"]
        attributes.thumbnailURL = URL(filePath: "/tmp/ada.png")
        attributes.thumbnailData = Data([0, 1, 255])
        attributes.relatedUniqueIdentifier = "item-7"
        return SavedUserActivity(
            identity: .init(), state: state, keywords: ["letter", "post"], contentAttributeSet: attributes)
    }

    @Test("A saved activity is found unchanged, and only by its own app")
    func roundTrip() async throws {
        try await Ends.with { ends in
            let activity = try full()
            let bare = SavedUserActivity(
                identity: .init(), state: ActivityState(activityType: "t"), keywords: [], contentAttributeSet: nil)
            try await ends.client.save(activity)
            try await ends.client.save(bare, application: "org.example.Other")
            var found = try await ends.client.savedActivities()
            #expect(found == [activity])
            found = try await ends.client.savedActivities(application: "org.example.Other")
            #expect(found == [bare])
            found = try await ends.client.savedActivities(matching: "nowhere")
            #expect(found.isEmpty)
            found = try await ends.client.savedActivities(matching: "engine post")
            #expect(found == [activity])
        }
    }

    @Test("A deletion deletes exactly the named activities")
    func deletions() async throws {
        try await Ends.with { ends in
            let activity = try full()
            try await ends.client.save(activity)
            try await ends.client.deleteSaved(persistentIdentifiers: ["8"])
            #expect(try await ends.client.savedActivities().count == 1)
            try await ends.client.deleteSaved(persistentIdentifiers: ["7", "8"])
            #expect(try await ends.client.savedActivities().isEmpty)
            try await ends.client.save(activity)
            try await ends.client.deleteAllSaved(application: "org.example.Other")
            #expect(try await ends.client.savedActivities().count == 1)
            try await ends.client.deleteAllSaved()
            #expect(try await ends.client.savedActivities().isEmpty)
        }
    }

    @Test("An invalid property is refused, and the error names it")
    func invalidProperties() async throws {
        let attributes = { (values: [String: DBusValue]) in
            ["contentAttributeSet": DBusValue.properties(values)]
        }
        let wrong: [([String: DBusValue], String)] = [
            (["identity": .string("7")], "identity"), (["keywords": .string("a")], "keywords"),
            (["contentAttributeSet": .string("a")], "contentAttributeSet"), (["colour": .string("a")], "colour"),
            (["type": .string("a")], "properties.type"), (["needsSave": .bool(true)], "needsSave"),
            (attributes(["title": .bool(true)]), "contentAttributeSet.title"),
            (attributes(["colour": .string("red")]), "contentAttributeSet.colour"),
            (attributes(["thumbnailURL": .string("https://example.org/a.png")]), "contentAttributeSet.thumbnailURL"),
            (attributes(["thumbnailData": .string("a")]), "contentAttributeSet.thumbnailData"),
        ]
        try await Ends.with { ends in
            for (properties, name) in wrong {
                do {
                    _ = try await ends.raw(
                        BatonBusName.saved, "Save", [.string("t"), .properties(properties), .properties([:])])
                    Issue.record("\(name) was taken")
                } catch let error as DBusError {
                    #expect(error.name == "org.batonproject.Baton1.Error.InvalidArgument")
                    #expect(error.message.hasPrefix(name + " "), "\(error.message)")
                }
            }
            do {
                _ = try await ends.raw(BatonBusName.saved, "DeleteAll", [.properties(["force": .bool(true)])])
                Issue.record("an unknown option was taken")
            } catch let error as DBusError {
                #expect(error.message == BatonError(argument: "options.force", .argumentUnknown).message)
            }
        }
    }
}
