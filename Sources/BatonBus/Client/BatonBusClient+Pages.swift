// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// Pages of other devices that the default browser is opening, for its extension.
extension BatonBusClient {
    /// The pages that were opened of late and that nobody has taken, then each that is; finishes
    /// when the bus goes.
    ///
    /// Begin anew when the daemon was restarted, as ``daemonPresence()`` tells.
    public func openedPages() async throws -> AsyncStream<OpenedPage> {
        let changes: AsyncStream<OpenedPage>
        do {
            changes = try await connection.signals(
                matching: DBusMatch(
                    sender: BatonBusName.bus, path: BatonBusName.path, interface: BatonBusName.offers,
                    member: "PageOpened")
            ) { OpenedPage($0) }
        } catch {
            throw BatonError.fromTheBus(error)
        }
        let reply = try await call(BatonBusName.offers, "FollowPages")
        let present = try (reply.first?.propertiesValue).orInvalid("reply", "pages")
        let (stream, continuation) = AsyncStream.makeStream(of: OpenedPage.self, bufferingPolicy: .bufferingNewest(16))
        for (page, address) in present.sorted(by: { $0.key < $1.key }) {
            if let address = address.stringValue { continuation.yield(OpenedPage(page: page, address: address)) }
        }
        let task = Task {
            for await page in changes { continuation.yield(page) }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Takes a page's activity, once: who asks next gets ``BatonError/Code/notFound``.
    ///
    /// - Parameter page: The page's id.
    public func takePage(_ page: String) async throws -> ContinuedActivity {
        let reply = try await call(BatonBusName.offers, "TakePage", [.string(page)])
        return try ContinuedActivity(continuation: "", bus: reply.first)
    }
}
