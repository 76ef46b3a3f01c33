declare const __CONTRACT_VERSION__: string | undefined

/** The version of a program that runs from its sources, such as a gateway within a test. */
const UNBUILT = 'unbuilt'

/** Identifies the contract that the running program was built with: a digest of its source. */
export const CONTRACT_VERSION =
  typeof __CONTRACT_VERSION__ === 'undefined' ? UNBUILT : __CONTRACT_VERSION__

/**
 * Response header by which the window recognizes replies of its own contract. The gateway has
 * validated them, so the window does not validate them again.
 */
export const CONTRACT_VERSION_HEADER = 'x-isthmus-contract'

/** Whether a reply with this header is of the contract of the running program. */
export const isOwnContract = (version: string | null): boolean =>
  version === CONTRACT_VERSION || version === UNBUILT
