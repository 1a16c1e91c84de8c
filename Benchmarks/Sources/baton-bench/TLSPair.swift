// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// The baseline for continuing: a connection with mutual TLS 1.3 and one request, without Baton.
struct TLSOptions: ParsableArguments {
    @Option(help: "A certificate, PEM; the only one that either side accepts.")
    var certificate: String

    @Option(help: "Its private key, PEM.")
    var key: String

    /// Configures a side like Baton's channels: only TLS 1.3, with the peer's certificate pinned.
    func configure(_ configuration: inout TLSConfiguration) {
        configuration.minimumTLSVersion = .tlsv13
        configuration.certificateVerification = .noHostnameVerification
        configuration.applicationProtocols = ["bench/1"]
    }

    func chain() throws -> [NIOSSLCertificate] { try NIOSSLCertificate.fromPEMFile(certificate) }

    func handler(pinning chain: [NIOSSLCertificate]) -> NIOSSLCustomVerificationCallback {
        { presented, promise in
            promise.succeed(presented.first == chain.first ? .certificateVerified : .failed)
        }
    }
}

/// The size of a request, in bytes.
let requestLength = 64

struct TLSServe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tls-serve", abstract: "Answer every request with a given number of bytes; print the port.")

    @OptionGroup var tls: TLSOptions

    @Option(help: "The length of an answer in bytes.")
    var answer = 3_072

    func run() async throws {
        let chain = try tls.chain()
        var configuration = try TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(NIOSSLPrivateKey(file: tls.key, format: .pem)))
        tls.configure(&configuration)
        let context = try NIOSSLContext(configuration: configuration)
        let (options, length) = (tls, answer)
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        NIOSSLServerHandler(
                            context: context, customVerificationCallback: options.handler(pinning: chain)),
                        Answerer(length: length))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        try report(["port": server.localAddress?.port ?? 0])
        try await server.closeFuture.get()
    }
}

/// Sends the answer when a whole request has arrived.
private final class Answerer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let length: Int
    private var received = 0

    init(length: Int) { self.length = length }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += unwrapInboundIn(data).readableBytes
        guard received >= requestLength else { return }
        received -= requestLength
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(repeating: 0x61, count: length)), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

struct TLSRequest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tls-request",
        abstract: "For each line of standard input, connect, ask, and print how long the answer took.")

    @OptionGroup var tls: TLSOptions

    @Option(help: "The server's port.")
    var port: Int

    @Option(help: "The length of an answer in bytes.")
    var answer = 3_072

    func run() async throws {
        let chain = try tls.chain()
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateChain = chain.map { .certificate($0) }
        configuration.privateKey = .privateKey(try NIOSSLPrivateKey(file: tls.key, format: .pem))
        tls.configure(&configuration)
        let context = try NIOSSLContext(configuration: configuration)
        let clock = ContinuousClock()
        while readLine() != nil {
            let start = clock.now
            try await request(context, pinning: chain)
            try report(["milliseconds": (clock.now - start).milliseconds])
        }
    }

    private func request(_ context: NIOSSLContext, pinning chain: [NIOSSLCertificate]) async throws {
        let done = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Void.self)
        let (options, length) = (tls, answer)
        let channel: any Channel
        do {
            channel = try await ClientBootstrap(group: done.futureResult.eventLoop)
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandlers(
                            NIOSSLClientHandler(
                                context: context, serverHostname: nil,
                                customVerificationCallback: options.handler(pinning: chain)),
                            Asker(length: length, done: done))
                    }
                }
                .connect(host: "127.0.0.1", port: port).get()
        } catch {
            done.fail(error)
            throw error
        }
        try await done.futureResult.get()
        channel.close(promise: nil)
    }
}

/// Sends a request when it is connected, and finishes when the whole answer has arrived.
private final class Asker: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let length: Int
    private let done: EventLoopPromise<Void>
    private var received = 0

    init(length: Int, done: EventLoopPromise<Void>) {
        self.length = length
        self.done = done
    }

    func channelActive(context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(repeating: 0x62, count: requestLength)), promise: nil)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += unwrapInboundIn(data).readableBytes
        if received == length { done.succeed(()) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        done.fail(ChannelError.eof)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        done.fail(error)
        context.close(promise: nil)
    }
}
