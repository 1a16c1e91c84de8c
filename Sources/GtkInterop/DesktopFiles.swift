// SPDX-License-Identifier: Apache-2.0

import CGtk

/// The user's files, as the desktop treats them.
@MainActor
package enum DesktopFiles {
    /// Opens a file with its app.
    ///
    /// - Parameter failed: Called if no app here can open the file.
    package static func open(_ path: String, failed: @escaping @MainActor () -> Void) {
        let file = made(g_file_new_for_path(path))
        defer { g_object_unref(UnsafeMutableRawPointer(file)) }
        let address = made(g_file_get_uri(file))
        defer { g_free(address) }
        // The context has the token with which the app's window comes to the front.
        let context = gdk_display_get_default().flatMap { gdk_display_get_app_launch_context($0) }
        defer { if let context { g_object_unref(UnsafeMutableRawPointer(context)) } }
        g_app_info_launch_default_for_uri_async(
            address, context.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: GAppLaunchContext.self) }, nil,
            { _, result, data in
                guard let data else { return }
                let failed = KeptClosure.take(data)
                var error: UnsafeMutablePointer<GError>?
                _ = g_app_info_launch_default_for_uri_finish(result, &error)
                guard let error else { return }
                g_error_free(error)
                MainActor.assumeIsolated { failed.body() }
            }, KeptClosure(failed).retained)
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
