import type { EventData } from '#shared/contract/webhooks.ts'
import { type Script, scriptOf } from './script.ts'
import { worklistDay } from './worklist-day.ts'

/** The studies with this description are urgent. */
export const STAT_STUDY_DESCRIPTION = 'CT Head'
/** How often each report is refused before it is accepted. */
export const REFUSED_DELIVERIES = 2

/**
 * The answers in which the partner of the demo differs from the usual one: every CT of the head is
 * STAT, and each report is refused twice before it is accepted, so that retries can be watched.
 * @param today the current day, `YYYYMMDD`
 */
export function demoAnswers(today: () => string): Partial<Script> {
  const script = scriptOf((day) => worklistDay(day), today)
  const refusals = new Map<string, number>()
  return {
    'patient_study.enrichment_requested'(question) {
      const answer = script['patient_study.enrichment_requested'](question)
      return answer.studyDescription === STAT_STUDY_DESCRIPTION
        ? { ...answer, severity: 'stat' }
        : answer
    },
    'clinical_context.enrichment_requested'(question) {
      const answer = script['clinical_context.enrichment_requested'](question)
      return answer.clinicalIndication?.includes('head')
        ? {
            ...answer,
            clinicalIndication: 'Sudden weakness of the left arm 40 minutes ago. Stroke?',
          }
        : answer
    },
    'report.delivered'({ reportId }: EventData<'report.delivered'>) {
      const refused = refusals.get(reportId) ?? 0
      refusals.set(reportId, refused + 1)
      return { success: refused >= REFUSED_DELIVERIES }
    },
  }
}
