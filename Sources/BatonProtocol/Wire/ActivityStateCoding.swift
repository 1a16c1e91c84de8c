// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import Diagnosis
import FoundationEssentials

/// The limits of an activity on the wire.
///
/// Source: `Documentation/Protocol/Session.md`, "Which properties are sent".
public enum ActivityStateCoding {
    /// The maximum number of required keys.
    public static let maximumRequiredKeys = 256
    /// The maximum length of a required key, in UTF-8 bytes.
    public static let maximumRequiredKeyLength = 1_024
}

extension HandoffError {
    /// Creates the failure of a hand-over whose activity cannot be encoded.
    init(_ error: WireError) {
        if error.code == .userInfoTooLarge {
            self.init(.userInfoTooLarge, .contentsTooLarge, cause: error.message)
        } else {
            self.init(.invalidActivity, .contentsUnsendable, cause: error.message)
        }
    }
}

extension WireActivityState {
    init(checking state: ActivityState) throws(WireError) {
        activityType = state.activityType
        if let title = state.title { self.title = title }
        userInfo = Data(try UserInfoCoding.encode(state.userInfo))
        if let url = state.webpageURL { webpageURL = try WireUrl(checking: url) }
        if let url = state.referrerURL { referrerURL = try WireUrl(checking: url) }
        if let date = state.expirationDate { expirationDate = date.timeIntervalSinceReferenceDate }
        requiredUserInfoKeys = state.requiredUserInfoKeys.sorted()
        if let text = state.targetContentIdentifier { targetContentIdentifier = text }
        if let text = state.persistentIdentifier { persistentIdentifier = text }
        supportsContinuationStreams = state.supportsContinuationStreams
        try checkLimits()
    }

    func checked() throws(WireError) -> ActivityState {
        try checkLimits()
        var state = ActivityState(activityType: activityType)
        if hasTitle { state.title = title }
        state.userInfo = try UserInfoCoding.decode([UInt8](userInfo))
        if hasWebpageURL { state.webpageURL = try webpageURL.checked() }
        if hasReferrerURL { state.referrerURL = try referrerURL.checked() }
        if hasExpirationDate { state.expirationDate = Date(timeIntervalSinceReferenceDate: expirationDate) }
        state.requiredUserInfoKeys = Set(requiredUserInfoKeys)
        guard state.requiredUserInfoKeys.count == requiredUserInfoKeys.count else {
            throw WireError(about: "requiredUserInfoKeys", ": a key is there twice", .argumentTwice)
        }
        if hasTargetContentIdentifier { state.targetContentIdentifier = targetContentIdentifier }
        if hasPersistentIdentifier { state.persistentIdentifier = persistentIdentifier }
        state.supportsContinuationStreams = supportsContinuationStreams
        return state
    }

    private func checkLimits() throws(WireError) {
        try Limit.text(activityType, 1...ActivityState.maximumIdentifierLength, "type")
        try Limit.visible(activityType, "type")
        try Limit.text(title, 0...ActivityState.maximumTitleLength, "title")
        let identifier = 0...ActivityState.maximumContentIdentifierLength
        try Limit.text(targetContentIdentifier, identifier, "targetContentIdentifier")
        try Limit.text(persistentIdentifier, identifier, "persistentIdentifier")
        try Limit.count(requiredUserInfoKeys.count, 0...ActivityStateCoding.maximumRequiredKeys, "requiredUserInfoKeys")
        for key in requiredUserInfoKeys {
            try Limit.text(key, 0...ActivityStateCoding.maximumRequiredKeyLength, "requiredUserInfoKeys")
        }
        if hasWebpageURL { try checkWeb(webpageURL, "webpageURL") }
        if hasReferrerURL { try checkWeb(referrerURL, "referrerURL") }
    }

    private func checkWeb(_ url: WireUrl, _ name: String) throws(WireError) {
        try Limit.text(url.text + url.base, 1...ActivityState.maximumWebpageLength, name)
        guard try url.checked().absoluteURL.isOfWeb else {
            throw WireError(about: name, ": neither http nor https", .argumentNoPage)
        }
    }
}

/// The checks of a field's length and characters.
enum Limit {
    static func text(_ text: String, _ range: ClosedRange<Int>, _ name: String) throws(WireError) {
        try count(text.utf8.count, range, name, of: "bytes")
        try marks(text, name)
    }

    /// Checks a name, which must be one line without hidden characters.
    static func visible(_ text: String, _ name: String) throws(WireError) {
        guard VisibleText.isVisible(text) else {
            throw WireError(about: name, ": a control character, or another that cannot be seen", .argumentInvisible)
        }
    }

    /// Checks a text that people read, which must be one line that is safe to show.
    static func readable(_ text: String, _ name: String) throws(WireError) {
        guard VisibleText.isReadable(text) else {
            throw WireError(about: name, ": a control character, or another that cannot be seen", .argumentInvisible)
        }
    }

    /// Rejects a text with so many combining marks in a row that it would take long to compare.
    static func marks(_ text: String, _ name: String) throws(WireError) {
        guard CombiningMarks.isCheap(text) else {
            throw WireError(
                about: name, ": more than \(CombiningMarks.maximum) combining marks in a row", .argumentMarks)
        }
    }

    static func count(
        _ count: Int, _ range: ClosedRange<Int>, _ name: String, of unit: String = "elements"
    ) throws(WireError) {
        guard range.contains(count) else {
            throw WireError(
                about: name, ": \(count) \(unit), where \(range.lowerBound) to \(range.upperBound) may be",
                unit == "bytes" ? .argumentText : .argumentCount,
                ["least": .count(range.lowerBound), "greatest": .count(range.upperBound)])
        }
    }
}
