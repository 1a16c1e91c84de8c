// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Changes of userInfo in an update, in which responders and the delegate fill an emptied userInfo
/// again.
extension UserActivity {
    /// Changes userInfo, and records whether the app did so during an update.
    func changeUserInfo(_ body: (inout UserInfo) -> Void) {
        withLock { stored in
            guard stored.askedThread == ObjectIdentifier(Thread.current) else { return body(&stored.directUserInfo) }
            var added = UserInfo()
            body(&added)
            if !added.isEmpty { stored.isEmptied = false }
        }
        change { body(&$0.userInfo) }
    }

    /// Begins an update by emptying userInfo for the responders.
    func emptyUserInfo() {
        withLock { stored in
            stored.state.userInfo = [:]
            stored.isEmptied = true
        }
    }

    /// Runs code that may add to userInfo, such as `didUpdate`. If only this code adds entries,
    /// userInfo still counts as not filled in the update.
    func adding(_ body: (UserActivity) -> Void) {
        let isEmptied = read(\.isEmptied)
        body(self)
        withLock { $0.isEmptied = isEmptied }
    }
}

extension UserActivity.Stored {
    /// Ends an update.
    ///
    /// If nothing has filled userInfo, userInfo keeps the entries that the app set directly
    /// (requirement 35).
    mutating func endUpdate() {
        guard isEmptied else { return }
        isEmptied = false
        state.userInfo = directUserInfo.merging(state.userInfo) { _, added in added }
    }
}
