import type { DomainDeps } from '#server/modules/audit/audit.ts'
import { isVisible } from '#server/modules/studies/study-access.ts'
import type {
  PriorReport as GivenPrior,
  ScribeStudyRecord,
  StudyRecord,
} from '#server/modules/studies/study-queries.ts'
import type { UserCaller } from '#server/modules/users/caller.ts'
import type { PriorReport } from '#shared/contract/reports.ts'
import type { StudyId } from '#shared/ids.ts'

/**
 * Earlier reports of the patient, newest first, those without a day last: signed here of the
 * studies that `priorStudyIds` names and the caller may see, given by the partner with the study,
 * and those of the clinical context. The same text is shown once.
 */
export function priorReports(
  { store }: Pick<DomainDeps, 'store'>,
  caller: UserCaller,
  study: ScribeStudyRecord,
  ofContext: readonly GivenPrior[],
): PriorReport[] {
  const { priorStudyIds = [], priorReportTexts = [], priorReports: given = [] } = study.detail
  const here = priorStudyIds.flatMap((studyId) => {
    const prior = store.studies.get(studyId)
    // An id of the viewer area names the same images; reports are of the scribe area (row 36).
    const reported =
      prior?.area === 'viewer' ? store.studies.byUid('scribe', prior.studyInstanceUid) : prior
    return reported && isVisible(caller, reported) ? signedHere({ store }, reported) : []
  })
  const partner = priorReportTexts.map(
    (text): PriorReport => ({ ...NOTHING, source: 'partner', text }),
  )
  const context = [...given, ...ofContext].map(
    ({ reportText, modality = '', studyDate = null, studyDescription = '' }): PriorReport => ({
      ...{ ...NOTHING, source: 'context', modality, studyDate, studyDescription, text: reportText },
    }),
  )
  const seen = new Set<string>()
  return [...here, ...partner, ...context]
    .filter(({ text }) => text.trim() !== '' && !seen.has(text.trim()) && seen.add(text.trim()))
    .sort((a, b) => (b.studyDate ?? '').localeCompare(a.studyDate ?? ''))
}

const NOTHING = {
  studyId: null,
  studyInstanceUid: null,
  studyDescription: '',
  modality: '',
  studyDate: null,
}

/** The report of the study with its addenda below it. */
function signedHere({ store }: Pick<DomainDeps, 'store'>, study: StudyRecord): PriorReport[] {
  const signed = store.reports.signedOf(study.studyId)
  if (signed.length === 0) return []
  const { scanType = '', scanDate = null } = study.detail.reportMetadata ?? {}
  const text = signed
    .map(({ isAddendum, plainText }) =>
      isAddendum ? `Addendum\n${plainText ?? ''}` : (plainText ?? ''),
    )
    .join('\n\n')
  const { studyInstanceUid, studyDescription } = study
  return [
    {
      source: 'here',
      studyId: study.studyId as StudyId,
      studyInstanceUid,
      studyDescription,
      modality: scanType,
      studyDate: scanDate,
      text,
    },
  ]
}
