// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What is not to be had on Linux is refused by the compiler, with what stands in its place.
@Suite(.timeLimit(.minutes(5))) struct AbsentNamesTests {
    private static let snippets = [
        ("final class Delegate: NSObject, UIApplicationDelegate {}", "renamed to 'ApplicationDelegate'"),
        ("final class Delegate: NSObject, NSApplicationDelegate {}", "renamed to 'ApplicationDelegate'"),
        ("func running(_ application: UIApplication) {}", "renamed to 'Application'"),
        ("func running(_ application: NSApplication) {}", "renamed to 'Application'"),
        ("final class Scenes: NSObject, UISceneDelegate {}", "Baton has no scenes: adopt ApplicationDelegate"),
        ("final class Scenes: NSObject, UIWindowSceneDelegate {}", "Baton has no scenes: adopt ApplicationDelegate"),
        (
            "func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {}",
            "Baton has no scenes: write application(_:continue:restorationHandler:)"
        ),
        ("final class Screen: UIResponder {}", "adopt the protocol UserActivityResponder"),
        ("final class Screen: NSResponder {}", "adopt the protocol UserActivityResponder"),
        ("@MainActor final class Window: NSUserActivityRestoring {}", "does not conform to protocol"),
        (
            """
            final class Delegate: ApplicationDelegate {
                func application(
                    _ application: Application, continue userActivity: NSUserActivity,
                    restorationHandler: @escaping @Sendable ([any UIUserActivityRestoring]?) -> Void
                ) -> Bool { true }
            }
            """, "does not match requirement"
        ),
        (
            """
            @MainActor final class Author: NSUserActivityDelegate {
                func userActivityWillSave(_ userActivity: NSUserActivity) {}
            }
            """, "main actor-isolated"
        ),
        // What compiles, so that the others are refused for their own sake.
        ("final class Delegate: NSObject, ApplicationDelegate {}", ""),
    ]

    @Test("The compiler says what stands in the place of a name that is not there")
    func compilerNamesSubstitute() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        // One file, or the compiler stops at the first that it refuses.
        var text = "import Baton\nimport Foundation\nimport UserActivity\n"
        for (number, (code, _)) in Self.snippets.enumerated() {
            text += "#sourceLocation(file: \"case\(number).swift\", line: 1)\nenum Case\(number) {\n\(code)\n}\n"
        }
        let file = directory.appending(path: "App.swift")
        try Data(text.utf8).write(to: file)
        let errors = try diagnostics(file).split(separator: "\n").filter { $0.contains(" error: ") }
        for (number, (code, words)) in Self.snippets.enumerated() {
            let own = errors.filter { $0.hasPrefix("case\(number).swift:") }
            if words.isEmpty {
                #expect(errors.count >= Self.snippets.count - 1 && own == [], "\(errors)")
            } else {
                #expect(own.contains { $0.contains(words) }, "\(code): \(own)")
            }
        }
    }

    /// What the compiler says of a file that sees what a program sees which uses the package.
    private func diagnostics(_ file: URL) throws -> String {
        let modules = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "Modules")
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let headers = try run("pkg-config", ["--cflags-only-I", "dbus-1"]).split(whereSeparator: \.isWhitespace)
            .flatMap { ["-Xcc", String($0)] }
        return try run(
            "swiftc",
            [
                "-typecheck", "-parse-as-library", "-swift-version", "6", "-diagnostic-style", "llvm",
                "-I", modules.path(), "-I", root.appending(path: "CModules/CDBus").path(),
            ] + headers + [file.path()])
    }

    /// What a program writes, wherever.
    private func run(_ program: String, _ arguments: [String]) throws -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let written = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: written, as: UTF8.self)
    }
}
