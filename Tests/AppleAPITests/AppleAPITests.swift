// SPDX-License-Identifier: Apache-2.0

// Except for these imports, all code uses Apple's API, as an app does on Apple's systems.
import Foundation
import Testing
import UserActivity

private final class Author: NSObject, NSUserActivityDelegate {
    var saves = 0
    var continuations = 0
    var input: InputStream?
    var output: OutputStream?

    func userActivityWillSave(_ userActivity: NSUserActivity) {
        saves += 1
        userActivity.title = "Draft \(saves)"
        userActivity.addUserInfoEntries(from: ["cursor": 12])
    }

    func userActivityWasContinued(_ userActivity: NSUserActivity) { continuations += 1 }

    func userActivity(_ userActivity: NSUserActivity, didReceive inputStream: InputStream, outputStream: OutputStream) {
        input = inputStream
        output = outputStream
    }
}

private struct Payload: Codable, Equatable {
    var contact: String
    var isNew: Bool
}

@Suite(.timeLimit(.minutes(5))) struct AppleAPITests {
    @Test("Apple's listing 2-1 creates an activity, which becomes current")
    func listing2_1() {
        let activity = NSUserActivity(activityType: "com.myCompany.myBrowser.browsing")
        activity.userInfo = ["keys": "values"]
        activity.webpageURL = URL(string: "http://www.example.com/webpage")
        let author = Author()
        activity.delegate = author
        activity.becomeCurrent()
        #expect(activity.activityType == "com.myCompany.myBrowser.browsing")
        #expect(activity.needsSave)
        #expect(activity.delegate === author)
        activity.resignCurrent()
        activity.invalidate()
    }

    @Test("Every property of NSUserActivity exists and keeps its value")
    func everyPropertyIsThere() {
        let activity = NSUserActivity(activityType: "com.example.all")
        activity.title = "Title"
        activity.userInfo = [
            "array": [1, "two"], "data": Data([1]), "date": Date(timeIntervalSinceReferenceDate: 0),
            "dictionary": ["k": 1],
            "null": NSNull(), "number": NSNumber(value: 1.5), "set": Set(["a"]), "string": "s", "uuid": UUID(),
            "url": URL(string: "https://example.com") as Any,
        ]
        activity.addUserInfoEntries(from: ["another": true])
        activity.requiredUserInfoKeys = ["string"]
        activity.needsSave = true
        activity.webpageURL = URL(string: "https://example.com/")
        activity.referrerURL = URL(string: "https://example.com/from")
        activity.expirationDate = Date(timeIntervalSinceNow: 3_600)
        activity.keywords = ["one", "two"]
        activity.supportsContinuationStreams = true
        activity.targetContentIdentifier = "target"
        let persistent: NSUserActivityPersistentIdentifier = "persistent"
        activity.persistentIdentifier = persistent
        activity.isEligibleForHandoff = true
        activity.isEligibleForSearch = true
        activity.isEligibleForPublicIndexing = false
        activity.isEligibleForPrediction = false
        #expect(activity.userInfo?.count == 11)
        #expect(activity.userInfo?["string"] as? String == "s")
        #expect((activity.userInfo?["array"] as? [Any])?.count == 2)
        #expect(activity.userInfo?["null"] is NSNull)
        #expect(activity.userInfo?["number"] as? Double == 1.5)
        #expect(activity.userInfo?["another"] as? Bool == true)
        #expect(activity.requiredUserInfoKeys == ["string"])
        #expect(activity.keywords == ["one", "two"])
    }

    @Test("The names of activity types and of userInfo keys are Apple's")
    func namesOfTypesAndKeys() {
        let browsing = NSUserActivity(activityType: NSUserActivityTypeBrowsingWeb)
        #expect(browsing.activityType == "NSUserActivityTypeBrowsingWeb")
        browsing.userInfo = [NSUserActivityDocumentURLKey: URL(fileURLWithPath: "/tmp/document")]
        #expect(browsing.userInfo?[NSUserActivityDocumentURLKey] as? URL == URL(fileURLWithPath: "/tmp/document"))
    }

    @Test("The first, deprecated name of the type for web browsing still means that type")
    func firstNameOfBrowsingWeb() {
        #expect(named(Deprecated.self) == "NSUserActivityTypeBrowsingWeb")
    }

    @Test("A typed payload is read from an activity as it was set")
    func typedPayload() throws {
        let activity = NSUserActivity(activityType: "com.example.payload")
        try activity.setTypedPayload(Payload(contact: "Ada", isNew: true))
        #expect(try activity.typedPayload(Payload.self) == Payload(contact: "Ada", isNew: true))
    }

    @Test("Both forms of requesting streams fail for an activity that came from no other device")
    func streamsFromNowhere() async {
        let activity = NSUserActivity(activityType: "com.example.streams")
        activity.supportsContinuationStreams = true
        do {
            let (input, output) = try await activity.continuationStreams()
            Issue.record("streams came: \(input) \(output)")
        } catch let error as CocoaError {
            #expect(error.code == .featureUnsupported)
        } catch {
            Issue.record(error)
        }
        let code: Int? = await withCheckedContinuation { waiting in
            activity.getContinuationStreams { inputStream, outputStream, error in
                waiting.resume(returning: inputStream == nil && outputStream == nil ? (error as NSError?)?.code : nil)
            }
        }
        // NSFeatureUnsupportedError, as in Foundation.
        #expect(code == 3_328)
    }

    @Test("Saved activities are deleted by their identifiers or all together")
    func savedActivitiesAreDeleted() async {
        await withCheckedContinuation { waiting in
            NSUserActivity.deleteSavedUserActivities(withPersistentIdentifiers: ["a"]) {
                NSUserActivity.deleteAllSavedUserActivities { waiting.resume() }
            }
        }
    }
}

/// A protocol through which a deprecated name can be used without a warning.
private protocol Naming { static var name: String { get } }
private enum Deprecated: Naming {
    @available(*, deprecated) static var name: String { NSUserActivityTypeContinuingFromWebBrowser }
}
private func named(_ naming: any Naming.Type) -> String { naming.name }
