// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import Logging
import Synchronization
import Testing
import UserActivity

@testable import BatonProtocol
@testable import BatonService

extension ServiceTests {
    struct LogTests {
        @Test("No secret is in the log, not even at trace level")
        func noSecrets() async throws {
            let log = Log()
            var logger = Logger(label: "test") { _ in Handler(log: log) }
            logger.logLevel = .trace
            try await World.with { [logger] world in
                let (anna, berta) = try await world.pair(tcp: true, logger: logger)
                let invitation = try await anna.service.invite().text
                let carla = try await world.device("carla", logger: logger)
                try await carla.service.joinCircle(invitation)
                // What fails is logged most.
                await #expect(throws: ServiceError.self) { try await anna.service.joinCircle(invitation) }
                try await anna.publish(
                    "org.example.draw", userInfo: [.string("k"): .string("what is typed")], streams: true)
                let continued = try await berta.takeOver("org.example.draw")
                let (device, instance) = try await berta.service.parts(of: continued.id)
                let grant = try await berta.service.requestStreams(to: instance, on: device)
                _ = try await berta.attach([UInt8](repeating: 0, count: 16), at: anna)
                _ = try await berta.attach(grant.token, at: anna)

                var secrets: [[UInt8]] = [grant.token, Array("what is typed".utf8)]
                secrets.append(try Invitation(text: invitation, at: 0).secret)
                for service in [anna.service, berta.service] {
                    let identity = await service.identity
                    secrets.append(Array(identity.certificateKey.rawRepresentation))
                    secrets.append(Array(identity.signingKey.rawRepresentation))
                    secrets.append(Array(identity.agreementKey.rawRepresentation))
                    secrets.append(try #require(await service.circle?.secret.secretBytes))
                }
                secrets.append(try await berta.credential(of: anna).key.secretBytes)
                for device in [anna, berta, carla] { await device.service.stop() }

                let text = log.text
                #expect(text.contains("joined the circle"))
                for secret in secrets {
                    let hex = secret.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined()
                    #expect(!text.lowercased().contains(hex))
                    #expect(!text.contains(Data(secret).base64EncodedString().prefix { $0 != "=" }))
                    #expect(!text.contains(secret.map(String.init).joined(separator: ", ")))
                    #expect(!text.contains(String(decoding: secret, as: UTF8.self)))
                }
                #expect(!text.contains(invitation.trimmingCharacters(in: .whitespacesAndNewlines)))
            }
        }

        private final class Log: Sendable {
            private let lines = Mutex<[String]>([])
            var text: String { lines.withLock { $0.joined(separator: "\n") } }
            func add(_ line: String) { lines.withLock { $0.append(line) } }
        }

        private struct Handler: LogHandler {
            let log: Log
            var metadata: Logger.Metadata = [:]
            var logLevel = Logger.Level.trace

            init(log: Log) { self.log = log }

            subscript(metadataKey key: String) -> Logger.Metadata.Value? {
                get { metadata[key] }
                set { metadata[key] = newValue }
            }

            func log(event: LogEvent) {
                log.add("\(event.message) \(event.metadata ?? [:]) \(event.error.map { "\($0)" } ?? "")")
            }
        }
    }
}
