// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonClient
import Testing
import UserActivity

extension AsyncStream.Iterator {
    /// Returns the next element, and fails the test if there is none.
    mutating func required() async throws -> Element {
        guard let element = await next(isolation: nil) else {
            throw BatonError(.failed, appMessage: "the stream has ended")
        }
        return element
    }
}

extension AsyncStream<FakeDaemon.Call>.Iterator {
    /// Expects that the next calls publish an activity without unsaved contents and make it
    /// current.
    mutating func expectPublication(
        of activity: String = "a1", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let calls = [try await required(), try await required()]
        #expect(
            calls == [.published(activity, needsSave: false), .becameCurrent(activity)],
            sourceLocation: sourceLocation)
    }

    /// Returns the state of the next call, which must update the first activity.
    @discardableResult
    mutating func requiredUpdate(needsSave: Bool? = nil) async throws -> ActivityState {
        let call = try await required()
        guard case .updated("a1", let state, let saves) = call, needsSave == nil || saves == needsSave else {
            throw BatonError(.failed, appMessage: "not the update: \(call)")
        }
        return state
    }
}

extension AsyncStream<PublicationEvent>.Iterator {
    /// Expects that the next event is that the activity became current.
    mutating func expectCurrent() async throws {
        let event = try await required()
        guard case .becameCurrent = event else { throw BatonError(.failed, appMessage: "not current: \(event)") }
    }

    /// Expects that the next event is a warning.
    mutating func expectWarning() async throws {
        let event = try await required()
        guard case .warning = event else { throw BatonError(.failed, appMessage: "no warning: \(event)") }
    }

    /// Returns the error of the next event, which must be that the publication failed.
    mutating func requiredFailure() async throws -> BatonError {
        let event = try await required()
        guard case .failed(let error) = event else { throw BatonError(.failed, appMessage: "no failure: \(event)") }
        return error
    }
}
