import type { Promised } from '../promise.ts'

/**
 * What was saved is there, and what was signed; a call without an answer was done as a whole, or
 * not at all.
 */
export const reportsKept: Promised = {
  name: 'Nothing acknowledged is lost: reports',
  when: 'step',
  check: ({ ledger, reader }) =>
    [...ledger.reports.values()].flatMap((account) => {
      const found = reader.standingOf(account.studyId)
      if (account.asked && JSON.stringify(found) === JSON.stringify(account.asked))
        account.told = account.asked
      account.asked = undefined
      const told = JSON.stringify(account.told)
      return JSON.stringify(found) === told ? [] : [`${JSON.stringify(found)} in place of ${told}`]
    }),
}
