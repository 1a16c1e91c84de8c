// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Wording

/// Sentences about requests of sandboxed apps.
///
/// These sentences show the app's id, which its sandbox guarantees, and not the name that the app
/// has chosen.
enum GrantText {
    /// The maximum number of activity types that are listed.
    private static let maximumTypes = 8

    /// Returns the name of a request's row, which is the same before and after the answer.
    static func id(_ grant: AppGrant) -> String {
        ([grant.sandbox, grant.application, grant.team] + grant.types).joined(separator: " ")
    }

    static func title(_ grant: AppGrant) -> String {
        GrantWords.app(ShownText.name(grant.application), sandbox: grant.sandbox)
    }

    /// Returns what an app asks for.
    static func wish(_ grant: AppGrant) -> String { GrantWords.wish(types: types(grant), team: team(grant)) }

    /// Returns what an app may do, or may not do.
    static func right(_ grant: AppGrant) -> String { GrantWords.right(types: types(grant), team: team(grant)) }

    private static func types(_ grant: AppGrant) -> String {
        let shown = grant.types.prefix(maximumTypes).map(ShownText.name)
        let (list, more) = (JoinedText.list(Array(shown)), grant.types.count - shown.count)
        guard more > 0 else { return list }
        return ntr("{types}, and {count} more type", "{types}, and {count} more types", more, ["types": list])
    }

    private static func team(_ grant: AppGrant) -> String { ShownText.name(grant.team) }
}
