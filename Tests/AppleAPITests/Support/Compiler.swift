// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs the compiler on a program that uses the package.
enum Compiler {
    /// Returns the compiler's messages about a file's text.
    ///
    /// - Parameter version: The version of the language.
    static func diagnostics(of text: String, swift version: String) throws -> String {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appending(path: "App.swift")
        try Data(text.utf8).write(to: file)
        let modules = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "Modules")
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let headers = try run("pkg-config", ["--cflags-only-I", "dbus-1"]).split(whereSeparator: \.isWhitespace)
            .flatMap { ["-Xcc", String($0)] }
        return try run(
            "swiftc",
            [
                "-typecheck", "-parse-as-library", "-swift-version", version, "-diagnostic-style", "llvm",
                "-I", modules.path(), "-I", root.appending(path: "CModules/CDBus").path(),
                "-I", root.appending(path: "CModules/CGettext").path(),
            ] + headers + [file.path()])
    }

    /// Collects a program's output.
    private static func run(_ program: String, _ arguments: [String]) throws -> String {
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
