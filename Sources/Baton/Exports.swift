// SPDX-License-Identifier: Apache-2.0

// Apps import one module: what a connection tells of activities and streams is part of what it
// speaks in.
@_exported public import BatonClient
