// SPDX-License-Identifier: Apache-2.0

public import ActivityModel

extension SavedUserActivity {
    /// Returns the part of an activity that is saved for a program.
    ///
    /// The desktop's shell opens a thumbnail's file with the user's rights, outside of every
    /// sandbox. A sandboxed app could name any of the user's files, or one that never ends. So only
    /// a thumbnail's bytes are saved for a sandboxed app.
    ///
    /// - Parameter caller: The program.
    public func kept(for caller: Caller) -> SavedUserActivity {
        guard caller.isSandboxed else { return self }
        var activity = self
        activity.contentAttributeSet?.thumbnailURL = nil
        return activity
    }
}
