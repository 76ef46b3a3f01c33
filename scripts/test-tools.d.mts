/** What a system must have for the tests, and what it cannot have. */
export declare function toolsOf(platform?: string): {
  required: {
    name: string
    isHere: () => boolean
    package?: string
    pip?: string
    skips?: string
  }[]
  /** With the reason, and the reason by which test/support/needs.ts skips a test without it. */
  unavailable: { name: string; reason: string; skips?: string }[]
}

/** Installs what is missing where that is possible; the names of what is still missing. */
export declare function installTools(): string[]

/** The tests that CI does not accept as skipped on this system. */
export declare function unacceptedSkips<Test extends { readonly reasons: readonly string[] }>(
  skipped: readonly Test[],
  platform?: string,
): Test[]
