// SPDX-License-Identifier: GPL-3.0-or-later

import BatonBus
import BatonDesktop

/// Answers calls about the user's shared folders and copies.
struct FileRoutes {
    let files: UserFilesWatch
    let host: ServiceDesktopHost

    /// Adds the routes.
    ///
    /// - Returns: The programs that follow the files.
    func add(to router: inout BusRouter) -> [any FollowingClients] {
        let followers = Followers(of: [files.change]) {
            files.files
        } send: { [host] in
            host.endpoint?.send($0, to: $1)
        }
        router.on(FilesInterface.follow) { try await followers.follow($0) }
        router.on(FilesInterface.setFolder) { name, path, _ in try files.setFolder(name, to: path) }
        return [followers]
    }
}
