// SPDX-License-Identifier: Apache-2.0

import Glibc
import GtkInterop
import WindowModel
import Wording

/// Baton's window.
@main
struct BatonGTK {
    @MainActor private static var controller: WindowController?

    @MainActor
    static func main() {
        SessionLanguage.use()
        let application = Application(identifier: BatonWindow.identifier) { present(in: $0) }
        application.addAction(BatonWindow.appsAction) { [unowned application] in present(in: application, at: .apps) }
        let status = application.run()
        controller?.end()
        exit(status)
    }

    /// Shows the only window.
    ///
    /// - Parameter route: The page to show, or nil for the present one.
    @MainActor
    private static func present(in application: Application, at route: Route? = nil) {
        let shown = controller ?? WindowController(application)
        controller = shown
        shown.present(at: route)
    }
}
