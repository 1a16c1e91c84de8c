// SPDX-License-Identifier: Apache-2.0

internal import ChildProcesses
internal import Foundation

/// Runs a program in a sandbox like Flatpak's.
///
/// bubblewrap makes the sandbox, with a root of its own that contains this machine's directories.
public enum Sandbox {
    /// The kind of file at `/.flatpak-info`. Flatpak names the app there.
    public enum Information: Sendable {
        /// No file, as in a sandbox that is not Flatpak's.
        case absent
        /// A file with this text, which the sandboxed program cannot change.
        case file(String)
        /// A symbolic link.
        case link(to: String)
        /// A directory.
        case directory
        /// A bind mount of a path of this machine, such as a named pipe.
        case path(String)

        /// Returns the `/.flatpak-info` that Flatpak writes for an app.
        public static func application(_ id: String) -> Information {
            .file("[Application]\nname=\(id)\nruntime=runtime/org.example.Platform/x86_64/1\n")
        }
    }

    /// Runs a command in a sandbox, on a session bus, and waits for it to end.
    ///
    /// - Returns: The command's exit status and its whole output.
    public static func run(
        _ command: [String], information: Information, bus: String
    ) async throws -> (status: Int32, text: String) {
        let (input, output) = (Pipe(), Pipe())
        var place: [String] = []
        switch information {
        case .absent: break
        case .file(let text):
            // Writing does not block, because the text fits into a pipe.
            try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
            place = ["--ro-bind-data", "0", "/.flatpak-info"]
        case .link(let target): place = ["--symlink", target, "/.flatpak-info"]
        case .directory: place = ["--dir", "/.flatpak-info"]
        case .path(let path): place = ["--ro-bind", path, "/.flatpak-info"]
        }
        try input.fileHandleForWriting.close()
        let process = try await ChildProcess(
            "/usr/bin/bwrap", directories() + place + ["--die-with-parent", "--"] + command,
            environment: .only([
                "DBUS_SESSION_BUS_ADDRESS": bus, "PATH": "/usr/bin:/bin",
                "HOME": PrivateBus.home(of: bus).path,
            ]), input: .handle(input.fileHandleForReading), output: .handle(output.fileHandleForWriting),
            error: .handle(output.fileHandleForWriting))
        let text = try await output.fileHandleForReading.allUpcoming()
        return (try await process.end.status, String(decoding: text, as: UTF8.self))
    }

    /// Returns the path of a program that was built with the tests.
    public static func built(_ name: String) throws -> String {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(filePath: tests).deletingLastPathComponent().appending(path: name).path
    }

    /// Returns arguments that mount this machine's directories. The sandbox gets its own /dev and
    /// /proc.
    private static func directories() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/").sorted().flatMap { name -> [String] in
            let path = "/" + name
            if ["proc", "dev", ".flatpak-info"].contains(name) { return [] }
            if let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) {
                return ["--symlink", target, path]
            }
            var isDirectory = ObjCBool(false)
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue else {
                return []
            }
            return ["--bind", path, path]
        } + ["--dev", "/dev", "--proc", "/proc"]
    }
}
