// SPDX-License-Identifier: Apache-2.0

// The socket of a pair of streams.
@_exported public import Descriptors
