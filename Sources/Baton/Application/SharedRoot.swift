// SPDX-License-Identifier: Apache-2.0

import Foundation
import UserActivity

extension SharedFolders {
    /// Returns this device's path of a shared file, and the shared folder that contains it.
    ///
    /// Returns nil if the file is in no shared folder, or if a symbolic link leads out of the
    /// folder.
    func localFile(_ url: URL) -> (file: URL, root: URL)? {
        guard let file = local(url) else { return nil }
        return folders.values.first { SharedRoot.contains(file, in: $0) }.map { (file, $0) }
    }
}

enum SharedRoot {
    /// Returns whether a file is in a folder, after following symbolic links.
    static func contains(_ file: URL, in root: URL) -> Bool {
        file.resolvingSymlinksInPath().pathComponents.starts(
            with: root.resolvingSymlinksInPath().pathComponents.filter { $0 != "" })
    }
}
