// SPDX-License-Identifier: Apache-2.0

import GtkInterop
import WindowModel

/// Draws a section: a heading, and rows below it.
@MainActor
final class SectionView {
    let id: String
    let group = PreferencesGroup()

    private let tell: @MainActor (WindowEvent) -> Void
    private var rows: [any RowView] = []

    var isNarrow = false {
        didSet {
            guard isNarrow != oldValue else { return }
            for row in rows { row.adapt(isNarrow: isNarrow) }
        }
    }

    init(_ id: String, _ tell: @escaping @MainActor (WindowEvent) -> Void) {
        (self.id, self.tell) = (id, tell)
    }

    /// Draws a section. Rows that stay keep their widgets, and so the keyboard focus.
    func show(_ section: Page.Section) {
        group.setHeading(section.title, text: section.text)
        // Remove what is gone first, so that the rows below need not be moved.
        let ids = Set(section.rows.map(\.id))
        let lost = rows.firstIndex { !ids.contains($0.id) && $0.widget.holdsFocus }
        for row in rows where !ids.contains(row.id) { group.remove(row.widget) }
        rows.removeAll { !ids.contains($0.id) }
        for (index, row) in section.rows.enumerated() { show(row, at: index) }
        while rows.count > section.rows.count { group.remove(rows.removeLast().widget) }
        // The next row takes the focus of one that is gone.
        if let lost, !rows.isEmpty { rows[min(lost, rows.count - 1)].widget.focus() }
    }

    private func show(_ row: Row, at index: Int) {
        if let found = rows[index...].firstIndex(where: { $0.id == row.id }) {
            let view = rows[found]
            if view.show(row) {
                guard found != index else { return }
                return view.widget.keepFocus {
                    group.remove(view.widget)
                    rows.remove(at: found)
                    insert(view, at: index)
                }
            }
            group.remove(view.widget)
            rows.remove(at: found)
        }
        let view = makeRowView(row, tell)
        view.adapt(isNarrow: isNarrow)
        _ = view.show(row)
        insert(view, at: index)
    }

    private func insert(_ view: any RowView, at index: Int) {
        rows.insert(view, at: index)
        group.insert(view.widget, at: index)
    }
}
