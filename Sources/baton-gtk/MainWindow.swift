// SPDX-License-Identifier: Apache-2.0

import BatonBus
import GtkInterop
import WindowModel
import Wording

/// The window. It shows one page of the model, and passes on the user's actions.
@MainActor
final class MainWindow {
    private static let size = (width: 600, height: 720)

    private let window: ApplicationWindow
    private let overlay: ToastOverlay
    private let stack = Stack()
    private let back: Button
    private let tell: @MainActor (WindowEvent) -> Void
    private var width = MainWindow.size.width
    /// The open pages, the first one first.
    private var pages: [PageView] = []

    /// Creates a window that is not shown yet.
    ///
    /// - Parameter tell: Called with the user's actions.
    init(_ application: Application, _ tell: @escaping @MainActor (WindowEvent) -> Void) {
        self.tell = tell
        overlay = ToastOverlay(stack)
        window = ApplicationWindow(application, width: Self.size.width, height: Self.size.height, content: overlay)
        back = Button(icon: "go-previous-symbolic", name: tr("Back")) { tell(.acted(.back)) }
        window.addToHeaderStart(back)
        window.addMenu(name: tr("Main Menu"), [(tr("About Baton"), "app.about"), (tr("Close"), "app.close")])
        application.addStyles(PageView.styles)
        window.onResize { [weak self] width, _ in
            self?.width = width
            for page in self?.pages ?? [] { page.windowWidth = width }
        }
    }

    func present() { window.present() }
    func close() { window.close() }
    func copy(_ text: String) { window.copy(text) }

    /// Shows a page.
    ///
    /// - Parameters:
    ///   - depth: The number of pages above the first one.
    ///   - route: The subject of the page.
    func show(_ page: Page, depth: Int, route: Route) {
        window.setTitle(page.title)
        back.isVisible = depth > 0
        let isBack = pages.count > depth + 1
        // Take the focus from a button on the removed page, because otherwise no key would have an
        // effect.
        if isBack, pages.last?.root.hasFocus == true { window.clearFocus() }
        while pages.count > depth + 1 || pages.count == depth + 1 && pages[depth].route != route {
            let left = pages.removeLast()
            if let shown = pages.last { stack.show(shown.root) }
            stack.remove(left.root)
        }
        if pages.count <= depth {
            let opened = PageView(route, width: width, tell)
            pages.append(opened)
            stack.add(opened.root)
            opened.show(page)
            stack.show(opened.root)
            opened.focusFirst()
        } else {
            pages[depth].show(page)
        }
        if isBack, !window.hasFocusedWidget { pages.last?.focusFirst() }
    }

    /// Draws the controls of the shown page again, also those that have not changed.
    func drawAgain() { pages.last?.drawAgain() }

    func showPicture(_ pixels: [UInt8]) { pages.last?.showPicture(pixels) }

    /// Shows a short message.
    func showToast(_ text: String, _ button: PageButton?) {
        overlay.show(text, button: button?.label) { [tell] in
            if let button { tell(.acted(button.action)) }
        }
    }

    func ask(_ question: QuestionText, _ yes: @escaping @MainActor () -> Void) {
        window.ask(
            question.heading, question.text, cancel: question.cancel, confirm: question.confirm,
            isDestructive: question.isDestructive, yes)
    }

    func chooseReportFile(_ chosen: @escaping @MainActor (String) -> Void) {
        window.chooseFile(tr("Save the Report"), name: "baton-report.txt", save: tr("Save"), chosen)
    }

    /// Calls a closure when the window is hidden or shown again.
    func onShownChange(_ body: @escaping @MainActor (Bool) -> Void) { window.onShownChange(body) }

    func chooseFolder(_ chosen: @escaping @MainActor (String) -> Void) {
        window.chooseFolder(tr("Choose a Shared Folder"), choose: tr("Choose"), chosen)
    }

    func showAbout() {
        window.showAbout(
            name: tr("Baton"), icon: "org.batonproject.Baton", version: BatonVersion.current,
            text: tr("Start something on one laptop and continue it on another."))
    }
}
