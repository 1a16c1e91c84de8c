// SPDX-License-Identifier: Apache-2.0

import GtkInterop
import WindowModel
import Wording

/// A row with a text, and at its end buttons, a switch or an arrow.
@MainActor
final class ActionRowView: RowView {
    let id: String
    private let tell: @MainActor (WindowEvent) -> Void
    private lazy var row = ActionRow { [unowned self] in activated() }
    private var shown: Row?
    private var icon: Icon?
    private var controls: [Widget] = []
    private var isNarrow = false

    var widget: Widget { row }

    init(_ id: String, _ tell: @escaping @MainActor (WindowEvent) -> Void) {
        (self.id, self.tell) = (id, tell)
    }

    func show(_ row: Row) -> Bool {
        switch row.control {
        case .entry, .choice: return false
        default: break
        }
        // The user may have moved the switch.
        if case .toggle(let isOn, _, _) = row.control { (controls.first as? Switch)?.isOn = isOn }
        guard row != shown else { return true }
        let before = shown
        shown = row
        self.row.setTitle(row.title, subtitle: row.subtitle)
        showIcon(row.icon)
        showControl(row, before: before)
        if let before { announce(row, after: before) }
        return true
    }

    /// Makes a screen reader say what came of the row's work.
    private func announce(_ row: Row, after before: Row) {
        guard Look(before.control).isBusy, !Look(row.control).isBusy, row.subtitle != before.subtitle else { return }
        self.row.announce(row.subtitle)
    }

    func adapt(isNarrow: Bool) {
        self.isNarrow = isNarrow
        for case let box as ButtonBox in controls { box.isVertical = isNarrow }
    }

    private func activated() {
        switch shown?.control {
        case .open(let action)?: tell(.acted(action))
        case .buttons? where shown?.isOneButton == true: pressed(0)
        default: break
        }
    }

    private func showIcon(_ name: String?) {
        guard let name else { return }
        if let icon { return icon.setName(name) }
        let made = Icon(name, size: name.hasSuffix("-symbolic") ? 16 : 32)
        row.addPrefix(made)
        icon = made
    }

    private func showControl(_ row: Row, before: Row?) {
        if let before, before.title == row.title, Look(before.control) == Look(row.control) { return }
        let (hadFocus, pressed) = (controls.contains { $0.holdsFocus }, focusedButton(of: before))
        self.row.activate(nil)
        for control in controls { self.row.remove(control) }
        controls = makeControls(row)
        for control in controls { self.row.addSuffix(control) }
        self.row.isActivatable = row.isOneButton
        if case .open = row.control { self.row.isActivatable = true }
        if case .toggle = row.control { self.row.activate(controls.first) }
        if hadFocus { keepFocus(pressed) }
    }

    /// Returns the text of the button that has the focus, if each button is a control of its own.
    private func focusedButton(of before: Row?) -> String? {
        guard case .buttons(let buttons)? = before?.control, buttons.count == controls.count else { return nil }
        return zip(buttons, controls).first { $0.1.holdsFocus }?.0.label
    }

    /// Moves the focus from a removed control to the control that has replaced it, or to the row.
    /// The focus never moves to another button, because pressing the same key again would then do
    /// something else.
    private func keepFocus(_ pressed: String?) {
        switch shown?.control {
        case .toggle? where controls.first?.focus() == true: return
        case .buttons(let buttons)? where buttons.count == controls.count:
            let same = zip(buttons, controls).first { $0.0.label == pressed }
            if same?.1.focus() != true { row.focus() }
        default: row.focus()
        }
    }

    private func makeControls(_ row: Row) -> [Widget] {
        switch row.control {
        case .none, .entry, .choice: return []
        case .open: return [Icon("go-next-symbolic", size: 16)]
        case .buttons(let buttons):
            let made = buttons.indices.map { makeButton(buttons[$0], at: $0, of: row) }
            // Icons are small, but texts side by side may leave no room for the row's own text.
            let hasTexts = buttons.count > 1 && buttons.allSatisfy { $0.icon == nil }
            return hasTexts ? [ButtonBox(made, isVertical: isNarrow)] : made
        case .toggle(let isOn, _, _):
            let made = Switch { [weak self] in self?.switched(on: $0) }
            made.isOn = isOn
            made.setAccessibleName(row.title)
            return [made]
        case .busy(let button): return [Spinner()] + (button.map { [makeButton($0, at: 0, of: row)] } ?? [])
        }
    }

    private func makeButton(_ button: PageButton, at index: Int, of row: Row) -> Button {
        let pressed: @MainActor () -> Void = { [weak self] in self?.pressed(index) }
        // Translators: What a screen reader says for a button in a row of a list.
        let name = tr("{button}: {row}", ["button": button.label, "row": row.title])
        guard let icon = button.icon else {
            let made = Button(button.label, pressed)
            made.addStyle(button.style)
            made.setAccessibleName(name)
            return made
        }
        let made = Button(icon: icon, name: name, pressed)
        made.addStyle("flat")
        return made
    }

    private func pressed(_ index: Int) {
        switch shown?.control {
        case .buttons(let buttons)? where buttons.indices.contains(index): tell(.acted(buttons[index].action))
        case .busy(let button?)?: tell(.acted(button.action))
        default: break
        }
    }

    private func switched(on isOn: Bool) {
        if case .toggle(_, let on, let off)? = shown?.control { tell(.acted(isOn ? on : off)) }
    }
}

extension Row {
    /// Whether a click anywhere on the row counts as a click on its button. A button that destroys
    /// something must be clicked itself.
    fileprivate var isOneButton: Bool {
        guard case .buttons(let buttons) = control, buttons.count == 1 else { return false }
        return buttons[0].style != .destructive && buttons[0].icon == nil
    }
}

/// The visible part of a control. Actions may change without a new widget.
private enum Look: Hashable {
    case nothing
    case arrow
    case toggle
    case buttons([[String]], isBusy: Bool)

    var isBusy: Bool { if case .buttons(_, true) = self { true } else { false } }

    init(_ control: Row.Control) {
        func texts(_ buttons: [PageButton]) -> [[String]] { buttons.map { [$0.label, "\($0.style)", $0.icon ?? ""] } }
        self =
            switch control {
            case .none, .entry, .choice: .nothing
            case .open: .arrow
            case .toggle: .toggle
            case .buttons(let buttons): .buttons(texts(buttons), isBusy: false)
            case .busy(let button): .buttons(texts([button].compactMap(\.self)), isBusy: true)
            }
    }
}
