/** Faults of a release tag, a sentence each. */
export declare function tagFaults(release: {
  tag: string
  version: string
  lockVersion: string
  changelog: string
  isOnMain: boolean
}): string[]

/** A workflow run as GitHub's REST API returns it, as far as it is used. */
export interface WorkflowRun {
  conclusion: string | null
  status: string
  head_sha: string
  path: string
  event: string
  created_at: string
}

/** Faults of the nightly runs of a commit, a sentence each: the newest completed run counts. */
export declare function nightlyFaults(commit: string, runs: readonly WorkflowRun[]): string[]
