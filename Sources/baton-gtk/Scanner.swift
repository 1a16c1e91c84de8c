// SPDX-License-Identifier: Apache-2.0

import ChildProcesses
import Descriptors
import FoundationEssentials
import Glibc
import Synchronization
import Threads
import WindowModel

/// Runs `baton-camera`, the program of another package that uses the camera.
///
/// The program has GStreamer, which needs more memory than the window, and decodes pictures of
/// strangers. The window reads its messages on a thread of their own, and drops a picture that
/// comes before the previous one is shown. So a program that hangs or floods does not stop the
/// window.
@MainActor
final class Scanner {
    /// The longest time until the next message. GStreamer's first start on a computer takes long,
    /// because it looks at all of its plugins.
    private nonisolated static let patience = Duration.seconds(30)
    /// The shortest time between two messages, in microseconds.
    private nonisolated static let pace: UInt32 = 50_000

    /// The time from SIGTERM to SIGKILL for a program and its children.
    private static let farewell = Duration.seconds(1)

    private var scan: Task<Void, Never>?
    private var check: Task<Void, Never>?
    /// The programs that run, by process id.
    private var programs: [Int32: ChildProcess] = [:]

    /// The path of the program, such as `/usr/lib/baton/baton-camera` for `/usr/bin/baton-gtk`.
    private static var path: String? {
        guard let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else { return nil }
        let path = URL(filePath: own).deletingLastPathComponent().appending(path: "../lib/baton/baton-camera").path
        return access(path, X_OK) == 0 ? path : nil
    }

    /// Finds out whether the program is installed and this computer has a camera. Does nothing
    /// while an earlier call has not found it out.
    func lookForCamera(_ found: @escaping @MainActor (Bool) -> Void) {
        guard check == nil else { return }
        check = Task {
            let isThere = await hasCamera()
            check = nil
            found(isThere)
        }
    }

    private func hasCamera() async -> Bool {
        guard let path = Self.path,
            let program = try? await ChildProcess(path, ["check"], output: .none, error: .none)
        else { return false }
        programs[program.processIdentifier] = program
        let clock = Task {
            try await Task.sleep(for: Self.patience)
            await end(program)
        }
        defer { clock.cancel() }
        let result = try? await program.end
        await end(program)
        return result == .exited(0)
    }

    /// Begins to look for a code. An earlier scan ends before.
    ///
    /// - Parameters:
    ///   - picture: Called with each picture.
    ///   - ended: Called with the result, unless ``end()`` is called before.
    func begin(
        picture: @escaping @MainActor ([UInt8]) -> Void, _ ended: @escaping @MainActor (WindowEvent) -> Void
    ) {
        let earlier = scan
        earlier?.cancel()
        scan = Task {
            // The camera can be used by one program at a time.
            await earlier?.value
            guard !Task.isCancelled else { return }
            let event = await scanOnce(picture)
            if !Task.isCancelled { ended(event) }
        }
    }

    func end() { scan?.cancel() }

    /// Kills the programs and their children, because the window's process ends.
    func killPrograms() {
        for program in programs.values { program.sendToGroup(SIGKILL) }
    }

    private func end(_ program: ChildProcess) async {
        await program.endGroup(within: Self.farewell)
        programs[program.processIdentifier] = nil
    }

    /// Runs the program until it has a result or the task is cancelled.
    private func scanOnce(_ picture: @escaping @MainActor ([UInt8]) -> Void) async -> WindowEvent {
        guard let path = Self.path, let (own, other) = OwnedDescriptor.socketPair(), let its = other.take() else {
            return .scanFailed(.failed)
        }
        guard
            let program = try? await ChildProcess(
                path, ["scan"], input: .descriptor(its, close: {}), output: .descriptor(its, close: { close(its) }),
                error: .none)
        else {
            close(its)
            return .scanFailed(.failed)
        }
        programs[program.processIdentifier] = program
        let result = await withTaskCancellationHandler {
            (try? await OwnThread.run { try Self.result(from: own, picture) }) ?? .scanFailed(.failed)
        } onCancel: {
            own.withDescriptor { if let descriptor = $0 { shutdown(descriptor, Int32(SHUT_RDWR)) } }
        }
        // The program ends when its input is closed, unless it or its child hangs.
        own.close()
        await end(program)
        return result
    }

    /// Reads messages until the last one. Anything that is not a message is a failure.
    private nonisolated static func result(
        from program: OwnedDescriptor, _ picture: @escaping @MainActor ([UInt8]) -> Void
    ) throws -> WindowEvent {
        let isShowing = Flag()
        while true {
            switch try message(from: program) {
            case .code(let text): return .scanned(text)
            case .ended(let failure): return .scanFailed(failure)
            case .picture(let pixels) where isShowing.raise():
                Task { @MainActor in
                    isShowing.lower()
                    picture(pixels)
                }
            case .picture: break
            }
            usleep(pace)
        }
    }

    /// Waits for the next message.
    private nonisolated static func message(from program: OwnedDescriptor) throws -> ScannerMessage {
        let end = ContinuousClock.now + patience
        guard let header = try read(ScannerMessage.headerLength, from: program, until: end) else {
            return .ended(.silent)
        }
        guard let length = ScannerMessage.contentLength(after: header) else { throw ScanFailure.failed }
        guard let contents = try read(length, from: program, until: end) else { return .ended(.silent) }
        guard let message = ScannerMessage(header: header, contents: contents) else { throw ScanFailure.failed }
        return message
    }

    /// Reads exactly the given number of bytes. Returns nil if they do not come in time.
    private nonisolated static func read(
        _ count: Int, from program: OwnedDescriptor, until end: ContinuousClock.Instant
    ) throws -> [UInt8]? {
        guard let descriptor = program.withDescriptor({ $0 }) else { throw ScanFailure.failed }
        var (bytes, filled) = ([UInt8](repeating: 0, count: count), 0)
        while filled < count {
            let left = (end - ContinuousClock.now) / Duration.milliseconds(1)
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard left > 0 else { return nil }
            let ready = poll(&waiting, 1, Int32(left))
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { return nil }
            let got = bytes.withUnsafeMutableBytes { room in
                Glibc.read(descriptor, room.baseAddress.map { $0 + filled }, count - filled)
            }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { throw ScanFailure.failed }
            filled += got
        }
        return bytes
    }
}

/// A flag that one thread raises and another one lowers.
private final class Flag: Sendable {
    private let isUp = Mutex(false)

    /// Raises the flag. Returns whether it was down.
    func raise() -> Bool {
        isUp.withLock { isUp in
            defer { isUp = true }
            return !isUp
        }
    }

    func lower() { isUp.withLock { $0 = false } }
}
