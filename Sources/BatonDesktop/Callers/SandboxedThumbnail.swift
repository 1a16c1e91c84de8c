// SPDX-License-Identifier: Apache-2.0

public import ActivityModel

extension SavedUserActivity {
    /// What is kept of an activity for the program that saves it.
    ///
    /// The desktop's shell opens the file of a thumbnail with the user's rights, and outside of
    /// every sandbox: one that a sandboxed app names could be any of the user's files, or one that
    /// never ends. Of such an app only a thumbnail's bytes count.
    ///
    /// - Parameter caller: The program.
    public func kept(for caller: Caller) -> SavedUserActivity {
        guard caller.isSandboxed else { return self }
        var activity = self
        activity.contentAttributeSet?.thumbnailURL = nil
        return activity
    }
}
