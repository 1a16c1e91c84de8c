// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// A real https server on loopback, with a domain's name.
public final class TestSite: Sendable {
    /// An answer of the server.
    public struct Answer: Sendable {
        /// The HTTP status.
        public var status: Int
        /// The headers, besides the length of the body.
        public var headers: [(String, String)]
        /// The body.
        public var body: [UInt8]
        /// Whether the answer declares the length of the body.
        public var saysLength: Bool
        /// Whether the server sends only the headers and then nothing.
        public var hangs: Bool

        /// Creates an answer.
        public init(
            _ body: [UInt8] = [], status: Int = 200, headers: [(String, String)] = [], saysLength: Bool = true,
            hangs: Bool = false
        ) {
            (self.body, self.status, self.headers) = (body, status, headers)
            (self.saysLength, self.hangs) = (saysLength, hangs)
        }

        /// Returns a file that approves these apps.
        public static func approving(_ apps: String..., headers: [(String, String)] = []) -> Answer {
            let list = apps.map { "\"\($0)\"" }.joined(separator: ",")
            return Answer(Array(#"{"activitycontinuation":{"apps":[\#(list)]}}"#.utf8), headers: headers)
        }

        /// The answer that there is no such file.
        public static let absent = Answer(status: 404)
    }

    /// A request to the server.
    public struct Question: Sendable {
        /// The path.
        public var path: String
        /// All headers, by lower-case name.
        public var headers: [String: String]
    }

    /// A separate thread, because other tests may keep NIO's shared ones busy for longer than the
    /// client waits.
    private static let threads = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// The port on 127.0.0.1.
    public let port: Int
    private let channel: any Channel
    private let box: Box

    private struct State {
        var answers: [String: Answer]
        var questions: [Question] = []
    }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - domain: The name in its certificate.
    ///   - authority: The authority that signs the certificate.
    ///   - days: For how many days the certificate is valid.
    ///   - isOutdated: Whether the server supports only TLS 1.1 and older.
    ///   - answers: The answers by path. Any other path is absent.
    public static func start(
        _ domain: String, _ authority: TestAuthority, days: Int = 1, isOutdated: Bool = false,
        _ answers: [String: Answer]
    ) async throws -> TestSite {
        var configuration = try authority.server(domain, days: days)
        if isOutdated { configuration.maximumTLSVersion = .tlsv11 }
        let context = try NIOSSLContext(configuration: configuration)
        let state = Box(State(answers: answers))
        let channel = try await ServerBootstrap(group: threads)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLServerHandler(context: context))
                    try pipeline.configureHTTPServerPipeline()
                    try pipeline.addHandler(Handler(site: state))
                }
            }.bind(host: "127.0.0.1", port: 0).get()
        return TestSite(channel, state)
    }

    private init(_ channel: any Channel, _ box: Box) {
        self.channel = channel
        self.box = box
        port = channel.localAddress?.port ?? 0
    }

    /// The requests so far.
    public var questions: [Question] { box.state.withLock { $0.questions } }

    /// Replaces the answers.
    public func change(_ answers: [String: Answer]) { box.state.withLock { $0.answers = answers } }

    /// Stops the server.
    public func stop() async throws { try await channel.close() }

    private final class Box: Sendable {
        let state: Mutex<State>
        init(_ state: State) { self.state = Mutex(state) }

        func answer(_ question: Question) -> Answer {
            state.withLock { state in
                state.questions.append(question)
                return state.answers[question.path] ?? .absent
            }
        }
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let site: Box
        init(site: Box) { self.site = site }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .head(let head) = unwrapInboundIn(data) else { return }
            let headers = Dictionary(head.headers.map { ($0.name.lowercased(), $0.value) }) { first, _ in first }
            let answer = site.answer(Question(path: head.uri, headers: headers))
            var fields = HTTPHeaders(answer.headers)
            if answer.saysLength { fields.replaceOrAdd(name: "content-length", value: "\(answer.body.count)") }
            let response = HTTPResponseHead(
                version: .http1_1, status: .init(statusCode: answer.status), headers: fields)
            context.writeAndFlush(wrapOutboundOut(.head(response)), promise: nil)
            if answer.hangs { return }
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: answer.body)))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }

        // A client that disconnects does not cause a failure.
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
