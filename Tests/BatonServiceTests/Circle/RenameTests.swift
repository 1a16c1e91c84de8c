// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import Foundation
import Testing

@testable import BatonProtocol
@testable import BatonService

extension ServiceTests.CircleLane {
    /// Tests the effects of a member's signed name, and of the name in its hello.
    struct RenameTests {
        @Test("The name in a hello has no effect, and only the signed name counts")
        func helloNamesNobody() async throws {
            try await World.withReachablePair { anna, berta in
                let speaker = try await Speaker(berta, at: anna)
                speaker.hello.name = "anna"
                try await speaker.say()
                #expect(await anna.memberNames == ["anna", "berta"])
                #expect(await anna.service.name(of: berta.identityID) == "berta")
                speaker.close()
            }
        }

        @Test(
            "Offers and hand-overs distinguish two devices of the same name, and the members' names stay unchanged"
        )
        func sameNames() async throws {
            try await World.withPair { anna, berta in
                try await berta.publish("note")
                _ = try await anna.takeOver("note")
                try await berta.service.rename(to: "Anna")
                try await anna.knows(["Anna", "anna"])
                let label = "Anna (\(await berta.identityID))"
                #expect(await anna.service.offers().map(\.deviceName) == [label])
                #expect(try await anna.takeOver("note").deviceName == label)
                #expect(try await anna.service.ping(berta.identityID.description).deviceName == label)
            }
        }

        @Test("A member that renames itself endlessly causes one write in ten minutes, and then the last name counts")
        func manyNames() async throws {
            try await World.withReachablePair { anna, berta, clock in
                var circle = try #require(await berta.service.circle)
                let (identity, device) = (await berta.service.identity, await berta.identityID)
                var speaker = try await Speaker(berta, at: anna)
                func rename(_ number: Int) async throws {
                    try circle.rename(to: "berta \(number)", by: identity)
                    try await speaker.say(circle.encoded())
                }
                try await rename(1)
                #expect(await anna.memberNames == ["anna", "berta 1"])
                let written = try Stamp(anna)
                for number in 2...20 { try await rename(number) }
                #expect(await anna.memberNames == ["anna", "berta 1"])
                #expect(try Stamp(anna) == written)
                #expect(await anna.service.store.state.acknowledged.contains(device), "it knows the rest")
                clock.advance(by: NamePace.limit.interval)
                try await anna.knows(["anna", "berta 20"])
                // The connection was closed because it was idle, so open another.
                speaker = try await Speaker(berta, at: anna)
                // The acknowledgement of this name is also written to the file.
                try await speaker.say(circle.encoded())
                let writtenAgain = try Stamp(anna)
                try await rename(21)
                #expect(await anna.memberNames == ["anna", "berta 20"])
                #expect(try Stamp(anna) == writtenAgain)
                speaker.close()
            }
        }

        @Test("A name that waits to be written is not lost when another member forges a name")
        func forgedName() throws {
            let (anna, berta) = (DeviceIdentity(), DeviceIdentity())
            var circle = try Circle(foundedBy: anna, name: "anna")
            try circle.add(JoinRequest(berta, name: "berta", circle: circle.id), by: anna)
            func news(_ statement: Statement) throws -> CircleNews {
                var message = circle.message
                message.statements.append(statement.message)
                return try #require(try CircleNews(message).naming(of: berta.id))
            }
            var subject = NamePace()
            subject.renamed(at: .zero)
            subject.keep(
                try news(Statement(naming: berta, "true", in: circle.id, revision: 1)), for: circle, by: anna)
            let other = try Circle(foundedBy: berta, name: "other").id
            subject.keep(
                try news(Statement(naming: berta, "forged", in: other, revision: 2)), for: circle, by: anna)
            #expect(subject.deadline == NamePace.limit.interval)
            let early = subject.takeDue(at: .seconds(599))
            #expect(early == nil)
            let due = subject.takeDue(at: NamePace.limit.interval)
            _ = try circle.merge(#require(due), by: anna)
            #expect(circle.roster.members[berta.id]?.name == "true")
        }

        /// Identifies a written version of a device's state file.
        private struct Stamp: Equatable {
            let file: UInt64
            let time: Date

            init(_ device: Device) throws {
                let attributes = try FileManager.default.attributesOfItem(atPath: device.directory + "/state")
                file = try #require(attributes[.systemFileNumber] as? UInt64)
                time = try #require(attributes[.modificationDate] as? Date)
            }
        }
    }
}
