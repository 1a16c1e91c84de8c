// SPDX-License-Identifier: Apache-2.0

// Apps import this module only, and its interface uses the types of BatonClient.
@_exported public import BatonClient
@_exported public import MainLoop
