// SPDX-License-Identifier: Apache-2.0

extension Array where Element: Sendable {
    /// Transforms all elements at once. Returns the results in the order of the elements.
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
}
