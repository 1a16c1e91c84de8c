// SPDX-License-Identifier: Apache-2.0

import DesktopEntries

extension CallerPolicy {
    /// The policy by the desktop entries that are installed, read when they are needed.
    public static let installed = CallerPolicy { id in
        DesktopEntryIndex.entry(id).map { Declaration(team: $0.team ?? "", types: Set($0.continuableTypes)) }
    }
}
