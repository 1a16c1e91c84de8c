// SPDX-License-Identifier: Apache-2.0

/// The properties of an activity that never leave the device that made it.
struct LocalAttributes: Sendable {
    var keywords: Set<String> = []
    /// The activity's own copy of the set that the app assigned.
    var contentAttributeSet: CSSearchableItemAttributeSet?
    var isEligibleForHandoff = true
    var isEligibleForSearch = false
    var isEligibleForPublicIndexing = false
    var isEligibleForPrediction = false
    var suggestedInvocationPhrase: String?

    /// The attributes by which a search finds the activity.
    var searched: Searched {
        Searched(
            keywords: keywords, contents: contentAttributeSet?.contents.searched, isEligible: isEligibleForSearch)
    }

    struct Searched: Hashable {
        let keywords: Set<String>
        let contents: SearchableItemAttributes?
        let isEligible: Bool
    }
}
