// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import Foundation
import Testing

/// Tests real daemons whose state is on a file system that is full or read-only, in a mount
/// namespace of their own.
@Suite(.serialized, .timeLimit(.minutes(3))) struct DiskTests {
    @Test("On a full file system changes are refused, the old state stays, and work resumes when there is room")
    func full() async throws {
        try await withDirectory { root in
            let disk = try Disk(root, "size=256k")
            let daemon = try await RunningDaemon.serving(in: root, limits: disk.shell.prelude)
            #expect(try await daemon.baton(["rename", "before"]).status == 0)
            try await disk.shell.run("! cat /dev/zero >\(disk.path)/filler 2>/dev/null")
            // The daemon checks once a second for free space, however often a client asks.
            while try await daemon.baton(["doctor", "daemon"]).status != 2 {}
            try await expectRefusal(daemon, "No space left on device")
            try await disk.shell.run("rm \(disk.path)/filler")
            #expect(try await daemon.baton(["rename", "after"]).status == 0)
            #expect(try await daemon.baton(["status"]).text.contains("after"))
            _ = await daemon.end()
        }
    }

    @Test("If nothing can be written when batond starts, the log and the doctor report it before the first write")
    func fullAtTheStart() async throws {
        try await withDirectory { root in
            let daemon = try await RunningDaemon.serving(in: root)
            #expect(try await daemon.baton(["circle", "create"]).status == 0)
            _ = await daemon.end()
            let disk = try Disk(root, "size=256k", isFull: true)
            let again = try await RunningDaemon.serving(in: root, limits: disk.shell.prelude)
            let told = try await again.baton(["doctor", "daemon"])
            #expect(told.status == 2 && told.text.contains("No space left on device"), "\(told.text)")
            try await disk.shell.run("rm \(disk.path)/filler")
            #expect(try await again.baton(["rename", "after"]).status == 0)
            #expect(try await again.baton(["doctor", "daemon"]).status == 0)
            #expect(await again.end().log.contains("what this device has to keep cannot be written"))
        }
    }

    @Test("A file system that becomes read-only has the same effect as a full one")
    func becomesReadOnly() async throws {
        try await withDirectory { root in
            let disk = try Disk(root, "rw")
            let daemon = try await RunningDaemon.serving(in: root, limits: disk.shell.prelude)
            #expect(try await daemon.baton(["rename", "before"]).status == 0)
            // Mount over the other file system, which the daemon's lock keeps writable.
            try await disk.shell.run("mount --bind \(disk.path) \(disk.path)")
            try await disk.shell.run("mount -o remount,ro,bind \(disk.path)")
            try await expectRefusal(daemon, "Read-only file system")
            try await disk.shell.run("umount \(disk.path)")
            #expect(try await daemon.baton(["rename", "after"]).status == 0)
            _ = await daemon.end()
        }
    }

    @Test("If the file system is read-only from the start, batond only reports that, and serves nothing else")
    func readOnly() async throws {
        try await withDirectory { root in
            let disk = try Disk(root, "ro")
            let daemon = try await RunningDaemon.serving(in: root, limits: disk.shell.prelude)
            let status = try await daemon.baton(["status"])
            #expect(status.status == 0 && status.text.contains("Read-only file system"), "\(status.text)")
            let refused = try await daemon.baton(["circle", "create"])
            #expect(refused.status != 0 && refused.text.contains("Read-only file system"), "\(refused.text)")
            _ = await daemon.end()
        }
    }

    private func expectRefusal(_ daemon: RunningDaemon, _ reason: String) async throws {
        let refused = try await daemon.baton(["rename", "never"])
        #expect(refused.status != 0 && refused.text.contains(reason), "\(refused.text)")
        let status = try await daemon.baton(["status"])
        #expect(status.text.contains("before") && !status.text.contains("never"), "\(status.text)")
    }
}

/// A daemon's state directory as a file system that only that daemon sees.
private struct Disk {
    /// The path of the mount, for the shell's commands.
    let path: String
    let shell: Namespace

    /// Mounts a file system.
    ///
    /// - Parameters:
    ///   - options: The options of the mount.
    ///   - isFull: Whether the file system has the present state and no further space.
    init(_ root: URL, _ options: String, isFull: Bool = false) throws {
        let state = RunningDaemon.state(in: root)
        try FileManager.default.createDirectory(
            at: state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        path = state.path
        let mount = "mount -t tmpfs -o \(options),mode=700 tmpfs \(path)"
        let filled = """
            cp -a \(path) \(path).before && \(mount) && cp -a \(path).before/. \(path) \
                && { cat /dev/zero >\(path)/filler 2>/dev/null || true; }
            """
        shell = Namespace(root, unsharing: "--mount", first: isFull ? filled : mount)
    }
}
