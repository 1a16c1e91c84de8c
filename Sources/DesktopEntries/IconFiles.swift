// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// The files in which an app's icon may be.
///
/// Source: Icon Theme Specification 0.13. Only the theme in which every app has its own icon,
/// `hicolor`, is looked at, and where icons were before there were themes.
public enum IconFiles {
    /// The directories of a theme, the best for an icon of some 24 pixels on any screen first.
    private static let directories = ["48x48", "64x64", "scalable", "128x128", "32x32", "256x256", "24x24", "512x512"]
    private static let suffixes = [".png", ".svg"]

    /// The files of an icon that are there, the best first.
    ///
    /// - Parameters:
    ///   - icon: What a desktop entry says: a name in the theme, or the path of a file.
    ///   - places: The directories of data, the first that counts first.
    /// - Returns: Their paths. What they hold has not been looked at.
    public static func paths(of icon: String, in places: [URL] = DesktopEntryIndex.dataDirectories) -> [String] {
        guard !icon.utf8.contains(0) else { return [] }
        let paths =
            icon.hasPrefix("/") ? [icon] : icon.contains("/") ? [] : places.flatMap { candidates(icon, in: $0.path) }
        return paths.filter(FileManager.default.fileExists)
    }

    private static func candidates(_ name: String, in place: String) -> [String] {
        let themed = directories.flatMap { size in
            suffixes.map { "\(place)/icons/hicolor/\(size)/apps/\(name)\($0)" }
        }
        return themed + suffixes.map { "\(place)/pixmaps/\(name)\($0)" }
    }
}
