// SPDX-License-Identifier: Apache-2.0

// This module's interface uses `OwnedDescriptor`.
@_exported public import Descriptors
