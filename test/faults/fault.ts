/** A fault that a developer could make, and the tests that have to find it. */
export interface Fault {
  /** `F-` and the area of its promise, such as `F-IMG-01`. */
  readonly id: string
  /** The promise of docs/PROMISES.md that it breaks. */
  readonly promise: string
  /** What is wrong, in a few words. */
  readonly what: string
  /** The source that is changed, from the root of the repository. */
  readonly file: string
  /** Text that occurs exactly once in the source, and what takes its place. */
  readonly find: string
  readonly replace: string
  /** Files of tests below test/, patterns among them: as few as find it. */
  readonly tests: readonly string[]
  /** The Vitest project of the tests, `unit` unless told. */
  readonly project?: 'unit' | 'isolated' | 'crash' | 'flows' | 'interop'
  /** What the tests need beside the sources: the built program. */
  readonly requires?: 'dist'
}

/** A fault without what is said once for a list of them. */
export type Planted = Omit<Fault, 'id' | 'tests'> & { readonly tests: string | readonly string[] }

/** Numbers the faults of an area in their order. */
export const ofArea = (area: string, faults: readonly Planted[]): Fault[] =>
  faults.map(({ tests, ...fault }, index) => ({
    ...fault,
    id: `F-${area}-${String(index + 1).padStart(2, '0')}`,
    tests: typeof tests === 'string' ? [tests] : tests,
  }))
