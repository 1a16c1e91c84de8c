// SPDX-License-Identifier: Apache-2.0

import Foundation
import UserActivity

extension SharedFolders {
    /// Where this device has a file, if no symbolic link leads out of the shared folder, and that
    /// folder.
    func localFile(_ url: URL) -> (file: URL, root: URL)? {
        guard let file = local(url) else { return nil }
        return folders.values.first { SharedRoot.contains(file, in: $0) }.map { (file, $0) }
    }
}

enum SharedRoot {
    /// Whether a file is in a folder, symbolic links followed.
    static func contains(_ file: URL, in root: URL) -> Bool {
        file.resolvingSymlinksInPath().pathComponents.starts(
            with: root.resolvingSymlinksInPath().pathComponents.filter { $0 != "" })
    }
}
