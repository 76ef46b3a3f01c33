import type { Evidence, Promised } from './promise.ts'
import { commitmentsTrue } from './promises/commitments-true.ts'
import { deliveredAtLast } from './promises/delivered-at-last.ts'
import { deliveredTheSame } from './promises/delivered-the-same.ts'
import { filesHaveRows } from './promises/files-have-rows.ts'
import { imagesKept } from './promises/images-kept.ts'
import { logSilent } from './promises/log-silent.ts'
import { patientsApart } from './promises/patients-apart.ts'
import { reportsKept } from './promises/reports-kept.ts'
import { rowsFromPartner } from './promises/rows-from-partner.ts'
import { signaturesAudited } from './promises/signatures-audited.ts'
import { signedUnchanged } from './promises/signed-unchanged.ts'
import { studiesKept } from './promises/studies-kept.ts'
import { BrokenPromise } from './stage.ts'

export const PROMISES: readonly Promised[] = [
  ...[studiesKept, reportsKept, signedUnchanged, deliveredTheSame, rowsFromPartner, logSilent],
  ...[
    imagesKept,
    filesHaveRows,
    patientsApart,
    commitmentsTrue,
    signaturesAudited,
    deliveredAtLast,
  ],
]

/** @throws BrokenPromise the first one */
export function checkPromises(evidence: Evidence, when: 'step' | 'day'): void {
  for (const promise of PROMISES) {
    if (when === 'step' && promise.when === 'day') continue
    const [first, ...more] = promise.check(evidence)
    if (first !== undefined)
      throw new BrokenPromise(
        promise.name,
        more.length > 0 ? `${first} (and ${more.length} more)` : first,
      )
  }
}
