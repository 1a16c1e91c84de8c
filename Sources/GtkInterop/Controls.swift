// SPDX-License-Identifier: Apache-2.0

import CGtk

package final class Label: Widget {
    /// Creates a label.
    ///
    /// - Parameters:
    ///   - style: The CSS class of the text, such as `title-1`.
    ///   - isAnnounced: Whether screen readers read changes of the text.
    package init(_ text: String, style: String? = nil, isAnnounced: Bool = false) {
        super.init(isAnnounced ? cgtk_announcing_label() : gtk_label_new(nil))
        gtk_label_set_wrap(opaque, 1)
        gtk_label_set_wrap_mode(opaque, PANGO_WRAP_WORD_CHAR)
        gtk_label_set_justify(opaque, GTK_JUSTIFY_CENTER)
        if let style { addStyle(style) }
        // Set the name, too, because only plain labels get it from their text.
        setText(text)
    }

    /// Shows another text.
    package func setText(_ text: String) {
        gtk_label_set_text(opaque, text)
        setAccessibleName(text)
    }

    /// Begins each line where the first one begins.
    package func alignToStart() {
        gtk_label_set_justify(opaque, GTK_JUSTIFY_LEFT)
        gtk_label_set_xalign(opaque, 0)
    }

    /// Writes the text in one line.
    func keepOnOneLine() { gtk_label_set_wrap(opaque, 0) }

    /// Sets the maximum length of a line, in letters.
    func setLongestLine(_ letters: Int) { gtk_label_set_max_width_chars(opaque, Int32(letters)) }

    /// Lets the user select and copy the text.
    package func makeSelectable() { gtk_label_set_selectable(opaque, 1) }

    package func setLetterSize(_ pixels: Double) {
        guard let attributes = pango_attr_list_new() else { return }
        pango_attr_list_insert(attributes, pango_attr_size_new_absolute(Int32(pixels * Double(PANGO_SCALE))))
        gtk_label_set_attributes(opaque, attributes)
        pango_attr_list_unref(attributes)
        gtk_label_set_wrap(opaque, 0)
    }
}

/// An icon from the icon theme. A name that the theme lacks, such as the name of an app's icon,
/// shows the icon of any app.
package final class Icon: Widget {
    private static let anyApp = "application-x-executable"

    package init(_ name: String, size: Int = 32) {
        super.init(gtk_image_new())
        gtk_image_set_pixel_size(opaque, Int32(size))
        setName(name)
    }

    package func setName(_ name: String) {
        let theme = gtk_icon_theme_get_for_display(gtk_widget_get_display(pointer))
        gtk_image_set_from_icon_name(opaque, gtk_icon_theme_has_icon(theme, name) != 0 ? name : Self.anyApp)
    }
}

package final class Button: Widget {
    package init(_ text: String, _ body: @escaping @MainActor () -> Void) {
        super.init(gtk_button_new_with_label(text))
        centreVertically()
        Signals.connect(pointer, "clicked", body)
    }

    package init(icon: String, name: String, _ body: @escaping @MainActor () -> Void) {
        super.init(gtk_button_new_from_icon_name(icon))
        centreVertically()
        gtk_widget_set_tooltip_text(pointer, name)
        setAccessibleName(name)
        Signals.connect(pointer, "clicked", body)
    }
}

package final class Switch: Widget {
    private var isBeingSet = false

    /// Creates a switch.
    ///
    /// - Parameter changed: Called with the new position when the user moves the switch.
    package init(_ changed: @escaping @MainActor (Bool) -> Void) {
        super.init(gtk_switch_new())
        centreVertically()
        Signals.connectNotice(pointer, "notify::active") { [unowned self] in
            if !isBeingSet { changed(isOn) }
        }
    }

    package var isOn: Bool {
        get { gtk_switch_get_active(opaque) != 0 }
        set {
            isBeingSet = true
            gtk_switch_set_active(opaque, newValue ? 1 : 0)
            isBeingSet = false
        }
    }
}

/// A spinner, which shows that something is being done.
package final class Spinner: Widget {
    package init(size: Int = 16) {
        super.init(gtk_spinner_new())
        gtk_spinner_start(opaque)
        centreVertically()
        gtk_widget_set_size_request(pointer, Int32(size), Int32(size))
    }
}

/// A picture made of dark and light squares, such as a QR code. It is dark on light even in a dark
/// window, because code readers expect that.
package final class Squares: Widget {
    /// Creates a picture.
    ///
    /// - Parameters:
    ///   - side: The number of squares in a row.
    ///   - isDark: Returns whether the square in a row and a column is dark.
    package init(side: Int, name: String, isDark: @escaping (Int, Int) -> Bool) {
        super.init(cgtk_drawing_area(GTK_ACCESSIBLE_ROLE_IMG))
        setAccessibleName(name)
        gtk_widget_set_size_request(pointer, 280, 280)
        gtk_widget_set_halign(pointer, GTK_ALIGN_CENTER)
        // The picture lives as long as GTK's widget, which may be longer than this object.
        let picture = Picture(side: side, isDark: isDark)
        gtk_drawing_area_set_draw_func(
            cast(),
            { _, cairo, width, height, data in
                guard let cairo, let data else { return }
                Unmanaged<Picture>.fromOpaque(data).takeUnretainedValue()
                    .draw(cairo, size: Double(min(width, height)))
            }, Unmanaged.passRetained(picture).toOpaque(),
            { data in if let data { Unmanaged<Picture>.fromOpaque(data).release() } })
    }

    private final class Picture {
        private let side: Int
        private let isDark: (Int, Int) -> Bool

        init(side: Int, isDark: @escaping (Int, Int) -> Bool) { (self.side, self.isDark) = (side, isDark) }

        func draw(_ cairo: OpaquePointer, size: Double) {
            let square = (size / Double(side)).rounded(.down)
            let margin = ((size - square * Double(side)) / 2).rounded(.down)
            cairo_set_source_rgb(cairo, 1, 1, 1)
            cairo_paint(cairo)
            cairo_set_source_rgb(cairo, 0, 0, 0)
            for row in 0..<side {
                for column in 0..<side where isDark(row, column) {
                    let (x, y) = (margin + Double(column) * square, margin + Double(row) * square)
                    cairo_rectangle(cairo, x, y, square, square)
                }
            }
            cairo_fill(cairo)
        }
    }
}

/// A grey picture that changes many times a second, such as a camera's picture.
package final class LivePicture: Widget {
    private let width: Int
    private let height: Int

    /// Creates a picture, which is empty until ``show(_:)`` is called.
    ///
    /// - Parameters:
    ///   - width: The width in pixels.
    ///   - height: The height in pixels.
    package init(width: Int, height: Int, name: String) {
        (self.width, self.height) = (width, height)
        super.init(gtk_picture_new())
        setAccessibleName(name)
        gtk_widget_set_size_request(pointer, Int32(width), Int32(height))
        addStyle("card")
        centre()
    }

    /// Shows grey pixels, row by row from the top. Does nothing if the number of pixels is wrong.
    package func show(_ pixels: [UInt8]) {
        guard pixels.count == width * height else { return }
        // Before version 4.12, GTK has no format for grey pixels.
        let colours = [UInt8](unsafeUninitializedCapacity: 3 * pixels.count) { buffer, count in
            for pixel in pixels {
                for _ in 0..<3 {
                    buffer[count] = pixel
                    count += 1
                }
            }
        }
        guard let bytes = g_bytes_new(colours, gsize(colours.count)) else { return }
        defer { g_bytes_unref(bytes) }
        guard
            let texture = gdk_memory_texture_new(
                Int32(width), Int32(height), GDK_MEMORY_R8G8B8, bytes, gsize(3 * width))
        else { return }
        gtk_picture_set_paintable(opaque, texture)
        g_object_unref(UnsafeMutableRawPointer(texture))
    }
}

/// A text of many lines, which the user can select and copy, but not change.
package final class TextPane: Widget {
    private let view: UnsafeMutablePointer<GtkTextView>

    package init(name: String) {
        let text = made(gtk_text_view_new())
        view = UnsafeMutableRawPointer(text).assumingMemoryBound(to: GtkTextView.self)
        super.init(gtk_scrolled_window_new())
        gtk_text_view_set_editable(view, 0)
        gtk_text_view_set_monospace(view, 1)
        gtk_text_view_set_wrap_mode(view, GTK_WRAP_WORD_CHAR)
        cgtk_set_accessible_label(text, name)
        gtk_text_view_set_left_margin(view, 12)
        gtk_text_view_set_right_margin(view, 12)
        gtk_text_view_set_top_margin(view, 12)
        gtk_text_view_set_bottom_margin(view, 12)
        gtk_scrolled_window_set_child(opaque, text)
        gtk_scrolled_window_set_min_content_height(opaque, 320)
        gtk_widget_add_css_class(pointer, "card")
    }

    package func show(_ text: String) { gtk_text_buffer_set_text(gtk_text_view_get_buffer(view), text, -1) }
}
