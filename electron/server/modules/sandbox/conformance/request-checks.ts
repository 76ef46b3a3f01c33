import { randomUUID } from 'node:crypto'
import { idFromUuid } from '#shared/ids.ts'
import { answerText, type Check, isRefusal, isSuccess } from './check.ts'
import type { TestAnswer } from './exchange.ts'
import { newEventId, type Stage } from './stage.ts'

const REPORT_EVENT = 'report.delivered'
const ADDITIVE_CLAUSE = 'docs/API-CHANGES.md “What you can rely on”'
const REPEATS_CLAUSE = 'docs/EVENTS.md “Repeats and order”'

/** A partner has one place for all events, so this is asked of the probe only. */
const malformedChecks: readonly Check[] = [
  {
    id: 'malformed.not-json',
    group: 'malformed',
    title: 'A signed body that is not JSON is refused',
    clause: 'docs/EVENTS.md “Responses”',
    points: 3,
    needs: [],
    async run(stage) {
      const type = stage.probe
      const answer = await stage.send({ type, data: {}, body: Buffer.from(`{"id":"`) })
      const isGood = isRefusal(answer)
      return {
        earned: isGood ? 3 : 0,
        sent: 'half of a JSON object, signed correctly',
        answered: answerText(answer),
        remedy: isGood
          ? undefined
          : 'Answer 400 if the body cannot be parsed; do not fail with 500.',
      }
    },
  },
  {
    id: 'malformed.unknown-event',
    group: 'malformed',
    title: 'An event of a later version is answered with 501',
    clause: ADDITIVE_CLAUSE,
    points: 2,
    needs: [],
    async run(stage) {
      const answer = await stage.send({ type: 'study.renamed', data: { studyId: 'stu_0' } })
      const isGood = answer.status === 501 || isRefusal(answer)
      return {
        earned: isGood ? 2 : 0,
        sent: 'study.renamed, which no version sends yet, signed correctly',
        answered: answerText(answer),
        remedy: isGood
          ? undefined
          : 'Answer 501 to a type that you do not know, so that nobody believes that you acted on it.',
      }
    },
  },
  {
    id: 'malformed.unknown-field',
    group: 'malformed',
    title: 'A field of a later version is ignored',
    clause: ADDITIVE_CLAUSE,
    points: 3,
    needs: [],
    async run(stage) {
      const type = stage.probe
      const data = { ...stage.data(type), laterField: { added: true } }
      const answer = await stage.send({ type, data })
      const isGood = isSuccess(answer)
      return {
        earned: isGood ? 3 : 0,
        sent: `${type} with a field that is not described`,
        answered: answerText(answer),
        remedy: isGood ? undefined : 'Ignore fields of data that you do not know.',
      }
    },
  },
  {
    id: 'malformed.large',
    group: 'malformed',
    title: 'A report of 200,000 characters is accepted',
    clause: 'docs/EVENTS.md “Responses”',
    points: 2,
    needs: [REPORT_EVENT],
    async run(stage) {
      const plainText = 'Findings: unremarkable.\n'.repeat(8334).slice(0, 200_000)
      const answer = await stage.send({
        type: REPORT_EVENT,
        data: { ...stage.data(REPORT_EVENT), plainText },
      })
      const isGood = isSuccess(answer)
      return {
        earned: isGood ? 2 : 0,
        sent: `${REPORT_EVENT} with 200,000 characters of text`,
        answered: answerText(answer),
        remedy: isGood ? undefined : 'Accept bodies of at least 1 MiB.',
      }
    },
  },
]

/** Whether a report was accepted as the gateway understands it. */
function isTaken(answer: TestAnswer): boolean {
  if (!isSuccess(answer)) return false
  try {
    return (JSON.parse(answer.body.toString()) as { success?: unknown } | null)?.success === true
  } catch {
    return false
  }
}

const answerTexts = (answers: readonly TestAnswer[]) => answers.map(answerText).join(' · ')

/** Two reports of one study: a report and its addendum. */
function twoReportsData(stage: Stage) {
  const first = stage.data(REPORT_EVENT)
  return [first, { ...first, reportId: idFromUuid('rep', randomUUID()) }] as const
}

const repeatChecks: readonly Check[] = [
  {
    id: 'repeats.retry',
    group: 'repeats',
    title: 'A report that comes again under the same id is confirmed again',
    clause: REPEATS_CLAUSE,
    points: 5,
    needs: [REPORT_EVENT],
    async run(stage) {
      const event = { type: REPORT_EVENT, data: stage.data(REPORT_EVENT), id: newEventId() }
      const answers = [await stage.send(event), await stage.send(event)]
      // Whether it is accepted at all is the matter of another check.
      const isGood = isSameVerdict(answers)
      return {
        earned: isGood ? 5 : 0,
        sent: `${REPORT_EVENT} twice with the same id, as after an answer that was lost`,
        answered: answerTexts(answers),
        remedy: isGood
          ? undefined
          : 'Keep the ids of events for some days, and answer {"success": true} to one that you have stored already.',
      }
    },
  },
  {
    id: 'repeats.at-once',
    group: 'repeats',
    title: 'A report that comes twice at the same time is confirmed twice',
    clause: REPEATS_CLAUSE,
    points: 3,
    needs: [REPORT_EVENT],
    async run(stage) {
      const event = { type: REPORT_EVENT, data: stage.data(REPORT_EVENT), id: newEventId() }
      const answers = await Promise.all([stage.send(event), stage.send(event)])
      const isGood = isSameVerdict(answers)
      return {
        earned: isGood ? 3 : 0,
        sent: `${REPORT_EVENT} twice with the same id, on two connections at once`,
        answered: answerTexts(answers),
        remedy: isGood
          ? undefined
          : 'Store the id under a unique constraint, and confirm the event if another request has just stored it.',
      }
    },
  },
  {
    id: 'repeats.older-after-newer',
    group: 'repeats',
    title: 'A report that comes again after its addendum is confirmed',
    clause: 'docs/partners/going-live.md “Testing your system”',
    points: 2,
    needs: [REPORT_EVENT],
    async run(stage) {
      const [report, addendum] = twoReportsData(stage)
      const first = { type: REPORT_EVENT, data: report, id: newEventId() }
      const answers = [
        await stage.send(first),
        await stage.send({ type: REPORT_EVENT, data: addendum }),
        await stage.send(first),
      ]
      const [one, , again] = answers
      const isGood = one !== undefined && again !== undefined && isTaken(one) <= isTaken(again)
      return {
        earned: isGood ? 2 : 0,
        sent: 'a report, its addendum, and the report once more under its own id',
        answered: answerTexts(answers),
        remedy: isGood
          ? undefined
          : 'Recognize a repeat by its id, not by the order of arrival; a person in the clinic may send any report again.',
      }
    },
  },
  {
    id: 'repeats.worklist',
    group: 'repeats',
    title: 'Two devices that ask at the same time get the same worklist',
    clause: 'docs/events/payloads.md',
    points: 2,
    needs: ['modality_worklist.requested'],
    async run(stage) {
      const type = 'modality_worklist.requested'
      const event = { type, data: stage.data(type) }
      const answers = await Promise.all([stage.send(event), stage.send(event)])
      const [one, other] = answers.map(({ body }) => examsText(body))
      const isGood = one === other
      return {
        earned: isGood ? 2 : 0,
        sent: `${type} twice at once, for the same day`,
        answered: answerTexts(answers),
        remedy: isGood
          ? undefined
          : 'Answer a worklist request from your schedule only: do not hand out an exam once.',
      }
    },
  },
]

/** Whether the second answer is at least as good as the first. */
function isSameVerdict([first, second]: readonly TestAnswer[]): boolean {
  if (first === undefined || second === undefined) return false
  return isTaken(first) ? isTaken(second) : first.status === second.status
}

/** The exams of a worklist answer as one text, in any order; the body itself if it is no worklist. */
function examsText(body: Buffer): string {
  try {
    const { items } = JSON.parse(body.toString()) as { items: readonly unknown[] }
    return JSON.stringify(items.map((item) => JSON.stringify(item)).sort())
  } catch {
    return body.toString()
  }
}

export const requestChecks: readonly Check[] = [...malformedChecks, ...repeatChecks]
