// SPDX-License-Identifier: Apache-2.0

import CGtk

/// A row of a list: a title, a text below it, and widgets before and after them.
package final class ActionRow: Widget {
    /// Creates a row.
    ///
    /// - Parameter activated: Called when the user activates a row that ``isActivatable``.
    package init(_ activated: @escaping @MainActor () -> Void) {
        super.init(adw_action_row_new())
        adw_preferences_row_set_use_markup(cast(), 0)
        adw_action_row_set_title_lines(cast(), 0)
        Signals.connect(pointer, "activated", activated)
    }

    package func setTitle(_ title: String, subtitle: String) {
        adw_preferences_row_set_title(cast(), title)
        adw_action_row_set_subtitle(cast(), subtitle)
    }

    /// Whether a click on the row does something by itself.
    package var isActivatable = false {
        didSet { gtk_list_box_row_set_activatable(cast(), isActivatable ? 1 : 0) }
    }

    package func addPrefix(_ widget: Widget) { adw_action_row_add_prefix(cast(), widget.pointer) }
    package func addSuffix(_ widget: Widget) { adw_action_row_add_suffix(cast(), widget.pointer) }
    package func remove(_ widget: Widget) { adw_action_row_remove(cast(), widget.pointer) }

    /// Makes a click on the row count as a click on a widget in it.
    package func activate(_ widget: Widget?) { adw_action_row_set_activatable_widget(cast(), widget?.pointer) }
}

/// A row in which the user types a text, and applies it with Enter or a button.
package final class EntryRow: Widget {
    package init(_ applied: @escaping @MainActor (String) -> Void) {
        super.init(adw_entry_row_new())
        adw_preferences_row_set_use_markup(cast(), 0)
        adw_entry_row_set_show_apply_button(cast(), 1)
        Signals.connect(pointer, "apply") { [unowned self] in applied(text) }
    }

    package func setTitle(_ title: String) { adw_preferences_row_set_title(cast(), title) }

    package var text: String {
        get { String(cString: gtk_editable_get_text(opaque)) }
        set {
            // Show the button only for text that the user typed.
            adw_entry_row_set_show_apply_button(cast(), 0)
            gtk_editable_set_text(opaque, newValue)
            adw_entry_row_set_show_apply_button(cast(), 1)
        }
    }
}

/// The maximum length of a choice that is shown completely, in letters.
private let longestChoice: Int32 = 40

/// A row in which the user chooses one of several texts.
package final class ComboRow: Widget {
    private var choices: [String] = []
    private var isBeingSet = false

    package init(_ chosen: @escaping @MainActor (Int) -> Void) {
        super.init(adw_combo_row_new())
        adw_preferences_row_set_use_markup(cast(), 0)
        showWholeChoices()
        Signals.connectNotice(pointer, "notify::selected") { [unowned self] in
            let selected = Int(adw_combo_row_get_selected(cast()))
            if !isBeingSet, choices.indices.contains(selected) { chosen(selected) }
        }
    }

    package func setTitle(_ title: String, subtitle: String) {
        adw_preferences_row_set_title(cast(), title)
        adw_action_row_set_subtitle(cast(), subtitle)
    }

    /// Shows long choices completely. The row's own labels cut them after 20 letters, and many
    /// languages need more.
    private func showWholeChoices() {
        guard let factory = adw_combo_row_get_factory(cast()) else { return }
        let madeItem: @convention(c) (gpointer?, OpaquePointer?, gpointer?) -> Void = { _, item, _ in
            var child = item.flatMap { gtk_list_item_get_child($0) }.flatMap { gtk_widget_get_first_child($0) }
            while let widget = child {
                if cgtk_is_label(widget) != 0 {
                    gtk_label_set_max_width_chars(OpaquePointer(widget), longestChoice)
                }
                child = gtk_widget_get_next_sibling(widget)
            }
        }
        let callback = unsafeBitCast(madeItem, to: GCallback.self)
        _ = g_signal_connect_data(UnsafeMutableRawPointer(factory), "setup", callback, nil, nil, G_CONNECT_AFTER)
    }

    package func show(_ choices: [String], selected: Int) {
        isBeingSet = true
        if choices != self.choices {
            let list = made(gtk_string_list_new(nil))
            for choice in choices { gtk_string_list_append(list, choice) }
            adw_combo_row_set_model(cast(), list)
            g_object_unref(UnsafeMutableRawPointer(list))
            self.choices = choices
        }
        adw_combo_row_set_selected(cast(), guint(selected))
        isBeingSet = false
    }
}
