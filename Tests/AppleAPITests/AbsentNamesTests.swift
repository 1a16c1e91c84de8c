// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The compiler rejects names that do not exist on Linux, and suggests replacements.
@Suite(.timeLimit(.minutes(5))) struct AbsentNamesTests {
    private static let snippets = [
        ("final class Delegate: NSObject, UIApplicationDelegate {}", "renamed to 'ApplicationDelegate'"),
        ("final class Delegate: NSObject, NSApplicationDelegate {}", "renamed to 'ApplicationDelegate'"),
        ("func running(_ application: UIApplication) {}", "renamed to 'Application'"),
        ("func running(_ application: NSApplication) {}", "renamed to 'Application'"),
        ("final class Scenes: NSObject, UISceneDelegate {}", "renamed to 'ApplicationSceneDelegate'"),
        ("final class Scenes: NSObject, UIWindowSceneDelegate {}", "renamed to 'ApplicationSceneDelegate'"),
        ("func showing(_ scene: UIScene) {}", "renamed to 'ApplicationScene'"),
        ("func showing(_ scene: UIWindowScene) {}", "renamed to 'ApplicationScene'"),
        ("func showing(_ options: UIScene.ConnectionOptions) {}", "renamed to 'ApplicationScene'"),
        ("func restoring(_ session: UISceneSession) {}", "renamed to 'ApplicationSceneSession'"),
        ("func phrase(_ activity: NSUserActivity) { _ = activity.interaction }", "no member 'interaction'"),
        ("func place(_ activity: NSUserActivity) { _ = activity.mapItem }", "no member 'mapItem'"),
        ("func entity(_ me: NSUserActivity) { _ = me.appEntityIdentifier }", "no member 'appEntityIdentifier'"),
        ("final class Screen: UIResponder {}", "adopt the protocol UserActivityResponder"),
        ("final class Screen: NSResponder {}", "adopt the protocol UserActivityResponder"),
        ("@MainActor final class Window: NSUserActivityRestoring {}", "does not conform to protocol"),
        (
            """
            @MainActor final class Author: NSUserActivityDelegate {
                func userActivityWillSave(_ userActivity: NSUserActivity) {}
            }
            """, "main actor-isolated"
        ),
        // Valid code, which shows that the other files are rejected because of their own errors.
        ("final class Delegate: NSObject, ApplicationDelegate {}", ""),
    ]

    @Test("The compiler names the replacement of a missing name")
    func compilerNamesSubstitute() throws {
        // Each name has its own file, because the compiler stops at the first error.
        var text = "import Baton\nimport Foundation\nimport UserActivity\n"
        for (number, (code, _)) in Self.snippets.enumerated() {
            text += "#sourceLocation(file: \"case\(number).swift\", line: 1)\nenum Case\(number) {\n\(code)\n}\n"
        }
        let errors = try Compiler.diagnostics(of: text, swift: "6").split(separator: "\n").filter {
            $0.contains(" error: ")
        }
        for (number, (code, words)) in Self.snippets.enumerated() {
            let own = errors.filter { $0.hasPrefix("case\(number).swift:") }
            if words.isEmpty {
                #expect(errors.count >= Self.snippets.count - 1 && own == [], "\(errors)")
            } else {
                #expect(own.contains { $0.contains(words) }, "\(code): \(own)")
            }
        }
    }
}
