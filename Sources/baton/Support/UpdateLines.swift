// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import Glibc
import Synchronization
import Threads
import UserInfoJSON

/// The contents source of `--update`: each line of standard input replaces the contents.
///
/// Each line only marks the contents as changed. The daemon asks for the newest contents when a
/// device wants them.
final class UpdateLines: ActivityContents {
    /// The largest size of a line, in bytes.
    static let maximumLength = UserInfoJSON.maximumSize

    private let last = Mutex<UserInfo?>(nil)

    func begin(_ changed: @escaping @Sendable () -> Void) -> UserInfo? {
        // Read on a thread of its own, so that the end of the program does not wait for input.
        OwnThread.startOrDoHere { [self] in
            do { try read(changed) } catch { Output.warn("--update: \(error); the contents stay as they are") }
        }
        return nil
    }

    func newest() -> UserInfo? { last.withLock { $0.take() } }

    func stop() async {}

    private func read(_ changed: () -> Void) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { buffer.deallocate() }
        var lines = LineSplitter(limit: Self.maximumLength)
        while case let count = try Descriptor.read(into: buffer, from: STDIN_FILENO, called: "standard input"),
            count > 0
        {
            for line in lines.take(buffer[..<count]) { use(line, changed) }
        }
        if let line = lines.finish() { use(line, changed) }
    }

    private func use(_ line: LineSplitter.Line, _ changed: () -> Void) {
        do {
            guard let text = line.text else {
                throw UserInfoJSONError(path: [], message: "is longer than \(Self.maximumLength) bytes")
            }
            let contents = try UserInfoJSON.userInfo(parsing: text)
            try ActivityState.validate(userInfo: contents)
            last.withLock { $0 = contents }
            changed()
        } catch {
            Output.warn("--update: line \(line.number) is passed over: \(error)")
        }
    }
}
