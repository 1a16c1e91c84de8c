// SPDX-License-Identifier: Apache-2.0

import CGtk
import MainLoop

/// A GTK application with one instance. A second start activates the first.
@MainActor
package final class Application {
    private let application: UnsafeMutablePointer<AdwApplication>

    var gtk: UnsafeMutablePointer<GtkApplication> {
        UnsafeMutableRawPointer(application).assumingMemoryBound(to: GtkApplication.self)
    }

    private var gio: UnsafeMutablePointer<GApplication> {
        UnsafeMutableRawPointer(application).assumingMemoryBound(to: GApplication.self)
    }

    /// Creates an application.
    ///
    /// - Parameters:
    ///   - identifier: The D-Bus name, which is also the name of the desktop entry.
    ///   - activate: Called whenever the user starts the program.
    package init(identifier: String, activate: @escaping @MainActor (Application) -> Void) {
        application = adw_application_new(identifier, G_APPLICATION_DEFAULT_FLAGS)
        Signals.connect(application, "activate") { [unowned self] in activate(self) }
    }

    /// Adds an action for menus and shortcuts, such as `app.quit`.
    ///
    /// - Parameter shortcut: The keys, such as `<Control>q`.
    package func addAction(_ name: String, shortcut: String? = nil, _ body: @escaping @MainActor () -> Void) {
        let action = made(g_simple_action_new(name, nil))
        Signals.connectNotice(UnsafeMutableRawPointer(action), "activate", body)
        g_action_map_add_action(OpaquePointer(application), action)
        g_object_unref(UnsafeMutableRawPointer(action))
        guard let shortcut else { return }
        shortcut.withCString { keys in
            var list: [UnsafePointer<CChar>?] = [keys, nil]
            gtk_application_set_accels_for_action(gtk, "app.\(name)", &list)
        }
    }

    package func addStyles(_ css: String) {
        guard let display = gdk_display_get_default(), let provider = gtk_css_provider_new() else { return }
        gtk_css_provider_load_from_data(provider, css, -1)
        gtk_style_context_add_provider_for_display(
            display, OpaquePointer(provider), guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
        g_object_unref(provider)
    }

    /// Adds the main actor's work to GTK's main loop, and runs the loop until the last window is
    /// closed.
    ///
    /// - Returns: The exit status.
    package func run() -> Int32 {
        _ = g_unix_fd_add(
            ForeignMainLoop.descriptor, G_IO_IN,
            { _, _, _ in
                ForeignMainLoop.runPending()
                return 1
            }, nil)
        return g_application_run(gio, CommandLine.argc, CommandLine.unsafeArgv)
    }

    package func quit() { g_application_quit(gio) }
}
