// SPDX-License-Identifier: Apache-2.0

/// The contents of the window: one page. A view draws the page, and knows nothing else of the
/// model.
public struct Page: Hashable, Sendable {
    /// The title in the header bar.
    public var title: String
    /// The large part at the top.
    public var header: Header?
    /// The buttons below the header, side by side.
    public var buttons: [PageButton] = []
    /// The lists.
    public var sections: [Section] = []
    /// A long text below the lists.
    public var text: String?

    /// The large part at the top of a page.
    public enum Header: Hashable, Sendable {
        /// An icon, a heading and a text.
        case status(icon: String, heading: String, text: String)
        /// A sentence, which screen readers read again when it changes.
        case text(String)
        /// A spinner, a heading and a text.
        case busy(heading: String, text: String)
        /// Digits as large as the window, below a heading.
        case digits(String, heading: String, text: String)
        /// A text as a QR code, below a heading.
        case code(String, heading: String, text: String)
        /// The camera's picture, below a heading. The picture itself is not part of the model.
        case camera(heading: String, text: String)

        /// The text that a screen reader says when this header replaces another one.
        public var spoken: String {
            switch self {
            case .text(let text): text
            case .status(_, let heading, let text), .busy(let heading, let text), .code(_, let heading, let text),
                .camera(let heading, let text):
                Self.joined(heading, text)
            case .digits(let digits, let heading, let text):
                Self.joined(heading, Self.spoken(digits: digits), text)
            }
        }

        /// Returns digits that are said one by one, not as a number.
        public static func spoken(digits: String) -> String {
            digits.filter(\.isNumber).map(String.init).joined(separator: " ")
        }

        /// Returns texts that stand on lines of their own.
        private static func joined(_ texts: String...) -> String {
            texts.filter { !$0.isEmpty }.joined(separator: "\n")
        }
    }

    /// A list with a heading.
    public struct Section: Hashable, Sendable {
        /// The name, which no other section of the page has.
        public var id: String
        /// The heading, or an empty text.
        public var title = ""
        /// The text below the heading, or an empty text.
        public var text = ""
        /// The rows.
        public var rows: [Row]
    }
}

/// A button.
public struct PageButton: Hashable, Sendable {
    /// A button's look.
    public enum Style: Hashable, Sendable { case plain, suggested, destructive }

    /// The text.
    public var label: String
    /// The look.
    public var style = Style.plain
    /// The icon that is shown instead of the text, which then names the button.
    public var icon: String?
    /// The action of a click.
    public var action: WindowAction

    init(_ label: String, _ action: WindowAction, style: Style = .plain, icon: String? = nil) {
        (self.label, self.action, self.style, self.icon) = (label, action, style, icon)
    }
}

/// One line of a list.
public struct Row: Hashable, Sendable {
    /// The control that a row offers to the user.
    public enum Control: Hashable, Sendable {
        /// Nothing.
        case none
        /// A click on the row does something, such as opening a page.
        case open(WindowAction)
        /// Buttons at the end of the row.
        case buttons([PageButton])
        /// A switch.
        case toggle(isOn: Bool, on: WindowAction, off: WindowAction)
        /// A choice between several texts, with an action for each.
        case choice([String], selected: Int, [WindowAction])
        /// A text that the user can change.
        case entry(String, Entry)
        /// A spinner, and a button that stops the work.
        case busy(PageButton?)
    }

    /// The meaning of a text that the user types.
    public enum Entry: Hashable, Sendable {
        /// This laptop's name.
        case name
        /// A code that the other laptop shows.
        case code
        /// The other laptop's address.
        case address
    }

    /// The name, which no other row of the section has.
    public var id: String
    /// The text.
    public var title: String
    /// The text below the title, or an empty text.
    public var subtitle = ""
    /// The name of the icon.
    public var icon: String?
    /// The row's control.
    public var control = Control.none
}
