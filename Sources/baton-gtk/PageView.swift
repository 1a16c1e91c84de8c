// SPDX-License-Identifier: Apache-2.0

import GtkInterop
import WindowModel

/// Draws a page of the model, and keeps the widgets of unchanged parts.
@MainActor
final class PageView {
    /// Style rules that GTK and libadwaita lack.
    static let styles = """
        .baton-digits { font-weight: 800; font-feature-settings: "tnum"; }
        toast { border-radius: 24px; }
        """

    /// The width in pixels from which two buttons and a text fit into a row side by side.
    private static let wide = 480

    /// The subject of the page.
    let route: Route
    let root = Box()

    private let tell: @MainActor (WindowEvent) -> Void
    private let scrolled = PreferencesPage()
    private let top = PreferencesGroup()
    private var topBox: Box?
    private var buttonBox: Box?
    private var firstButton: Button?
    /// The sentence at the top, which changes while the user makes choices.
    private var sentence: Label?
    private var sections: [SectionView] = []
    private var pane: (group: PreferencesGroup, text: TextPane)?
    private var shown: Page?
    private var isStale = false
    private var digits: Label?
    private var camera: LivePicture?

    var windowWidth: Int {
        didSet {
            resizeDigits()
            buttonBox?.arrange(isVertical: isNarrow)
            for section in sections { section.isNarrow = isNarrow }
        }
    }

    private var isNarrow: Bool { windowWidth < Self.wide }

    init(_ route: Route, width: Int, _ tell: @escaping @MainActor (WindowEvent) -> Void) {
        (self.route, self.tell, windowWidth) = (route, tell, width)
        root.add(scrolled)
        scrolled.add(top)
    }

    func show(_ page: Page) {
        guard page != shown || isStale else { return }
        isStale = false
        if page.header != shown?.header || page.buttons != shown?.buttons { changeTop(page) }
        showSections(page.sections)
        showPane(page.text)
        shown = page
    }

    /// Draws the rows again when the page is shown the next time, also if it has not changed.
    func drawAgain() { isStale = true }

    /// Gives the keyboard focus to the first control.
    func focusFirst() { scrolled.focus() }

    /// Shows a picture of the camera, if the page has a place for it.
    func showPicture(_ pixels: [UInt8]) { camera?.show(pixels) }

    // MARK: - The top

    /// Draws the top of a page that is already shown, or for the first time. Makes screen readers
    /// say what is new.
    private func changeTop(_ page: Page) {
        if case .text(let text)? = page.header, page.buttons == shown?.buttons, let sentence {
            sentence.setText(text)
        } else {
            let hadFocus = topBox?.holdsFocus == true
            showTop(page)
            // The button that was pressed may be gone, and the focus with it.
            if hadFocus, firstButton?.focus() != true { focusFirst() }
        }
        if shown != nil, page.header != shown?.header, let news = page.header?.spoken { root.announce(news) }
    }

    private func showTop(_ page: Page) {
        if let topBox { top.removeWidget(topBox) }
        (topBox, buttonBox, firstButton, sentence, digits, camera) = (nil, nil, nil, nil, nil, nil)
        top.isVisible = page.header != nil || !page.buttons.isEmpty
        guard top.isVisible else { return }
        let box = Box(spacing: 12)
        switch page.header {
        case .status(let icon, let heading, let text)?:
            box.add(Icon(icon, size: 96))
            addTexts(heading, text, to: box)
        case .text(let text)?:
            let label = Label(text, style: "title-4", isAnnounced: true)
            sentence = label
            box.add(label)
        case .busy(let heading, let text)?:
            box.add(Spinner(size: 48))
            addTexts(heading, text, to: box)
        case .digits(let digits, let heading, let text)?:
            addTexts(heading, text, to: box)
            let label = Label(digits, style: "baton-digits")
            label.setAccessibleName(Page.Header.spoken(digits: digits))
            label.makeSelectable()
            self.digits = label
            resizeDigits()
            box.add(label)
        case .code(let code, let heading, let text)?:
            addTexts(heading, text, to: box)
            if let picture = Squares(code: code, name: heading) { box.add(picture) }
        case .camera(let heading, let text)?:
            addTexts(heading, text, to: box)
            let picture = LivePicture(width: ScannerMessage.width, height: ScannerMessage.height, name: heading)
            picture.activateOnEscape("app.end-scan")
            camera = picture
            box.add(picture)
        case nil: break
        }
        if !page.buttons.isEmpty { box.add(buttons(page.buttons)) }
        top.add(box)
        topBox = box
    }

    private func addTexts(_ heading: String, _ text: String, to box: Box) {
        box.add(Label(heading, style: "title-1", isAnnounced: true))
        if !text.isEmpty { box.add(Label(text, isAnnounced: true)) }
    }

    private func buttons(_ buttons: [PageButton]) -> Box {
        let box = Box(isVertical: isNarrow, spacing: 12)
        buttonBox = box
        box.centre()
        box.setMargin(12)
        for each in buttons {
            let button = Button(each.label) { [tell] in tell(.acted(each.action)) }
            button.addStyle("pill")
            button.addStyle(each.style)
            box.add(button)
            firstButton = firstButton ?? button
        }
        return box
    }

    /// Makes the digits so large that seven bold characters fit into the width of the page.
    private func resizeDigits() { digits?.setLetterSize(Double(min(windowWidth, 600) - 72) / 5.2) }

    // MARK: - The lists

    private func showSections(_ wanted: [Page.Section]) {
        if wanted.map(\.id) != sections.map(\.id) {
            let known = sections
            sections = wanted.map { section in
                known.first { $0.id == section.id } ?? SectionView(section.id, tell)
            }
            for gone in known where !sections.contains(where: { $0 === gone }) { scrolled.remove(gone.group) }
            // Sections that stay are not removed, so they keep the keyboard focus.
            var previous = top
            for section in sections {
                scrolled.put(section.group, below: previous)
                previous = section.group
            }
        }
        for (view, section) in zip(sections, wanted) {
            view.isNarrow = isNarrow
            view.show(section)
        }
    }

    private func showPane(_ text: String?) {
        guard let text else { return }
        if pane == nil {
            let made = (group: PreferencesGroup(), text: TextPane(name: shown?.title ?? ""))
            made.group.add(made.text)
            scrolled.add(made.group)
            pane = made
        }
        pane?.text.show(text)
    }
}

extension Widget {
    func addStyle(_ style: PageButton.Style) {
        switch style {
        case .plain: break
        case .suggested: addStyle("suggested-action")
        case .destructive: addStyle("destructive-action")
        }
    }
}
