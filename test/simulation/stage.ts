import type { scribe } from '#shared/contract/scribe.ts'
import type { InputOf, Operation, OperationShape, ReplyOf } from '#shared/operation.ts'
import { callerOf, OWNER, type StartedGateway, sessionHeaders } from '../support/gateway.ts'
import { type Client, keyCall } from '../support/interface.ts'
import type { Device } from './device.ts'
import type { Exam } from './exams.ts'
import type { Answer, GatewayLives } from './gateway-lives.ts'
import type { Ledger } from './ledger.ts'
import type { Partner } from './partner.ts'
import type { Random } from './random.ts'
import type { Reader } from './reader.ts'
import type { VirtualTime } from './virtual-time.ts'

/** Something that was promised was not kept. */
export class BrokenPromise extends Error {
  override name = 'BrokenPromise'
  readonly promise: string
  constructor(promise: string, detail: string) {
    super(detail)
    this.promise = promise
  }
}

/** A line for the trace; undefined: there was nothing to do. */
export type Told = string | undefined

/** An exam that a device works on. */
export interface Run {
  readonly exam: Exam
  readonly device: Device
  /** Of its performed step; undefined: it reports none. */
  stepUid: string | undefined
  /** Numbers of the images that were tried, whatever came of it. */
  images: number
  isOver: boolean
}

/** A call by the partner's own program that was made, to be repeated. */
export interface MadeCall {
  readonly key: string
  readonly body: InputOf<typeof scribe.create>['body']
  /** Undefined: it was never answered. */
  answer: string | undefined
  /** When it was first made, milliseconds since 1970. */
  readonly at: number
}

/** Everybody and everything of a simulated clinic. */
export interface Stage {
  readonly random: Random
  readonly time: VirtualTime
  readonly ledger: Ledger
  readonly partner: Partner
  readonly lives: GatewayLives
  readonly devices: readonly Device[]
  readonly runs: Run[]
  readonly calls: MadeCall[]
  /** What is made gets the next number: names, texts, keys. */
  number(): number
  /** `YYYYMMDD` of today or of days from now, in the clinic, which keeps UTC. */
  day(from?: number): string
  /** The data folder as it is; good until the run of the gateway ends. */
  reader(): Reader
  /** A call of a signed-in person. */
  staff<S extends OperationShape>(
    who: Person,
    operation: Operation<S>,
    input: InputOf<S>,
  ): Promise<Answer<ReplyOf<S>>>
  /** The partner's own program. */
  ris(): Client
}

export const PEOPLE = {
  owner: OWNER,
  radiologist: { email: 'radiologist@clinic.example', password: OWNER.password },
} as const
export type Person = keyof typeof PEOPLE

/**
 * Calls by people who are signed in; they sign in again where their session is over, or the call
 * takes a recent sign-in.
 */
export function staffCalls(lives: () => GatewayLives): Stage['staff'] {
  const headers = new Map<Person, Record<string, string>>()
  return async (who, operation, input) => {
    const call = async (): Promise<ReplyOf<typeof operation>> => {
      const { http } = lives()
      const known = headers.get(who) ?? (await sessionHeaders(http, PEOPLE[who]))
      headers.set(who, known)
      return await (callerOf(http, known) as StartedGateway['call'])(operation, input)
    }
    const answer = await lives().call(call)
    if (answer.kind !== 'failed') return answer
    if (
      statusOf(answer.error) !== 401 &&
      !answer.error.message.startsWith('403 Confirm your identity')
    )
      return answer
    headers.delete(who)
    return await lives().call(call)
  }
}

export const risClient = (http: string, key: string): Client => keyCall(http, key)

/** HTTP status of a call that failed; undefined where there was no answer at all. */
export function statusOf({ message }: Error): number | undefined {
  const [, status] = /^(\d{3}) /.exec(message) ?? []
  return status === undefined ? undefined : Number(status)
}

/** It was refused by the rules: nothing of it was done. */
export const isRefused = (answer: Answer<unknown>): boolean => {
  const status = answer.kind === 'failed' ? statusOf(answer.error) : undefined
  return status !== undefined && status >= 400 && status < 500
}

/** For the trace. */
export function wordOf(answer: Answer<unknown>): string {
  if (answer.kind !== 'failed') return answer.kind
  return String(statusOf(answer.error) ?? 'no answer')
}
