import { readAnswerWithNotes } from '#server/webhooks/answer.ts'
import { WebhookError } from '#server/webhooks/webhook-error.ts'
import { EVENT_TYPES, EVENTS, type EventType } from '#shared/contract/webhooks.ts'
import { englishText } from '#shared/messages/english.ts'
import { answerText, type Check, type Finding, isSuccess } from './check.ts'
import type { TestAnswer } from './exchange.ts'
import type { Stage } from './stage.ts'

const CLAUSE = 'docs/events/payloads.md'
const ANSWER_POINTS = 5
/** An answer that is used with parts left out. */
const PARTIAL_POINTS = 3
const TIMING_POINTS = 2

/** The answer to each event is judged by two checks, so it is requested once. */
const answers = new WeakMap<Stage, Map<EventType, Promise<TestAnswer>>>()

function requestAnswer(stage: Stage, type: EventType): Promise<TestAnswer> {
  const known = answers.get(stage) ?? new Map<EventType, Promise<TestAnswer>>()
  answers.set(stage, known)
  const answer = known.get(type) ?? stage.send({ type, data: stage.data(type) })
  known.set(type, answer)
  return answer
}

export const answerChecks: readonly Check[] = EVENT_TYPES.map((type) => ({
  id: `answers.${type}`,
  group: 'answers',
  title: `${type} is answered in the agreed form`,
  clause: CLAUSE,
  points: ANSWER_POINTS,
  needs: [type],
  async run(stage) {
    const answer = await requestAnswer(stage, type)
    return { ...judgeAnswer(type, answer, stage), sent: type, answered: answerText(answer) }
  },
}))

/** What the gateway would do with an answer. */
function judgeAnswer(
  type: EventType,
  answer: TestAnswer,
  stage: Stage,
): Pick<Finding, 'earned' | 'remedy'> {
  if (!isSuccess(answer))
    return { earned: 0, remedy: 'Answer on the same connection with 200 and JSON.' }
  const { studyInstanceUid } = stage.data(type) as { readonly studyInstanceUid?: string }
  try {
    const { notes } = readAnswerWithNotes(
      type,
      answer.body,
      studyInstanceUid === undefined ? {} : { studyInstanceUid },
    )
    const [first] = notes
    if (!first) return { earned: ANSWER_POINTS, remedy: undefined }
    return {
      earned: PARTIAL_POINTS,
      remedy: `The gateway leaves out ${notes.length === 1 ? 'one part' : `${notes.length} parts`}: ${first.path}: ${englishText(first.sentence)}.`,
    }
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error
    const reason = englishText(error.detail)
    // The study is invented: that the partner does not know it is a correct answer.
    if (error.fault === 'refused' && EVENTS[type].kind !== 'asynchronous')
      return { earned: ANSWER_POINTS, remedy: undefined }
    return {
      earned: 0,
      remedy:
        error.fault === 'refused'
          ? 'Answer {"success": true} to every report that you have stored, whether you know its study or not; anything else makes the gateway send it again for days. With --data, use a study that you know.'
          : `The response is not valid: ${reason}. See the response of this event in docs/events/payloads.md.`,
    }
  }
}

export const timingChecks: readonly Check[] = [
  ...EVENT_TYPES.map(
    (type): Check => ({
      id: `timing.${type}`,
      group: 'timing',
      title: `${type} is answered in time`,
      clause: 'docs/EVENTS.md “Kinds of events”',
      points: TIMING_POINTS,
      needs: [type],
      async run(stage) {
        const answer = await requestAnswer(stage, type)
        const budgetMs = stage.budgetMs(type)
        const isInTime = answer.status !== undefined && answer.tookMs <= budgetMs
        return {
          earned: isInTime ? TIMING_POINTS : 0,
          sent: `${type}, which the gateway waits ${budgetMs / 1000} s for`,
          answered: answerText(answer),
          remedy: isInTime
            ? undefined
            : EVENTS[type].kind === 'asynchronous'
              ? 'Store the report and answer at once; do the rest of your work afterwards.'
              : 'Answer from what you have at hand; the gateway ends the connection and goes on without you.',
        }
      },
    }),
  ),
  {
    id: 'timing.slow-sender',
    group: 'timing',
    title: 'A request that arrives slowly is accepted',
    clause: 'RFC 9112 §6.2',
    points: 3,
    needs: [],
    async run(stage) {
      const type = stage.probe
      const { pauseMs } = stage
      const answer = await stage.send({ type, data: stage.data(type), pauseMs })
      const isGood = isSuccess(answer)
      return {
        earned: isGood ? 3 : 0,
        sent: `${type} in two halves with ${pauseMs / 1000} s between them`,
        answered: answerText(answer),
        remedy: isGood
          ? undefined
          : 'Read the body up to its Content-Length before you verify it, and allow several seconds for that.',
      }
    },
  },
]
