// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonClient

extension AsyncStream.Iterator {
    /// Returns the next element, and fails the test if there is none.
    mutating func required() async throws -> Element {
        guard let element = await next(isolation: nil) else {
            throw BatonError(.failed, appMessage: "the stream has ended")
        }
        return element
    }
}
