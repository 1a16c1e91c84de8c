// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BatonProtocol

/// Tests the state of an earlier version of Baton, in which devices did not prove their keys
/// (Tests/Vectors/README.md).
struct VersionOneVectors: Decodable {
    struct State: Decodable {
        var device: String
        var name: String
        var circle: String
        var state: Hex
    }
    var member: State
    var alone: State
    var invitation: String
}

@Suite struct UnprovedCircleTests {
    let vectors: VersionOneVectors

    init() throws { vectors = try BatonProtocolTests.vectors("version-1.json", as: VersionOneVectors.self) }

    @Test("The circle of an earlier version is ignored, but kept in the file")
    func earlierCircleIsSetAside() throws {
        var state = try DeviceState(encoded: vectors.member.state.bytes)
        #expect(state.identity.id.description == vectors.member.device && state.name == vectors.member.name)
        #expect(state.circle == nil && state.isCircleUnproved)
        // The earlier version can still read the file, whatever changes this version makes.
        #expect(try state.encoded() == vectors.member.state.bytes)
        state.name = "Another"
        let written = try DeviceState(encoded: state.encoded())
        #expect(written.isCircleUnproved && written.name == "Another")
        var renamed = written
        renamed.name = vectors.member.name
        #expect(try renamed.encoded() == vectors.member.state.bytes)
    }

    @Test("A device that leaves an earlier version's circle is a new device")
    func leavingAnEarlierCircle() throws {
        var state = try DeviceState(encoded: vectors.member.state.bytes)
        let old = state.identity.id
        state.leaveCircle(isRemoval: false)
        #expect(!state.isCircleUnproved && state.identity.id != old && state.name == vectors.member.name)
        let read = try DeviceState(encoded: state.encoded())
        #expect(!read.isCircleUnproved && read.circle == nil && read.identity.id == state.identity.id)
    }

    @Test("A device without a circle keeps its identity from an earlier version")
    func earlierDeviceGoesOn() throws {
        var state = try DeviceState(encoded: vectors.alone.state.bytes)
        #expect(state.identity.id.description == vectors.alone.device && state.name == vectors.alone.name)
        #expect(state.circle == nil && !state.isCircleUnproved)
        state.circle = try Circle(foundedBy: state.identity, name: state.name)
        #expect(try DeviceState(encoded: state.encoded()).circle == state.circle)
    }

    @Test("An invitation of another version is rejected with an error that says so")
    func invitationOfAnotherVersion() throws {
        #expect { try Invitation(text: vectors.invitation, at: 0) } throws: { error in
            (error as? CircleError)?.code == .malformed && "\(error)".contains("another version of Baton")
        }
    }
}
