// SPDX-License-Identifier: Apache-2.0

import Foundation

/// userInfo in an update, in which responders and the delegate fill it anew.
extension UserActivity {
    /// Changes userInfo, and remembers who has: the app by itself, or who is asked in an update.
    func changeUserInfo(_ body: (inout UserInfo) -> Void) {
        withLock { stored in
            guard stored.askedThread == ObjectIdentifier(Thread.current) else { return body(&stored.directUserInfo) }
            var added = UserInfo()
            body(&added)
            if !added.isEmpty { stored.isEmptied = false }
        }
        change { body(&$0.userInfo) }
    }

    /// Begins an update: responders find userInfo empty.
    func emptyUserInfo() {
        withLock { stored in
            stored.state.userInfo = [:]
            stored.isEmptied = true
        }
    }

    /// Lets somebody add to userInfo who has no say in whether the update has filled it.
    func adding(_ body: (UserActivity) -> Void) {
        let isEmptied = read(\.isEmptied)
        body(self)
        withLock { $0.isEmptied = isEmptied }
    }
}

extension UserActivity.Stored {
    /// Ends an update: what was set directly stays where nobody has filled userInfo (requirement
    /// 35).
    mutating func endUpdate() {
        guard isEmptied else { return }
        isEmptied = false
        state.userInfo = directUserInfo.merging(state.userInfo) { _, added in added }
    }
}
