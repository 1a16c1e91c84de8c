// SPDX-License-Identifier: Apache-2.0

import ActivityModel

/// Further ids by which a `hide` rule may name the app of an activity of this laptop.
///
/// An adapter publishes activities in the name of the app that it speaks for, or of no app. The
/// user chooses the adapter itself in a rule, as for offers of other laptops.
struct OwnAppNames: Hashable, Sendable {
    /// The ids of the adapters for each type of activities.
    var adapters: [String: Set<String>] = [:]
    /// The ids of the installed browsers that take part.
    var browsers: Set<String> = []

    /// Returns the further ids for an activity.
    ///
    /// Without app units, as in Xfce, nobody knows which browser a page comes from. So a rule about
    /// any of the browsers then hides the page.
    ///
    /// - Parameter app: The id of the app, or nil if it is unknown.
    func ids(ofType type: String, app: String?) -> Set<String> {
        let isUnknownPage = type == ActivityState.browsingWeb && app == nil
        return adapters[type, default: []].union(isUnknownPage ? browsers : [])
    }
}
