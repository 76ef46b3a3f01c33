import { answerText, type Check, type Finding, isRefusal, isSuccess } from './check.ts'
import { foreignSecret, type Stage, type TestEvent } from './stage.ts'

const CLAUSE = 'Standard Webhooks 1.0, docs/events/receiver.md'

interface SignatureCheck {
  readonly id: string
  readonly title: string
  readonly points: number
  /** Described with the name of the event in front. */
  readonly sent: string
  readonly isGenuine: boolean
  readonly remedy: string
  readonly event: (stage: Stage) => Partial<TestEvent>
}

const OTHER_BODY = Buffer.from('{"id":"whe_0","type":"report.delivered","data":{}}')

const SIGNATURE_CHECKS: readonly SignatureCheck[] = [
  {
    id: 'forged',
    title: 'An event signed with another secret is refused',
    points: 6,
    sent: 'signed with a secret that the partner does not have',
    isGenuine: false,
    remedy:
      'Verify webhook-signature with your secret before you read the body, and answer 400 or 401 if it does not match.',
    event: () => ({ secrets: [foreignSecret()] }),
  },
  {
    id: 'missing',
    title: 'An event without signature headers is refused',
    points: 4,
    sent: 'without webhook-id, webhook-timestamp and webhook-signature',
    isGenuine: false,
    remedy: 'Answer 400 if one of the three headers is missing.',
    event: () => ({
      headers: {
        'webhook-id': undefined,
        'webhook-timestamp': undefined,
        'webhook-signature': undefined,
      },
    }),
  },
  {
    id: 'changed',
    title: 'An event whose body was changed after signing is refused',
    points: 4,
    sent: 'with the signature of another body',
    isGenuine: false,
    remedy:
      'Compute the HMAC over webhook-id, webhook-timestamp and the bytes of the body as they came, not over the parsed JSON.',
    event: () => ({ signedBody: OTHER_BODY }),
  },
  {
    id: 'old',
    title: 'An event of ten minutes ago is refused',
    points: 4,
    sent: 'signed correctly with a timestamp ten minutes old',
    isGenuine: false,
    remedy:
      'Refuse a webhook-timestamp that is more than five minutes old: otherwise a recorded request can be sent again.',
    event: () => ({ skewSeconds: -600 }),
  },
  {
    id: 'future',
    title: 'An event of ten minutes ahead is refused',
    points: 2,
    sent: 'signed correctly with a timestamp ten minutes ahead',
    isGenuine: false,
    remedy: 'Refuse a webhook-timestamp that is more than five minutes ahead of your clock.',
    event: () => ({ skewSeconds: 600 }),
  },
  {
    id: 'rotation',
    title: 'One good signature among several is enough',
    points: 4,
    sent: 'with two signatures, of which the second is yours, and one of an unknown version',
    isGenuine: true,
    remedy:
      'Read webhook-signature as a list separated by spaces, skip entries that do not begin with v1, and accept the event if one matches: while a secret changes, both sign.',
    event: ({ secret }) => ({ secrets: [foreignSecret(), secret] }),
  },
  {
    id: 'tolerance',
    title: 'A clock that differs by four minutes is accepted',
    points: 2,
    sent: 'signed correctly with a timestamp four minutes old',
    isGenuine: true,
    remedy: 'Accept a webhook-timestamp within five minutes of your clock, and keep it by NTP.',
    event: () => ({ skewSeconds: -240 }),
  },
]

export const signatureChecks: readonly Check[] = SIGNATURE_CHECKS.map(
  ({ id, title, points, sent, isGenuine, remedy, event }) => ({
    ...{ id: `signature.${id}`, group: 'signature', title, clause: CLAUSE, points, needs: [] },
    async run(stage): Promise<Finding> {
      const type = stage.probe
      const data = stage.data(type)
      // A partner that refuses every event would pass for a careful one.
      const genuineAnswer = await stage.send({ type, data })
      if (!isSuccess(genuineAnswer))
        return {
          earned: 0,
          sent: `${type}, signed correctly`,
          answered: answerText(genuineAnswer),
          remedy: 'A correct event has to be accepted first. Compare the address and the secret.',
        }
      const answer = await stage.send({ type, data, ...event(stage) })
      const isGood = isGenuine ? isSuccess(answer) : isRefusal(answer)
      return {
        earned: isGood ? points : 0,
        sent: `${type} ${sent}`,
        answered: answerText(answer),
        remedy: isGood ? undefined : remedy,
      }
    },
  }),
)
