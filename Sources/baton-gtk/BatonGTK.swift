// SPDX-License-Identifier: Apache-2.0

import Glibc
import GtkInterop
import Wording

/// Baton's window.
@main
struct BatonGTK {
    /// The D-Bus name, which is also the name of the desktop entry.
    static let identifier = "org.batonproject.BatonWindow"

    @MainActor
    static func main() {
        SessionLanguage.use()
        var controller: WindowController?
        let application = Application(identifier: identifier) { application in
            if let controller { return controller.present() }
            let opened = WindowController(application) { controller = nil }
            controller = opened
            opened.present()
        }
        exit(application.run())
    }
}
