export declare const TIERS: Readonly<Record<'quick' | 'full' | 'nightly', readonly string[]>>
/** The stages in their order, those of one run together. */
export declare function runsOf(stages: readonly string[]): string[][]
