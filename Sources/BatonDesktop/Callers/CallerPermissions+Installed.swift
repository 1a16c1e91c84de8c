// SPDX-License-Identifier: Apache-2.0

import DesktopEntries

extension CallerPermissions {
    /// The policy by the desktop entries that are installed, read when they are needed.
    public static func installed(grants: GrantStore) -> CallerPermissions {
        CallerPermissions(grants: grants) { DesktopEntryIndex.entry($0)?.claim }
    }
}
