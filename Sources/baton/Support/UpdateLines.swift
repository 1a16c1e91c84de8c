// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization
import UserActivity

/// `--update`: each line of standard input is the contents from then on. The daemon hears of the
/// first that it has not asked for, and asks for the newest when a device wants it.
final class UpdateLines: ActivityContents {
    /// The longest line, in bytes.
    static let maximumLength = UserInfoJSON.maximumSize

    private let descriptor: Int32
    private let newest = Mutex<UserInfo?>(nil)

    /// - Parameter descriptor: Where the lines come from.
    init(descriptor: Int32 = STDIN_FILENO) { self.descriptor = descriptor }

    func begin(for activity: UserActivity) {
        // Whoever ends the program does not wait for what is still to be typed.
        let thread = Thread { [self] in
            do { try read(for: activity) } catch { Output.warn("--update: \(error); the contents stay as they are") }
        }
        thread.name = "baton-update"
        thread.start()
    }

    func save(into activity: UserActivity) {
        guard let contents = newest.withLock({ $0.take() }) else { return }
        do { try activity.setUserInfo(typed: contents) } catch { Output.warn("--update: \(error)") }
    }

    func stop() async {}

    private func read(for activity: UserActivity) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { buffer.deallocate() }
        var lines = LineSplitter(limit: Self.maximumLength)
        while case let count = try Descriptor.read(into: buffer, from: descriptor, called: "standard input"), count > 0
        {
            for line in lines.take(buffer[..<count]) { use(line, for: activity) }
        }
        if let line = lines.finish() { use(line, for: activity) }
    }

    private func use(_ line: LineSplitter.Line, for activity: UserActivity) {
        do {
            guard let text = line.text else {
                throw UserInfoJSONError(path: [], message: "is longer than \(Self.maximumLength) bytes")
            }
            let contents = try UserInfoJSON.userInfo(parsing: text)
            newest.withLock { $0 = contents }
            activity.needsSave = true
        } catch {
            Output.warn("--update: line \(line.number) is passed over: \(error)")
        }
    }
}
