// SPDX-License-Identifier: Apache-2.0

import CGtk

/// The user's files, as the desktop treats them.
@MainActor
package enum DesktopFiles {
    /// Opens a file with its app.
    package static func open(_ path: String) {
        let file = made(g_file_new_for_path(path))
        defer { g_object_unref(UnsafeMutableRawPointer(file)) }
        let address = made(g_file_get_uri(file))
        defer { g_free(address) }
        gtk_show_uri(nil, address, guint32(GDK_CURRENT_TIME))
    }

    /// Moves a file to the rubbish bin.
    ///
    /// - Returns: The reason why the file could not be moved, or nil if it was moved.
    package static func trash(_ path: String) -> String? {
        let file = made(g_file_new_for_path(path))
        defer { g_object_unref(UnsafeMutableRawPointer(file)) }
        var error: UnsafeMutablePointer<GError>?
        guard g_file_trash(file, nil, &error) == 0, let error else { return nil }
        defer { g_error_free(error) }
        return String(cString: error.pointee.message)
    }
}
