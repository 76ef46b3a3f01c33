import { randomBytes, randomUUID } from 'node:crypto'
import { CALL_LIMITS } from '#server/webhooks/exchange.ts'
import { signatureHeaders } from '#server/webhooks/signature.ts'
import { testEventData } from '#server/webhooks/test-event.ts'
import { EVENT_TYPES, type EventType } from '#shared/contract/webhooks.ts'
import { idFromUuid } from '#shared/ids.ts'
import { createExchange, type Exchange, type TestAnswer } from './exchange.ts'

export interface ConformanceOptions {
  /** Address of the partner's endpoint. */
  readonly url: string
  /** `whsec_` and base64. */
  readonly secret: string
  /** The events that the partner receives; all by default. */
  readonly events?: readonly EventType[]
  /** Fields of the data of events that replace the invented ones, such as a study of the partner. */
  readonly data?: Readonly<Partial<Record<EventType, Readonly<Record<string, unknown>>>>>
  /** Milliseconds within which the gateway needs the answer; `CALL_LIMITS` by default. */
  readonly budgetMs?: (type: EventType) => number
  /** Milliseconds to wait for answers that are too late; 10,000 by default. */
  readonly graceMs?: number
  /** Milliseconds that a slow request pauses; 1,500 by default. */
  readonly pauseMs?: number
}

/** An event as it is sent; by default it is signed correctly. */
export interface TestEvent {
  readonly type: string
  readonly data: unknown
  readonly id?: string
  /** Sent instead of the envelope. */
  readonly body?: Buffer
  /** Signed instead of the body that is sent. */
  readonly signedBody?: Buffer
  /** Seconds that the timestamp differs from now. */
  readonly skewSeconds?: number
  readonly secrets?: readonly string[]
  /** Replaces headers; undefined removes one. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly pauseMs?: number
}

/** What the checks of a conformance run share. */
export class Stage {
  readonly events: readonly EventType[]
  readonly pauseMs: number
  readonly #options: ConformanceOptions
  readonly #exchange: Exchange

  constructor(options: ConformanceOptions) {
    this.#options = options
    this.events = EVENT_TYPES.filter((type) => (options.events ?? EVENT_TYPES).includes(type))
    this.pauseMs = options.pauseMs ?? 1500
    const longest = Math.max(...this.events.map((type) => this.budgetMs(type)))
    this.#exchange = createExchange(options.url, longest + (options.graceMs ?? 10_000))
  }

  /**
   * The event of checks that are about requests as such: one that changes nothing at the partner,
   * if the partner receives such an event.
   */
  get probe(): EventType {
    const harmlessType = this.events.find((type) => type !== 'report.delivered')
    return this.has('modality_worklist.requested')
      ? 'modality_worklist.requested'
      : (harmlessType ?? 'report.delivered')
  }

  has(type: EventType): boolean {
    return this.events.includes(type)
  }

  budgetMs(type: EventType): number {
    return this.#options.budgetMs?.(type) ?? CALL_LIMITS[type].budgetMs
  }

  /** Invented data of an event, with the fields that the user gave. */
  data(type: EventType): Readonly<Record<string, unknown>> {
    const facts = {
      clinicId: CLINIC_ID,
      day: new Date().toISOString().slice(0, 10),
      callingAe: 'CONFORMANCE',
      publicBase: 'https://gateway.invalid',
      uuid: randomUUID,
    }
    return { ...testEventData(type, facts), ...this.#options.data?.[type] }
  }

  /** Sends an event and returns what came back. */
  send(event: TestEvent): Promise<TestAnswer> {
    const id = event.id ?? newEventId()
    const body =
      event.body ?? Buffer.from(JSON.stringify({ id, type: event.type, data: event.data }))
    const headers: Record<string, string | undefined> = {
      ...signatureHeaders({
        ...{ id, body: event.signedBody ?? body },
        at: Date.now() + (event.skewSeconds ?? 0) * 1000,
        secrets: event.secrets ?? [this.#options.secret],
      }),
      ...event.headers,
    }
    const given = Object.entries(headers).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    )
    const { pauseMs } = event
    return this.#exchange({
      ...{ headers: Object.fromEntries(given), body },
      ...(pauseMs !== undefined && { pauseMs }),
    })
  }

  /** The secret that the partner verifies with. */
  get secret(): string {
    return this.#options.secret
  }
}

/** Marks the run for a partner that looks at it; no clinic has it. */
const CLINIC_ID = '00000000-0000-4000-8000-00000000c0de'

export const newEventId = (): string => idFromUuid('whe', randomUUID())
/** A secret that the partner does not know. */
export const foreignSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`
