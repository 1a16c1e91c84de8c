// SPDX-License-Identifier: Apache-2.0

import Diagnosis

extension FailureCode {
    /// The words about the files in which the daemon keeps its keys.
    var stateWords: Words? {
        switch self {
        case .stateTaken:
            Words(
                mark("Another Baton uses the directory {path} already."),
                terminal: mark("Stop it, or give this one a directory of its own with \"--state-directory\"."),
                window: mark("Log out, and log in again."))
        case .stateLink:
            Words(mark("{path} is a symbolic link, which Baton does not follow."), mark("Put the file itself there."))
        case .stateTooLarge:
            Words(
                mark("{path} is larger than Baton's data can be."),
                restore)
        case .stateDamaged:
            Words(
                mark("{path} cannot be used ({reason})."),
                restore)
        case .stateNoFile:
            Words(
                mark("{path} is not a regular file."),
                terminal: mark("Move it away, or name another directory with \"--state-directory\"."),
                window: mark("Move it away."))
        case .stateNoDirectory:
            Words(
                mark("{path} is not a directory, or is a symbolic link."),
                terminal: mark("Move it away, or name another directory with \"--state-directory\"."),
                window: mark("Move it away."))
        case .stateForeign:
            Words(
                mark("{path} belongs to another user."),
                terminal: mark("Name a directory of your own with \"--state-directory\"."),
                window: mark("Make yourself its owner."))
        case .stateOpenDirectory:
            Words(mark("Other users may enter the directory {path}."), window: mark("Take their permissions away."))
        case .stateOpenFile:
            Words(
                mark("Other users may read {path}, so they may know its keys."),
                terminal: mark("If you are sure that they do not, run \"{command}\"."),
                window: mark("If you are sure that they do not, take their permissions away."))
        case .stateUnreadable:
            Words(mark("{path} cannot be read ({reason})."), mark("Check its permissions."))
        case .stateUnwritten:
            Words(
                mark("{path} cannot be written ({reason})."), mark("Free some disk space, and check the permissions."))
        case .stateUsedUp:
            Words(mark("A change could not be saved in {path}."), mark("Try again."))
        case .stateContents: Words(mark("It is damaged, or not a file of Baton."), restore)
        case .stateOfOtherVersion:
            Words(mark("Another version of Baton wrote it, in the format {format}."), mark("Install that version."))
        default: nil
        }
    }
}

private let restore = mark("Restore it from a backup. Without it, pair this laptop again.")
