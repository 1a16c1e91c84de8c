// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import Diagnosis
import Foundation
import Glibc
import SimulatedTransport
import Testing

@testable import BatonService

extension ServiceTests.CircleLane {
    struct StateTests {
        private func service(_ world: World, directory: String) throws -> HandoffService {
            try world.service(in: directory, radio: SimulatedRadio(directory: world.air.directory, address: "anna"))
        }

        /// Creates a new device's state in a directory.
        private func makeState(_ world: World, in directory: String) throws {
            _ = try service(world, directory: directory)
        }

        /// Returns a file's permissions. The function avoids the type `stat`, because the compiler
        /// finds several types with this name.
        private func mode(_ path: String) -> Int {
            let facts = try? FileManager.default.attributesOfItem(atPath: path)
            return (facts?[.posixPermissions] as? NSNumber)?.intValue ?? 0
        }

        private func refusal(_ world: World, _ directory: String) -> BatonError? {
            let error = #expect(throws: BatonError.self) { try service(world, directory: directory) }
            #expect(error?.code == .stateUnusable)
            #expect(error?.message.contains("\n") == false && error?.message.contains(directory) == true)
            return error
        }

        /// Writes a new device's state twice, with a umask of 0.
        ///
        /// Only the thread that writes has this umask, because other tests create files at the same
        /// time.
        private static func writeStateWithoutUmask(in directory: String) async throws {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                Thread.detachNewThread {
                    let written = Result {
                        guard unshare(0x200) == 0 else { throw Missing(what: "a umask for this thread") }
                        umask(0)
                        var store = try StateStore(directory: directory, name: "anna")
                        try store.update { $0.name = "another" }
                        store.release()
                    }
                    continuation.resume(with: written)
                }
            }
        }

        @Test("The state has mode 0600 in a directory with 0700, whatever the umask")
        func modes() async throws {
            try await World.with { world in
                let directory = world.stateDirectory("anna")
                try await Self.writeStateWithoutUmask(in: directory)
                #expect(mode(directory) == 0o700)
                #expect(mode(directory + "/state") == 0o600)
                #expect(mode(directory + "/lock") == 0o600)
                #expect(try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == ["lock", "state"])
            }
        }

        @Test("Two services cannot use one directory: the second reports that, and the first continues")
        func twoServices() async throws {
            try await World.with { world in
                let anna = try await world.device("anna")
                for _ in 0..<3 {
                    let error = #expect(throws: BatonError.self) { try service(world, directory: anna.directory) }
                    #expect(error?.code == .stateInUse && error?.reason?.failure == .stateTaken)
                }
                try await anna.service.createCircle(name: "")
                await anna.service.stop()
                _ = try service(world, directory: anna.directory)
            }
        }

        @Test("A state or directory that is open to others is refused and left as it was", arguments: ["", "/state"])
        func tooOpen(name: String) async throws {
            try await World.with { world in
                let directory = world.stateDirectory("anna")
                try makeState(world, in: directory)
                let before = try Data(contentsOf: URL(fileURLWithPath: directory + "/state"))
                chmod(directory + name, name.isEmpty ? 0o755 : 0o640)
                let refused = refusal(world, directory)
                #expect(refused?.reason?.failure == (name.isEmpty ? .stateOpenDirectory : .stateOpenFile))
                #expect(refused?.description.contains("chmod") == true)
                #expect(mode(directory + name) == (name.isEmpty ? 0o755 : 0o640))
                #expect(try Data(contentsOf: URL(fileURLWithPath: directory + "/state")) == before)
            }
        }

        enum Damage: CaseIterable { case empty, cut, bent, longer, huge, foreign }

        @Test("A damaged state is refused and left as it was, never replaced", arguments: Damage.allCases)
        func damaged(how: Damage) async throws {
            try await World.with { world in
                let directory = world.stateDirectory("anna")
                try makeState(world, in: directory)
                let file = URL(fileURLWithPath: directory + "/state")
                var bytes = try Data(contentsOf: file)
                switch how {
                case .empty: bytes = Data()
                case .cut: bytes.removeLast()
                case .bent: bytes[bytes.count / 2] ^= 1
                case .longer: bytes.append(0)
                case .huge: bytes.append(Data(count: DeviceState.maximumEncodedLength))
                case .foreign: bytes = Data("hello".utf8)
                }
                try bytes.write(to: file)
                chmod(file.path, 0o600)
                _ = refusal(world, directory)
                #expect(try Data(contentsOf: file) == bytes)
            }
        }

        @Test("A state file that is a link or a pipe is refused, and so is a state directory that is not a directory")
        func wrongKinds() async throws {
            try await World.with { world in
                let directory = world.stateDirectory("anna")
                try makeState(world, in: directory)
                let pipe = world.stateDirectory("berta")
                try FileManager.default.createDirectory(
                    atPath: pipe, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
                #expect(mkfifo(pipe + "/state", 0o600) == 0)
                #expect(refusal(world, pipe)?.reason?.failure == .stateNoFile)
                // Only root can give a file to another user. No chmod makes such a file usable.
                if geteuid() == 0 {
                    #expect(unlink(pipe + "/state") == 0 && chown(pipe, 65_534, 65_534) == 0)
                    #expect(refusal(world, pipe)?.reason?.failure == .stateForeign)
                }
                try FileManager.default.moveItem(atPath: directory + "/state", toPath: directory + "/real")
                try FileManager.default.createSymbolicLink(
                    atPath: directory + "/state", withDestinationPath: directory + "/real")
                _ = refusal(world, directory)
                _ = refusal(world, directory + "/real")
                _ = refusal(world, directory + "/real/below")
                let link = world.stateDirectory("carla")
                try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: directory)
                #expect(refusal(world, link)?.reason?.failure == .stateNoDirectory)
            }
        }

        @Test("After a restart the device has the same identity, circle and at least the same sequence number")
        func restart() async throws {
            try await World.with { world in
                let (anna, berta) = try await world.pair()
                let activity = try await anna.publish("note")
                _ = try await berta.offer(ofType: "note")
                let before = await anna.service.status()
                let sequence = try #require(await anna.service.advertising.advertiser?.current.sequence)
                await anna.service.stop()
                let error = await #expect(throws: BatonError.self) { try await anna.service.createCircle(name: "x") }
                #expect(error != nil)

                let again = try await world.device("anna")
                let after = await again.service.status()
                #expect(after.device == before.device && after.circle == before.circle)
                #expect(after.members.map(\.device) == before.members.map(\.device))
                #expect(after.members.map(\.name) == before.members.map(\.name))
                #expect(activity != (try await again.publish("note")))
                #expect(try #require(await again.service.advertising.advertiser?.current.sequence) > sequence)
                let continued = try await berta.takeOver("note")
                #expect(continued.deviceName == "anna")
            }
        }

        @Test(
            "A full disk stops new advertisements only when the reserved sequence numbers are used up, until there is space again"
        )
        func noRoomForTheSequence() async throws {
            try await World.with { world in
                let (anna, berta) = try await world.pair()
                func codes(_ device: Device) async -> Set<String> {
                    Set(await device.service.status().findings.map(\.code))
                }
                // The write fails, because a directory has the new file's name.
                let obstacle = anna.directory + "/state.new"
                try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
                await #expect(throws: BatonError.self) { try await anna.service.rename(to: "anna anew") }
                // There are still reserved sequence numbers.
                try await anna.publish("note")
                #expect(await codes(anna) == ["state-unwritable"])
                _ = try await berta.offer(ofType: "note")
                await anna.service.stop()
                let again = try await world.device("anna")
                try await again.publish("letter")
                #expect(await codes(again) == ["state-unwritable", "advertising-waits"])
                try FileManager.default.removeItem(atPath: obstacle)
                // When asked for the status, the device tries again.
                try await eventually("nothing to tell") { await codes(again).isEmpty }
                _ = try await berta.offer(ofType: "letter")
            }
        }

        @Test("A failed write is repeated once a second, however often the status is asked for")
        func triedAgainOnceASecond() async throws {
            try await World.with { world in
                let directory = world.stateDirectory("anna")
                var store = try StateStore(directory: directory, name: "anna")
                let obstacle = directory + "/state.new"
                try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
                #expect(throws: BatonError.self) { try store.update { $0.name = "another" } }
                store.lookAgain(at: .seconds(7))
                try FileManager.default.removeItem(atPath: obstacle)
                store.lookAgain(at: .milliseconds(7_999))
                #expect(store.failure != nil)
                store.lookAgain(at: .seconds(8))
                #expect(store.failure == nil && store.state.name == "anna")
            }
        }

        @Test("A device name that is invalid, or that looks like an id, is not written")
        func invalidName() async throws {
            try await World.with { world in
                for name in ["", String(repeating: "a", count: 64), "a\u{7}", "00412345"] {
                    let directory = world.stateDirectory("\(name.utf8.count)")
                    for _ in 0..<2 {
                        let service = try world.service(
                            named: name, in: directory, radio: SimulatedRadio(directory: world.air.directory))
                        #expect(await service.status().deviceName == "laptop")
                        await service.stop()
                    }
                }
            }
        }
    }
}

/// Gives the calling thread parts of the process of its own: with 0x200 of linux/sched.h its umask.
/// Swift does not import this function of the C library.
@_silgen_name("unshare")
private func unshare(_ flags: CInt) -> CInt
