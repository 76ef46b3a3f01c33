export declare const STAGES: Readonly<Record<string, object>>
export declare const TIERS: Readonly<Record<'quick' | 'full' | 'nightly', readonly string[]>>
/** The stages in their order, those of one run together. */
export declare function runsOf(stages: readonly string[]): string[][]
/** A line for each group of stages of the project that a run leaves out, with the reason. */
export declare function stagesNotRun(
  run: { readonly stages: readonly string[]; readonly areNamed?: boolean },
  lacking?: Readonly<Record<string, string | undefined>>,
): string[]
