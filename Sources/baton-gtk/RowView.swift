// SPDX-License-Identifier: Apache-2.0

import GtkInterop
import WindowModel

/// Draws one row of a list.
@MainActor
protocol RowView: AnyObject {
    var id: String { get }
    var widget: Widget { get }
    /// Draws a row with the same id.
    ///
    /// - Returns: Whether this view can draw the row. If not, the row needs another view.
    func show(_ row: Row) -> Bool
    /// Arranges the row for a narrow window, or for a wide one.
    func adapt(isNarrow: Bool)
}

extension RowView {
    func adapt(isNarrow: Bool) {}
}

/// Creates the view that can draw a row.
@MainActor
func makeRowView(_ row: Row, _ tell: @escaping @MainActor (WindowEvent) -> Void) -> any RowView {
    switch row.control {
    case .entry(_, let entry): EntryRowView(row.id) { tell(.typed(entry, $0)) }
    case .choice: ChoiceRowView(row.id, tell)
    default: ActionRowView(row.id, tell)
    }
}

/// A row in which the user types.
@MainActor
private final class EntryRowView: RowView {
    let id: String
    private let row: EntryRow
    private var known: String?

    var widget: Widget { row }

    init(_ id: String, _ typed: @escaping @MainActor (String) -> Void) {
        self.id = id
        row = EntryRow(typed)
    }

    func show(_ row: Row) -> Bool {
        guard case .entry(let text, _) = row.control else { return false }
        self.row.setTitle(row.title)
        // Keep the text that the user types, unless the text has changed elsewhere.
        if text != known { self.row.text = text }
        known = text
        return true
    }
}

/// A row in which the user chooses one of several texts.
@MainActor
private final class ChoiceRowView: RowView {
    let id: String
    private lazy var row = ComboRow { [unowned self] in tell(.acted(actions[$0])) }
    private let tell: @MainActor (WindowEvent) -> Void
    private var actions: [WindowAction] = []

    var widget: Widget { row }

    init(_ id: String, _ tell: @escaping @MainActor (WindowEvent) -> Void) {
        (self.id, self.tell) = (id, tell)
    }

    func show(_ row: Row) -> Bool {
        guard case .choice(let texts, let selected, let actions) = row.control else { return false }
        self.actions = actions
        self.row.setTitle(row.title, subtitle: row.subtitle)
        self.row.show(texts, selected: selected)
        return true
    }
}
