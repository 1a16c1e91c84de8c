// SPDX-License-Identifier: Apache-2.0

import CGtk

/// A GTK widget. Its subclasses are the widgets that the window uses.
///
/// Texts are shown as they are: no widget reads markup in them.
@MainActor
package class Widget {
    let pointer: UnsafeMutablePointer<GtkWidget>

    init(_ pointer: UnsafeMutablePointer<GtkWidget>?) {
        let pointer = made(pointer)
        self.pointer = pointer
        g_object_ref_sink(pointer)
    }

    isolated deinit { g_object_unref(pointer) }

    /// Returns the pointer as a pointer to another GTK class.
    func cast<Class>() -> UnsafeMutablePointer<Class> {
        UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: Class.self)
    }

    /// The pointer for GTK functions of classes whose struct is private.
    var opaque: OpaquePointer { OpaquePointer(pointer) }

    package var isVisible: Bool {
        get { gtk_widget_get_visible(pointer) != 0 }
        set { gtk_widget_set_visible(pointer, newValue ? 1 : 0) }
    }

    /// Adds a CSS class, such as `suggested-action`.
    package func addStyle(_ name: String) { gtk_widget_add_css_class(pointer, name) }

    /// Sets the text that a screen reader says for the widget.
    package func setAccessibleName(_ name: String) { cgtk_set_accessible_label(pointer, name) }

    /// Gives the keyboard focus to the widget, or to the first widget in it that can have it.
    ///
    /// - Returns: Whether one of them has it now.
    @discardableResult
    package func focus() -> Bool { gtk_widget_grab_focus(pointer) != 0 }

    /// Whether the widget, or one in it, is the one in its window that has the keyboard focus.
    /// Unlike ``hasFocus``, this does not count a widget to which the focus would return.
    package var holdsFocus: Bool { focused != nil }

    private var focused: UnsafeMutablePointer<GtkWidget>? {
        guard let focused = gtk_widget_get_root(pointer).flatMap({ gtk_root_get_focus($0) }) else { return nil }
        return focused == pointer || gtk_widget_is_ancestor(focused, pointer) != 0 ? focused : nil
    }

    /// Makes a change that takes the widget from its window and puts it back. If the widget, or one
    /// in it, had the keyboard focus, it has it again after that.
    package func keepFocus(during change: () -> Void) {
        guard let focused else { return change() }
        g_object_ref(focused)
        defer { g_object_unref(focused) }
        change()
        gtk_widget_grab_focus(focused)
    }

    /// Makes a screen reader say a text, with GTK 4.14 and later.
    package func announce(_ text: String) { cgtk_announce(pointer, text) }

    /// Whether the widget, or one in it, has the keyboard focus.
    package var hasFocus: Bool { gtk_widget_has_focus(pointer) != 0 || gtk_widget_get_focus_child(pointer) != nil }

    /// Makes the Escape key activate an action of the application, such as `app.close`. This works
    /// while the widget is shown, wherever the focus is in the window.
    package func activateOnEscape(_ action: String) {
        guard let controller = gtk_shortcut_controller_new() else { return }
        gtk_shortcut_controller_set_scope(controller, GTK_SHORTCUT_SCOPE_GLOBAL)
        let trigger = gtk_keyval_trigger_new(guint(GDK_KEY_Escape), GdkModifierType(rawValue: 0))
        gtk_shortcut_controller_add_shortcut(controller, gtk_shortcut_new(trigger, gtk_named_action_new(action)))
        gtk_widget_add_controller(pointer, controller)
    }

    /// Sets the margin on all four sides, in pixels.
    package func setMargin(_ pixels: Int) {
        gtk_widget_set_margin_top(pointer, Int32(pixels))
        gtk_widget_set_margin_bottom(pointer, Int32(pixels))
        gtk_widget_set_margin_start(pointer, Int32(pixels))
        gtk_widget_set_margin_end(pointer, Int32(pixels))
    }

    /// Makes the widget fill the available space.
    package func expand() {
        gtk_widget_set_hexpand(pointer, 1)
        gtk_widget_set_vexpand(pointer, 1)
    }

    /// Puts the widget into the middle of its row.
    package func centre() { gtk_widget_set_halign(pointer, GTK_ALIGN_CENTER) }

    func centreVertically() { gtk_widget_set_valign(pointer, GTK_ALIGN_CENTER) }
}

/// Returns a new object without its optional. A constructor never returns nil, because GLib ends
/// the program if there is no memory.
func made<Object>(_ object: Object?) -> Object {
    guard let object else { fatalError("GTK made no object") }
    return object
}
