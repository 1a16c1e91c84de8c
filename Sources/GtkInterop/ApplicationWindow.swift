// SPDX-License-Identifier: Apache-2.0

import CGtk

/// The program's window: a header bar with a button to go back and a menu, above the content.
package final class ApplicationWindow: Widget {
    private let header = made(adw_header_bar_new())
    private let title = made(adw_window_title_new("", ""))

    private var window: UnsafeMutablePointer<GtkWindow> { cast() }

    /// Creates a window, which is not shown yet.
    package init(_ application: Application, width: Int, height: Int, content: Widget) {
        super.init(adw_application_window_new(application.gtk))
        gtk_window_set_default_size(window, Int32(width), Int32(height))
        gtk_widget_set_size_request(pointer, 360, 294)
        adw_header_bar_set_title_widget(OpaquePointer(header), title)
        let box = made(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
        let boxed = UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self)
        gtk_box_append(boxed, header)
        gtk_box_append(boxed, content.pointer)
        adw_application_window_set_content(cast(), box)
    }

    package func setTitle(_ text: String) {
        gtk_window_set_title(window, text)
        adw_window_title_set_title(OpaquePointer(title), text)
    }

    package func addToHeaderStart(_ widget: Widget) {
        adw_header_bar_pack_start(OpaquePointer(header), widget.pointer)
    }

    /// Adds the main menu.
    ///
    /// - Parameter entries: The text of each entry, and the action that it is for.
    package func addMenu(name: String, _ entries: [(text: String, action: String)]) {
        let (menu, button) = (made(g_menu_new()), made(gtk_menu_button_new()))
        for entry in entries { g_menu_append(menu, entry.text, entry.action) }
        gtk_menu_button_set_icon_name(OpaquePointer(button), "open-menu-symbolic")
        gtk_menu_button_set_menu_model(
            OpaquePointer(button), UnsafeMutableRawPointer(menu).assumingMemoryBound(to: GMenuModel.self))
        gtk_menu_button_set_primary(OpaquePointer(button), 1)
        gtk_widget_set_tooltip_text(button, name)
        cgtk_set_accessible_label(button, name)
        adw_header_bar_pack_end(OpaquePointer(header), button)
        g_object_unref(UnsafeMutableRawPointer(menu))
    }

    /// Shows the window, or brings it to the front.
    package func present() { gtk_window_present(window) }

    /// Whether a widget has the keyboard focus when the window has it.
    package var hasFocusedWidget: Bool { gtk_window_get_focus(window) != nil }

    /// Takes the keyboard focus from the widget that has it.
    package func clearFocus() { gtk_window_set_focus(window, nil) }

    package func close() { gtk_window_close(window) }

    /// Calls a closure when the desktop says that the window is hidden, or shown again.
    package func onShownChange(_ body: @escaping @MainActor (Bool) -> Void) {
        Signals.connect(pointer, "realize") { [unowned self] in
            guard let surface = gtk_native_get_surface(opaque) else { return }
            Signals.connectNotice(UnsafeMutableRawPointer(surface), "notify::state") {
                let state = gdk_toplevel_get_state(surface).rawValue
                body(state & (GDK_TOPLEVEL_STATE_MINIMIZED.rawValue | cgtk_suspended) == 0)
            }
        }
    }

    /// Calls a closure with the width and height of the content whenever they change.
    package func onResize(_ body: @escaping @MainActor (Int, Int) -> Void) {
        for signal in ["notify::default-width", "notify::default-height"] {
            Signals.connectNotice(pointer, signal) { [unowned self] in
                var (width, height): (Int32, Int32) = (0, 0)
                gtk_window_get_default_size(window, &width, &height)
                body(Int(width), Int(height))
            }
        }
    }

    package func copy(_ text: String) { gdk_clipboard_set_text(gtk_widget_get_clipboard(pointer), text) }

    /// Asks a question in a dialog with two buttons.
    ///
    /// - Parameter answered: Called if the user chooses the second button.
    package func ask(
        _ heading: String, _ text: String, cancel: String, confirm: String, isDestructive: Bool,
        _ answered: @escaping @MainActor () -> Void
    ) {
        guard let dialog = adw_message_dialog_new(window, heading, text) else { return }
        let message = UnsafeMutableRawPointer(dialog).assumingMemoryBound(to: AdwMessageDialog.self)
        adw_message_dialog_add_response(message, "cancel", cancel)
        adw_message_dialog_add_response(message, "confirm", confirm)
        adw_message_dialog_set_response_appearance(
            message, "confirm", isDestructive ? ADW_RESPONSE_DESTRUCTIVE : ADW_RESPONSE_SUGGESTED)
        adw_message_dialog_set_default_response(message, "cancel")
        adw_message_dialog_set_close_response(message, "cancel")
        Signals.connectText(dialog, "response") { if $0 == "confirm" { answered() } }
        gtk_window_present(UnsafeMutableRawPointer(dialog).assumingMemoryBound(to: GtkWindow.self))
    }

    /// Asks the user where to save a file.
    ///
    /// - Parameter chosen: Called with the path, unless the user cancels.
    package func chooseFile(
        _ title: String, name: String, save: String, _ chosen: @escaping @MainActor (String) -> Void
    ) {
        choose(title, GTK_FILE_CHOOSER_ACTION_SAVE, save, name: name, chosen)
    }

    /// Asks the user for a folder.
    ///
    /// - Parameter chosen: Called with the path, unless the user cancels.
    package func chooseFolder(_ title: String, choose: String, _ chosen: @escaping @MainActor (String) -> Void) {
        self.choose(title, GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, choose, name: nil, chosen)
    }

    private func choose(
        _ title: String, _ action: GtkFileChooserAction, _ accept: String, name: String?,
        _ chosen: @escaping @MainActor (String) -> Void
    ) {
        guard let chooser = gtk_file_chooser_native_new(title, window, action, accept, nil) else { return }
        if let name { gtk_file_chooser_set_current_name(chooser, name) }
        Signals.connectNumber(UnsafeMutableRawPointer(chooser), "response") { response in
            defer { g_object_unref(UnsafeMutableRawPointer(chooser)) }
            guard response == Int(GTK_RESPONSE_ACCEPT.rawValue),
                let file = gtk_file_chooser_get_file(chooser)
            else { return }
            defer { g_object_unref(UnsafeMutableRawPointer(file)) }
            guard let path = g_file_get_path(file) else { return }
            defer { g_free(path) }
            chosen(String(cString: path))
        }
        gtk_native_dialog_show(UnsafeMutableRawPointer(chooser).assumingMemoryBound(to: GtkNativeDialog.self))
    }

    /// Shows a dialog about the program.
    package func showAbout(name: String, icon: String, version: String, text: String) {
        guard let about = adw_about_window_new() else { return }
        adw_about_window_set_application_name(OpaquePointer(about), name)
        adw_about_window_set_application_icon(OpaquePointer(about), icon)
        adw_about_window_set_version(OpaquePointer(about), version)
        Markup.escaped(text) { adw_about_window_set_comments(OpaquePointer(about), $0) }
        adw_about_window_set_license_type(OpaquePointer(about), GTK_LICENSE_APACHE_2_0)
        let dialog = UnsafeMutableRawPointer(about).assumingMemoryBound(to: GtkWindow.self)
        gtk_window_set_transient_for(dialog, window)
        gtk_window_present(dialog)
    }
}
