// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The entry point of libFuzzer as a library.
///
/// Source: LLVM, "libFuzzer", section "Using libFuzzer as a library".
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// All fuzz targets in one program, so that they are built only once. `Fuzzing/run` calls it.
///
///     baton-fuzz list                     lists the targets, each with its longest input
///     baton-fuzz seeds TARGET DIRECTORY   writes valid inputs
///     baton-fuzz TARGET ARGUMENT...       runs libFuzzer on a target; with files, only tries these
@main
struct BatonFuzz {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "list" {
            for target in FuzzTarget.all { print(target.name, target.maximumLength) }
        } else if arguments.count == 3, arguments.first == "seeds", let target = named(arguments[2]) {
            writeSeeds(of: target, into: URL(filePath: arguments[3], directoryHint: .isDirectory))
        } else if let name = arguments.first, let target = named(name) {
            fuzz(target)
        } else {
            complain("usage: baton-fuzz list | seeds TARGET DIRECTORY | TARGET ARGUMENT...")
        }
    }

    /// The target to run, because libFuzzer calls a function without context.
    nonisolated(unsafe) private static var chosen: FuzzTarget?

    private static func named(_ name: String) -> FuzzTarget? { FuzzTarget.all.first { $0.name == name } }

    private static func fuzz(_ target: FuzzTarget) -> Never {
        chosen = target
        // libFuzzer takes the target's name for the program's name.
        var count = CommandLine.argc - 1
        var arguments = CommandLine.unsafeArgv + 1
        exit(
            runDriver(&count, &arguments) { bytes, count in
                do throws(FuzzFinding) {
                    try BatonFuzz.chosen?.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
                } catch {
                    FileHandle.standardError.write(Data("does not hold: \(error.rule)\n".utf8))
                    // libFuzzer keeps the input of a process that aborts.
                    abort()
                }
                return 0
            })
    }

    private static func writeSeeds(of target: FuzzTarget, into directory: URL) {
        do {
            for (index, seed) in try target.seeds().enumerated() {
                try FuzzFinding.unless("seed \(index) is right") { try target.run(seed) }
                try Data(seed).write(to: directory.appending(component: "seed-\(index)"))
            }
        } catch {
            complain("the seeds of \(target.name): \(error)")
        }
    }

    private static func complain(_ text: String) -> Never {
        FileHandle.standardError.write(Data("baton-fuzz: \(text)\n".utf8))
        exit(2)
    }
}
