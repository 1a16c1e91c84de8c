// SPDX-License-Identifier: Apache-2.0

import CGtk

/// A box that shows widgets one below the other, or side by side.
package final class Box: Widget {
    package init(isVertical: Bool = true, spacing: Int = 0) {
        super.init(gtk_box_new(isVertical ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL, Int32(spacing)))
    }

    package func add(_ widget: Widget) { gtk_box_append(cast(), widget.pointer) }

    /// Shows the widgets one below the other, or side by side.
    package func arrange(isVertical: Bool) {
        gtk_orientable_set_orientation(opaque, isVertical ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL)
    }
}

/// Several buttons of a row: side by side, or one below the other where there is little room.
package final class ButtonBox: Widget {
    private static let gap: Int32 = 6

    package init(_ buttons: [Button], isVertical: Bool) {
        self.isVertical = isVertical
        super.init(gtk_box_new(GTK_ORIENTATION_HORIZONTAL, Self.gap))
        for button in buttons { gtk_box_append(cast(), button.pointer) }
        centreVertically()
        arrange()
    }

    package var isVertical: Bool { didSet { arrange() } }

    private func arrange() {
        gtk_orientable_set_orientation(opaque, isVertical ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL)
        gtk_widget_set_margin_top(pointer, isVertical ? Self.gap : 0)
        gtk_widget_set_margin_bottom(pointer, isVertical ? Self.gap : 0)
    }
}

/// A stack of pages that shows one of them. The other pages are hidden from screen readers, too.
package final class Stack: Widget {
    private var shown: Widget?

    package init() {
        super.init(gtk_stack_new())
        gtk_stack_set_vhomogeneous(opaque, 0)
        gtk_stack_set_hhomogeneous(opaque, 0)
        expand()
    }

    package func add(_ page: Widget) {
        page.isVisible = false
        _ = gtk_stack_add_child(opaque, page.pointer)
    }

    package func remove(_ page: Widget) { gtk_stack_remove(opaque, page.pointer) }

    package func show(_ page: Widget) {
        page.isVisible = true
        gtk_stack_set_visible_child(opaque, page.pointer)
        if shown !== page { shown?.isVisible = false }
        shown = page
    }
}

/// A page of settings: groups one below the other, which scroll and have a comfortable width.
package final class PreferencesPage: Widget {
    package init() {
        super.init(adw_preferences_page_new())
        expand()
    }

    package func add(_ group: PreferencesGroup) { adw_preferences_page_add(cast(), group.cast()) }

    /// Puts a group below another one. A group that is on the page keeps the keyboard focus.
    package func put(_ group: PreferencesGroup, below previous: PreferencesGroup) {
        if gtk_widget_get_parent(group.pointer) == nil { add(group) }
        guard gtk_widget_get_prev_sibling(group.pointer) != previous.pointer else { return }
        gtk_widget_insert_after(group.pointer, gtk_widget_get_parent(group.pointer), previous.pointer)
    }

    package func remove(_ group: PreferencesGroup) { adw_preferences_page_remove(cast(), group.cast()) }
}

package final class PreferencesGroup: Widget {
    private let list = ListBox()

    package init() {
        super.init(adw_preferences_group_new())
        adw_preferences_group_add(cast(), list.pointer)
    }

    package func setHeading(_ title: String, text: String) {
        Markup.escaped(title) { adw_preferences_group_set_title(cast(), $0) }
        Markup.escaped(text) { adw_preferences_group_set_description(cast(), $0) }
        if !title.isEmpty { list.setAccessibleName(title) }
    }

    /// Adds a widget other than a row, above the rows.
    package func add(_ widget: Widget) {
        adw_preferences_group_remove(cast(), list.pointer)
        adw_preferences_group_add(cast(), widget.pointer)
        adw_preferences_group_add(cast(), list.pointer)
    }

    /// Removes a widget other than a row.
    package func removeWidget(_ widget: Widget) { adw_preferences_group_remove(cast(), widget.pointer) }

    package func insert(_ row: Widget, at index: Int) { list.insert(row, at: index) }

    package func remove(_ row: Widget) { list.remove(row) }
}

/// A list of rows with a frame around it. The list is hidden while it has no rows.
private final class ListBox: Widget {
    init() {
        super.init(gtk_list_box_new())
        gtk_list_box_set_selection_mode(opaque, GTK_SELECTION_NONE)
        addStyle("boxed-list")
        isVisible = false
    }

    func insert(_ row: Widget, at index: Int) {
        gtk_list_box_insert(opaque, row.pointer, Int32(index))
        isVisible = true
    }

    func remove(_ row: Widget) {
        gtk_list_box_remove(opaque, row.pointer)
        isVisible = gtk_widget_get_first_child(pointer) != nil
    }
}

/// A place for toasts: short messages that go away by themselves.
package final class ToastOverlay: Widget {
    /// The shortest time that a message stays.
    private static let seconds = 5
    /// The shortest time for a message with a button, which the user may want to reach by keys.
    private static let secondsWithButton = 15
    private static let lettersPerSecond = 12
    /// The room in pixels that a toast needs besides its text and its button.
    private static let frame = 130.0
    /// The room in pixels at both sides of a button's text.
    private static let padding = 48.0
    /// The largest factor by which bold letters are wider.
    private static let bold = 1.2
    private static let fewestLetters = 10

    package init(_ content: Widget) {
        super.init(adw_toast_overlay_new())
        adw_toast_overlay_set_child(opaque, content.pointer)
    }

    /// Shows a message, which may have a button. A long message takes several lines, and stays
    /// longer.
    package func show(_ text: String, button: String? = nil, _ body: (@MainActor () -> Void)? = nil) {
        guard let toast = adw_toast_new("") else { return }
        // The toast's own label cuts a text that does not fit into one line.
        let label = Label(text, style: "heading", isAnnounced: true)
        label.alignToStart()
        fit(label, text, besides: button)
        adw_toast_set_custom_title(toast, label.pointer)
        let least = button == nil ? Self.seconds : Self.secondsWithButton
        adw_toast_set_timeout(toast, guint(max(least, text.count / Self.lettersPerSecond)))
        if let button, let body {
            adw_toast_set_button_label(toast, button)
            Signals.connect(UnsafeMutableRawPointer(toast), "button-clicked", body)
        }
        adw_toast_overlay_add_toast(opaque, toast)
        announce(text)
    }

    /// Makes a message's lines so long that they fit into the window. The toast gives a label the
    /// width that it asks for, and cuts what is outside of the window.
    private func fit(_ label: Label, _ text: String, besides button: String?) {
        let room =
            Double(gtk_widget_get_width(pointer)) - Self.frame - (button.map { width(of: $0) + Self.padding } ?? 0)
        guard width(of: text) * Self.bold > room else { return label.keepOnOneLine() }
        let metrics = pango_context_get_metrics(gtk_widget_get_pango_context(pointer), nil, nil)
        defer { pango_font_metrics_unref(metrics) }
        let letter = Double(pango_font_metrics_get_approximate_char_width(metrics)) / Double(PANGO_SCALE)
        label.setLongestLine(max(Self.fewestLetters, Int(room / (letter * Self.bold))))
    }

    private func width(of text: String) -> Double {
        let layout = made(gtk_widget_create_pango_layout(pointer, text))
        defer { g_object_unref(UnsafeMutableRawPointer(layout)) }
        var width: Int32 = 0
        pango_layout_get_pixel_size(layout, &width, nil)
        return Double(width)
    }
}

/// Escapes texts for widgets that read markup.
enum Markup {
    static func escaped(_ text: String, _ body: (UnsafePointer<CChar>) -> Void) {
        let escaped = made(g_markup_escape_text(text, -1))
        defer { g_free(escaped) }
        body(escaped)
    }
}
