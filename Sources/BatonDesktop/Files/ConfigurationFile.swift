// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Descriptors
import Diagnosis
import FoundationEssentials
import Glibc

/// A text file of the user, which both Baton and the user edit. The file may be a symbolic link.
struct ConfigurationFile: Sendable {
    let url: URL
    /// The maximum size, in bytes.
    let limit: Int

    /// The directories to watch for changes of the file. If it is a symbolic link, those of all
    /// targets are included.
    var directories: [String] {
        chain.map { $0.deletingLastPathComponent().path }
            .reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The file and all targets that it links to. The last target does not always exist.
    private var chain: [URL] {
        var files = [url]
        // Follow at most 40 links, as Linux does.
        while files.count <= 40,
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: files[files.count - 1].path)
        {
            let directory = files[files.count - 1].deletingLastPathComponent().resolvingSymlinksInPath()
            files.append(URL(filePath: target, relativeTo: directory).standardizedFileURL)
        }
        return files
    }

    /// Reads the file, or an empty text if there is none.
    ///
    /// - Throws: ``BatonError``.
    func text() throws -> String {
        let lines = try lines()
        return try zip(1..., lines).map { number, line in
            guard let text = String(bytes: line, encoding: .utf8) else { throw notText(number) }
            return text
        }.joined(separator: "\n")
    }

    func lines() throws -> [ArraySlice<UInt8>] {
        do {
            return try FileContents.read(url.path, limit: limit)
                .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        } catch {
            switch error.code {
            case ENOENT, ENOTDIR: return []
            case EINVAL, ENXIO:
                throw failure(.failed, .fileNotRegular)
            case EFBIG:
                throw failure(.failed, .fileTooLarge, ["limit": .count(limit / 1_024)])
            case let code:
                throw failure(.failed, .fileUnreadable, ["reason": .reason(Reason(errno: code))])
            }
        }
    }

    func notText(_ line: Int) -> BatonError { failure(.failed, .fileNotText, ["line": .count(line)]) }

    private func failure(
        _ code: BatonError.Code, _ failure: FailureCode, _ values: [String: Reason.Value] = [:]
    ) -> BatonError {
        BatonError(code, Reason(failure, values).with("file", .text(url.path)))
    }

    /// Replaces the whole file.
    ///
    /// - Throws: ``BatonError``. After an error, nothing has changed.
    func replace(by text: String) throws {
        do {
            guard text.utf8.count <= limit else {
                throw failure(.limitReached, .fileFull, ["limit": .count(limit / 1_024)])
            }
            let target = chain.last ?? url
            try FileManager.default.createDirectory(
                at: target.deletingLastPathComponent(), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            let mode = try Self.mode(of: target.path)
            try PrivateFile(path: target.path, largest: limit).write(Data(text.utf8), mode: mode)
        } catch let error as PrivateFile.Failure {
            throw failure(.failed, .fileUnwritable, ["reason": .reason(error.explanation)])
        } catch let error as CocoaError {
            throw failure(.failed, .fileUnwritable, ["reason": error.reason])
        }
    }

    /// Returns the permissions for the new file. The new file keeps the existing file's
    /// permissions, because the user may have chosen them. Without an existing file, only the user
    /// gets access.
    ///
    /// - Throws: ``PrivateFile/Failure`` if the existing file is write-protected.
    private static func mode(of path: String) throws -> mode_t {
        var status = stat()
        guard stat(path, &status) == 0 else { return 0o600 }
        // Check the mode too, because access(2) lets root write to any file.
        guard status.st_mode & 0o222 != 0 else { throw PrivateFile.Failure("cannot write \(path)", EACCES) }
        guard access(path, W_OK) == 0 else { throw PrivateFile.Failure("cannot write \(path)", errno) }
        return status.st_mode & 0o777
    }
}

extension CocoaError {
    /// The system's reason.
    fileprivate var reason: Reason.Value {
        (underlying as? POSIXError).map { Reason.Value.reason(Reason(errno: $0.code.rawValue)) }
            ?? BatonError.reason(self)
    }
}
