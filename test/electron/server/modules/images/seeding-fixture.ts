import type { EnrichmentAnswer, EnrichmentQuestion } from '#server/modules/images/ports.ts'
import type { StudyRecord } from '#server/modules/studies/study-queries.ts'
import { WebhookError } from '#server/webhooks/webhook-error.ts'
import { IMAGE, STUDY, type Stage } from './intake-fixture.ts'

export const MINUTE = 60_000

export function partner(...answers: (EnrichmentAnswer | Error)[]) {
  const questions: EnrichmentQuestion[] = []
  return {
    questions,
    askEnrichment: async (question: EnrichmentQuestion) => {
      questions.push(question)
      const answer = answers[Math.min(questions.length, answers.length) - 1] ?? {}
      if (answer instanceof Error) throw answer
      return answer
    },
  }
}

export const silent = () => new WebhookError('timeout', 'no answer within 5 s')

export async function exam(stage: Stage, values = IMAGE): Promise<void> {
  await stage.send(values)
  stage.intake.associationClosed('a1', { kind: 'released', detail: '' })
  await stage.pass(61_000)
}

export const scribeOf = (stage: Stage) => stage.store.studies.byUid('scribe', STUDY) as StudyRecord
