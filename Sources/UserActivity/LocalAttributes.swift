// SPDX-License-Identifier: Apache-2.0

/// The properties of an activity that concern the device that made it, and stay there.
struct LocalAttributes: Sendable {
    var keywords: Set<String> = []
    /// The activity's own copy.
    var contentAttributeSet: CSSearchableItemAttributeSet?
    var isEligibleForHandoff = true
    var isEligibleForSearch = false
    var isEligibleForPublicIndexing = false
    var isEligibleForPrediction = false
    var suggestedInvocationPhrase: String?

    /// What a search finds the activity by.
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
