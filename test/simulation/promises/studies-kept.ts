import { findStudy } from '#server/modules/studies/study-queries.ts'
import type { StudyAccount } from '../ledger.ts'
import type { Promised } from '../promise.ts'
import type { Reader } from '../reader.ts'

/**
 * Each create and change that was answered 2xx is there; one without an answer is there as a whole,
 * or not at all.
 */
export const studiesKept: Promised = {
  name: 'Nothing acknowledged is lost: studies',
  when: 'step',
  check: ({ ledger, reader }) =>
    [...ledger.studies.values()].flatMap((account) => {
      const found = JSON.stringify(viewOf(reader, account))
      const { told, asked } = account
      if (asked && found === JSON.stringify(asked)) account.told = asked
      account.asked = undefined
      return found === JSON.stringify(account.told)
        ? []
        : [`${told.studyDescription}: ${found} in place of ${JSON.stringify(told)}`]
    }),
}

function viewOf({ store }: Reader, { studyId }: StudyAccount) {
  const study = findStudy(store.database, studyId)
  if (!study) return undefined
  const { patientName, mrn } = study.detail.reportMetadata ?? {}
  const { studyDescription, severity } = study
  return { studyDescription, severity, patientName, mrn, isCancelled: study.cancelledAt !== null }
}
