// SPDX-License-Identifier: Apache-2.0

import DesktopEntries

extension CallerPermissions {
    /// Returns the policy for the installed desktop entries, which are read when needed.
    ///
    /// - Parameter session: The session, whose application directories contain the entries.
    public static func installed(grants: GrantStore, in session: SessionEnvironment) -> CallerPermissions {
        CallerPermissions(grants: grants) {
            DesktopEntryIndex.entry($0, in: session.latest.applicationDirectories)?.claim
        }
    }
}
