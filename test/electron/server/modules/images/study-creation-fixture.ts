import type { EnrichmentAnswer } from '#server/modules/images/study-values.ts'
import { findStudyByUid, type StudyRecord } from '#server/modules/studies/study-queries.ts'
import { WebhookError } from '#server/webhooks/webhook-error.ts'
import type { EventData } from '#shared/contract/webhooks.ts'
import { verbatim } from '#shared/messages/message.ts'
import { IMAGE, STUDY, type Stage } from './intake-fixture.ts'

export const MINUTE = 60_000

export function partner(...answers: (EnrichmentAnswer | Error)[]) {
  const questions: EventData<'patient_study.enrichment_requested'>[] = []
  return {
    questions,
    askEnrichment: async (question: EventData<'patient_study.enrichment_requested'>) => {
      questions.push(question)
      const answer = answers[Math.min(questions.length, answers.length) - 1] ?? {}
      if (answer instanceof Error) throw answer
      return answer
    },
  }
}

export const silent = () => new WebhookError('timeout', verbatim('no answer within 5 s'))

export async function exam(stage: Stage, values = IMAGE): Promise<void> {
  await stage.send(values)
  stage.intake.completion.associationClosed('a1', { kind: 'released', detail: null })
  await stage.pass(61_000)
}

export const scribeOf = (stage: Stage) =>
  findStudyByUid(stage.store.database, 'scribe', STUDY) as StudyRecord
