declare const __CONTRACT_VERSION__: string | undefined

/**
 * Identifies the contract that the running program was built with: a digest of its source. Without
 * a build (unit tests, the development server) all programs share one checkout.
 */
export const CONTRACT_VERSION =
  typeof __CONTRACT_VERSION__ === 'undefined' ? 'unbuilt' : __CONTRACT_VERSION__

/**
 * Response header by which the window recognizes replies of its own contract. The gateway has
 * validated them, so the window does not validate them again.
 */
export const CONTRACT_VERSION_HEADER = 'x-isthmus-contract'
