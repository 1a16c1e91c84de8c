// SPDX-License-Identifier: Apache-2.0

extension Array where Element: Sendable {
    /// Transforms all elements at once. Returns the results in the order of the elements.
    @discardableResult
    func concurrentMap<Result: Sendable>(
        _ transform: @escaping @Sendable (Element) async -> Result
    ) async -> [Result] {
        await withTaskGroup(of: (index: Int, result: Result).self) { group in
            for (index, element) in enumerated() { group.addTask { (index, await transform(element)) } }
            var found: [(index: Int, result: Result)] = []
            for await each in group { found.append(each) }
            return found.sorted { $0.index < $1.index }.map(\.result)
        }
    }

    /// Returns the elements for which a condition is true. Checks all elements at once. An error
    /// counts as false.
    func concurrentFilter(
        _ isIncluded: @escaping @Sendable (Element) async throws -> Bool
    ) async -> [Element] {
        let results = await concurrentMap { (try? await isIncluded($0)) == true }
        return zip(self, results).filter(\.1).map(\.0)
    }
}
