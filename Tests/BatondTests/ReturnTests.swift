// SPDX-License-Identifier: GPL-3.0-or-later

import BatonProtocol
import BatonTesting
import Foundation
import Glibc
import Testing

/// Tests with real daemons and the real tool that a laptop that was removed while it was off can
/// come back to its circle.
@Suite(.serialized, .timeLimit(.minutes(3))) struct ReturnTests {
    private func state(_ root: URL) throws -> DeviceState {
        try DeviceState(encoded: Array(Data(contentsOf: RunningDaemon.state(in: root).appending(path: "state"))))
    }

    @Test("A laptop that is killed while it comes back is the old or the new device, and can try again")
    func killed() async throws {
        try await withDirectory { root in
            let other = root.appending(path: "other")
            try FileManager.default.createDirectory(
                at: other, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            let radio = root.appending(path: "radio")
            let desk = try await RunningDaemon.serving(in: root)
            var lap = try await RunningDaemon.serving(in: other, radio: radio)
            let file = root.appending(path: "invitation").path
            #expect(try await desk.baton(["circle", "create", "--name", "desk"]).status == 0)
            #expect(try await desk.baton(["circle", "invite", file]).status == 0)
            #expect(try await lap.baton(["circle", "join", file, "--name", "lap"]).status == 0)
            _ = await lap.end()
            #expect(try await desk.baton(["remove", "lap"]).status == 0)
            let former = try state(other)

            // Kill the daemon at each of the two steps of coming back.
            for moment in ["comes back as", "takes this device in"] {
                lap = try await RunningDaemon.serving(in: other, radio: radio)
                try FileManager.default.removeItem(atPath: file)
                #expect(try await desk.baton(["circle", "invite", file]).status == 0)
                let joining = Task { [lap] in try await lap.baton(["circle", "join", file]) }
                #expect(await lap.logs(moment))
                #expect(await lap.end(SIGKILL).signal == SIGKILL)
                _ = try await joining.value
                let left = try state(other)
                let circle = try #require(left.circle)
                #expect(circle.id == former.circle?.id && circle.roster.members[left.identity.id] != nil)
                let isNew = left.identity.id != former.identity.id
                #expect(isNew == circle.roster.isGone(former.identity.id))
                if isNew { break }
            }
            lap = try await RunningDaemon.serving(in: other, radio: radio)
            if try state(other).identity.id == former.identity.id {
                try FileManager.default.removeItem(atPath: file)
                #expect(try await desk.baton(["circle", "invite", file]).status == 0)
                let joined = try await lap.baton(["circle", "join", file])
                #expect(joined.status == 0 && joined.text.contains("desk"), "\(joined)")
            }
            // If the laptop was killed after the desk had added it, the circle keeps a member that
            // the laptop does not know: Circle.md, "Joining".
            let lapID = try state(other).identity.id.description
            // The laptop answers with its new keys while it can be heard.
            let publishing = Task { [lap] in
                try await lap.baton(["publish", "--type", "org.example.note", "--info", "text=milk", "--once"])
            }
            #expect(try await desk.baton(["nearby", "--wait", "60"]).status == 0)
            // A former device with the same name may still be a member, so the name has a number.
            let answer = try await desk.baton(["ping", lapID, "--count", "2"])
            #expect(answer.status == 0 && answer.text.contains(" answers over simulated"), "\(answer)")
            #expect(try await desk.baton(["continue", "--type", "org.example.note"]).status == 0)
            #expect(try await publishing.value.text.contains("continued on desk"))
            _ = await lap.end()
            _ = await desk.end()
        }
    }
}
