// SPDX-License-Identifier: Apache-2.0

import Foundation
import UserActivity

extension SharedFolders {
    /// Where this device has a file, if no symbolic link leads out of the shared folder.
    func localFile(_ url: URL) -> URL? {
        guard let file = local(url) else { return nil }
        let real = file.resolvingSymlinksInPath().pathComponents
        let isInside = folders.values.contains { folder in
            real.starts(with: folder.resolvingSymlinksInPath().pathComponents.filter { $0 != "" })
        }
        return isInside ? file : nil
    }
}
