// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BatonService

/// Tests the functions that work on all elements of an array at once.
struct ConcurrentArrayTests {
    @Test("All elements are transformed at once, and the results have the order of the elements")
    func order() async {
        let second = Waiters<Void>()
        let results = await [1, 2].concurrentMap { number in
            // The first element ends only after the second.
            if number == 1 { try? await second.value() } else { second.resolve(with: .success(())) }
            return number * 10
        }
        #expect(results == [10, 20])
    }

    @Test("An element whose check throws is left out")
    func failures() async {
        let kept = await [1, 2, 3].concurrentFilter { number in
            if number == 2 { throw CancellationError() }
            return number != 3
        }
        #expect(kept == [1])
    }
}
