// SPDX-License-Identifier: Apache-2.0

import Glibc

// Small apps that use NSUserActivity as public apps do. All of them were written for Baton. Each
// hands over between two devices in this process. The exit status is 0 if all do what they do on
// Apple's systems. The same files are compiled in Swift 5 mode, in Swift 6 mode, and with the main
// actor as the default isolation.
@main enum AppShapes {
    /// How long all shapes may take.
    nonisolated static let limit = Duration.seconds(180)

    @MainActor static let shapes: [(String, @MainActor () async throws -> Void)] =
        [
            ("a browser's tabs", tabs), ("a reader's articles", articles),
            ("an encyclopaedia's articles", encyclopaedia),
            ("notes that a search finds", notes), ("phrases for voice commands", phrases), ("a player", player),
            ("a timeline's scene", timeline), ("windows that come back", windows),
            ("a forwarding delegate", forwarding),
            ("links to a site", links), ("AppKit's delegate", conference), ("children that restore", children),
            ("types as an enum", reminders), ("documents", documents), ("responders", responders),
            ("a game's state by streams", game), ("a save that is acknowledged", save), ("one line of JSON", line),
            ("a thread with its own run loop", terminal), ("views with a typed payload", converter),
            ("a film in a responder", films), ("screens that a search finds", screens),
        ] + swift5Shapes

    @MainActor static func main() async {
        Task.detached {
            try await Task.sleep(for: limit)
            print("the shapes are not done after \(limit)")
            exit(1)
        }
        var failures = 0
        for (name, shape) in shapes {
            do {
                try await shape()
                print("ok      \(name)")
            } catch {
                failures += 1
                print("FAILED  \(name): \(error)")
            }
        }
        exit(failures == 0 ? 0 : 1)
    }
}
