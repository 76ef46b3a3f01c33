import type { z } from 'zod'
import { readNumericCursor } from '#server/database/page.ts'
import { cursorCodec } from '#server/http/pagination.ts'
import { ApiError } from '#shared/errors.ts'
import type { Operation } from '#shared/operation.ts'
import { perTier } from '../../support/tier.ts'
import { jsonOf, mutateJsonInput } from '../mutate-json.ts'
import { hashOf } from '../random.ts'
import { hold, same, type Target } from '../target.ts'
import { type Clinic, holdAnswer, openClinic } from './clinic.ts'
import { nameOf, OPERATIONS } from './operations.ts'

/** Lists that go on with a cursor. */
const LISTS = OPERATIONS.filter(({ query }) => query !== undefined && 'cursor' in shapeOf(query))

function shapeOf(schema: z.ZodType): object {
  const { def } = (
    schema as unknown as {
      readonly _zod: {
        readonly def: { readonly type: string; readonly shape?: object; readonly out?: z.ZodType }
      }
    }
  )._zod
  return def.shape ?? (def.out ? shapeOf(def.out) : {})
}

/**
 * An input: which list is asked, with a cursor that is spelled out, or one that the gateway gave,
 * of that list or another, and changed.
 */
interface Ask {
  readonly list?: unknown
  readonly literal?: unknown
  readonly of?: unknown
  readonly change?: unknown
  readonly at?: unknown
  readonly with?: unknown
}

/** A list and what the gateway gave as its cursor; '' where there was but one page. */
interface Given {
  readonly operation: Operation
  readonly path: string
  readonly cursor: string
}

/** Cursors, whoever made them: those of the list go on, all others are refused with 400. */
export const cursors: Target = {
  name: 'cursors',
  silentSeconds: 40,
  slowSeconds: 3,
  mostMiB: 128,
  mostBytes: 64 << 10,
  testExecutions: perTier(100, 1500),
  async open() {
    const clinic = await openClinic()
    const given = await Promise.all(LISTS.map((operation) => firstCursor(clinic, operation)))
    hold(
      given.filter(({ cursor }) => cursor !== '').length >= 5,
      'Too few lists have a second page',
    )
    return {
      seeds: [...given.keys()].map((list) =>
        Buffer.from(JSON.stringify({ list, of: list, change: 'none', at: 0, with: '' })),
      ),
      mutate: (input, random, other) => mutateJsonInput(input, random, other, cursors.mostBytes),
      async run(input) {
        const read = jsonOf(input)
        const ask: Ask =
          typeof read === 'object' && read !== null ? read : { literal: input.toString('latin1') }
        const list = given[numberOf(ask.list, input) % given.length] as Given
        const cursor = cursorOf(ask, input, given)
        byItself(cursor)
        const answer = await clinic.ask({
          method: 'GET',
          path: `${list.path}${list.path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`,
          by: list.operation.path.startsWith('/v1/') ? 'key' : 'owner',
        })
        const call = nameOf(list.operation)
        // A head that is too long is refused before it is one of a list.
        if (encodeURIComponent(cursor).length < 8000)
          hold(
            answer.status === 200 || answer.status === 400,
            () => `${call} answers ${answer.status}: ${answer.text.slice(0, 200)}`,
          )
        holdAnswer(call, 200, answer)
        if (answer.status === 200)
          hold(
            cursor === '' || cursor === list.cursor || isOpen(list.cursor),
            () => `${call} takes a cursor that it has not given: ${cursor.slice(0, 60)}`,
          )
        if (cursor === list.cursor && cursor !== '')
          hold(answer.status === 200, `${call} refuses its own cursor`)
        return `${call} ${answer.status} ${cursor === list.cursor}`
      },
      [Symbol.asyncDispose]: () => clinic[Symbol.asyncDispose](),
    }
  },
}

/**
 * Some lists of the window say where they are in plain: by a number, or by an instant and an id.
 * Whatever has that form is a place.
 */
function isOpen(cursor: string): boolean {
  return (
    cursor === '' ||
    cursor.includes(' ') ||
    typeof jsonOf(Buffer.from(cursor, 'base64url')) === 'number'
  )
}

async function firstCursor(clinic: Clinic, operation: Operation): Promise<Given> {
  const path = `${operation.path.replace(/:(\w+)/g, (_, name: string) => clinic.known[name === 'expressCustomerId' ? 'cus_' : name]?.[0] ?? 'none')}?limit=1`
  const { json } = await clinic.ask({
    method: 'GET',
    path,
    by: operation.path.startsWith('/v1/') ? 'key' : 'owner',
  })
  const { cursor } = (json ?? {}) as { readonly cursor?: unknown }
  return { operation, path, cursor: typeof cursor === 'string' ? cursor : '' }
}

function numberOf(value: unknown, input: Buffer): number {
  return typeof value === 'number' && Number.isSafeInteger(value) ? Math.abs(value) : hashOf(input)
}

const CHANGES: Readonly<Record<string, (cursor: string, at: number, text: string) => string>> = {
  none: (cursor) => cursor,
  put: (cursor, at, text) => cursor.slice(0, at) + text + cursor.slice(at),
  over: (cursor, at, text) => cursor.slice(0, at) + text + cursor.slice(at + text.length),
  cut: (cursor, at) => cursor.slice(0, at),
  drop: (cursor, at) => cursor.slice(at),
  twice: (cursor) => cursor + cursor,
  padded: (cursor) => `${cursor}==`,
  case: (cursor) => cursor.toLowerCase(),
  inside(cursor, at, text) {
    const bytes = Buffer.from(cursor, 'base64url')
    const inner = Buffer.from(text)
    return Buffer.concat([
      bytes.subarray(0, at),
      inner,
      bytes.subarray(at + inner.length),
    ]).toString('base64url')
  },
}

function cursorOf(ask: Ask, input: Buffer, given: readonly Given[]): string {
  if (typeof ask.literal === 'string') return ask.literal.toWellFormed()
  const { cursor } = given[numberOf(ask.of, input) % given.length] as Given
  const names = Object.keys(CHANGES)
  const name =
    typeof ask.change === 'string' && Object.hasOwn(CHANGES, ask.change)
      ? ask.change
      : names[hashOf(input) % names.length]
  const text = typeof ask.with === 'string' ? ask.with.toWellFormed() : ''
  return (
    CHANGES[name ?? 'none']?.(cursor, numberOf(ask.at, input) % (cursor.length + 1), text) ?? ''
  )
}

const CODEC = cursorCodec(Buffer.alloc(32, 1))

/**
 * The codec and the reader of numbers by themselves: what was not made by them is refused as
 * malformed, and what was comes back.
 */
function byItself(cursor: string): void {
  refusing(() => {
    CODEC.decode(cursor, 'GET /v1/express', {})
    hold(false, 'A cursor is taken that nobody sealed')
  })
  const sealed = CODEC.encode(cursor || ' ', 'GET /v1/express', { limit: 1 })
  if (sealed.length <= 1000)
    same(
      'A position comes back as another one',
      CODEC.decode(sealed, 'GET /v1/express', { limit: 100 }),
      cursor || ' ',
    )
  refusing(() => {
    const number = readNumericCursor(cursor)
    hold(
      number === undefined || Number.isSafeInteger(number),
      'A place in a list that is no number',
    )
  })
}

function refusing(work: () => void): void {
  try {
    work()
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'malformed')) throw error
  }
}
