// SPDX-License-Identifier: Apache-2.0

import Descriptors
import FoundationEssentials
import Glibc

/// The last valid content of `conditions.json`, which is read again after the file has changed.
struct ConditionsFile {
    enum Change: Hashable {
        case none
        case changed
        /// The file cannot be used, for this reason. The last valid conditions stay in use.
        case malformed(String)
    }

    /// The properties that distinguish one version of a file from the next.
    private struct Version: Hashable {
        var inode: UInt64
        var size: Int
        var seconds: Int
        var nanoseconds: Int
    }

    static let maximumSize = 1 << 20

    private(set) var conditions = AirConditions()
    private let path: String
    private var version: Version?

    init(path: String) { self.path = path }

    /// Reads the file if it has changed. Without a file the air is clear.
    mutating func refresh() -> Change {
        var status = stat()
        guard stat(path, &status) == 0 else {
            let changes = version != nil && conditions != AirConditions()
            version = nil
            conditions = AirConditions()
            return changes ? .changed : .none
        }
        let current = Version(
            inode: UInt64(status.st_ino), size: Int(status.st_size), seconds: status.st_mtim.tv_sec,
            nanoseconds: status.st_mtim.tv_nsec)
        guard current != version else { return .none }
        version = current
        return read()
    }

    private mutating func read() -> Change {
        do {
            let data = Data(try FileContents.read(path, limit: Self.maximumSize))
            let read = try JSONDecoder().decode(AirConditions.self, from: data)
            if let flaw = read.flaw { return .malformed(flaw) }
            conditions = read
            return .changed
        } catch let error as FileContents.Failure where error.code == EINVAL {
            return .malformed("it is not a file")
        } catch let error as FileContents.Failure where error.code == EFBIG {
            return .malformed("it is larger than 1 MiB")
        } catch let error as DecodingError {
            return .malformed(Self.explain(error))
        } catch {
            return .malformed("it cannot be read")
        }
    }

    private static func explain(_ error: DecodingError) -> String {
        let context: DecodingError.Context
        switch error {
        case .typeMismatch(_, let found), .valueNotFound(_, let found), .keyNotFound(_, let found),
            .dataCorrupted(let found):
            context = found
        @unknown default: return "it is not valid JSON"
        }
        let place = context.codingPath.map(\.stringValue).joined(separator: ".")
        return place.isEmpty ? "it is not valid JSON of the documented form" : "the value of \(place) is wrong"
    }
}
