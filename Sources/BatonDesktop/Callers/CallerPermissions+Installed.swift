// SPDX-License-Identifier: Apache-2.0

import DesktopEntries

extension CallerPermissions {
    /// The policy by the desktop entries that are installed, read when they are needed.
    ///
    /// - Parameter session: Where the entries are, as it is known by then.
    public static func installed(grants: GrantStore, in session: SessionEnvironment) -> CallerPermissions {
        CallerPermissions(grants: grants) {
            DesktopEntryIndex.entry($0, in: session.latest.applicationDirectories)?.claim
        }
    }
}
