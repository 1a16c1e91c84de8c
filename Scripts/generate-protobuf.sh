#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Writes BatonProtocol/Generated from the .proto files beside what they describe. Needs protoc (Debian: protobuf-compiler) and the
# protoc-gen-swift of the swift-protobuf that Package.swift asks for: PROTOC_GEN_SWIFT names it, else it is built from the
# package's own checkout.
set -eu
cd "$(dirname "$0")/.."

plugin=${PROTOC_GEN_SWIFT:-}
if [ -z "$plugin" ]; then
    swift package resolve
    checkout=.build/checkouts/swift-protobuf
    swift build --package-path "$checkout" -c debug --product protoc-gen-swift
    plugin=$(swift build --package-path "$checkout" -c debug --show-bin-path)/protoc-gen-swift
fi

sources=Sources/BatonProtocol
for folder in Circle Pairing Wire; do
    protoc --plugin=protoc-gen-swift="$plugin" --proto_path="$sources/$folder" \
        --swift_opt=Visibility=Internal --swift_opt=UseAccessLevelOnImports=true --swift_out="$sources/Generated" \
        "$sources/$folder"/*.proto
done

# The licence line that heads every file.
for file in "$sources"/Generated/*.pb.swift; do
    head -n 1 "$file" | grep -q SPDX || sed -i '1i // SPDX-License-Identifier: Apache-2.0\n' "$file"
done
