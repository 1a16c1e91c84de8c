// SPDX-License-Identifier: Apache-2.0

// The browser's API. Both browsers have the same names in it, with promises.
export const api = globalThis.browser ?? globalThis.chrome;
export const action = api.action ?? api.browserAction;
