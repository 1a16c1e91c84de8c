// SPDX-License-Identifier: Apache-2.0

/// The properties of an activity that concern the device that made it, and stay there.
struct LocalAttributes: Hashable, Sendable {
    var keywords: Set<String> = []
    var contentAttributeSet: SearchableItemAttributeSet?
    var isEligibleForHandoff = true
    var isEligibleForSearch = false
    var isEligibleForPublicIndexing = false
    var isEligibleForPrediction = false
    var suggestedInvocationPhrase: String?
}
