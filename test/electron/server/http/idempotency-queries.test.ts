import { describe, expect, it } from 'vitest'
import type { Context } from '#server/context.ts'
import {
  findAnswer,
  type IdempotencySlot,
  purgeStoredAnswers,
  type StoredAnswer,
  storeAnswer,
} from '#server/http/idempotency-queries.ts'
import { tempStore } from '../../../support/temp-store.ts'

const HOUR_MS = 60 * 60_000
const slot = { caller: 'api-key:1', call: 'POST /v1/express', key: 'k-1' }
const answer = { status: 201, body: '{"patientName":"DOE^JANE"}', bodyHash: 'a'.repeat(64) }

const kept = (context: Context) => ({
  find: (of: IdempotencySlot) => findAnswer(context, of),
  keep: (of: IdempotencySlot, what: StoredAnswer) => storeAnswer(context, of, what),
})

describe('an answer kept for an Idempotency-Key', () => {
  it('is found by its caller, call and key for 24 hours', () => {
    using temp = tempStore()
    const idempotency = kept(temp.store)
    expect(idempotency.find(slot)).toBeUndefined()
    idempotency.keep(slot, answer)
    expect(idempotency.find(slot)).toEqual(answer)
    for (const other of [{ caller: 'api-key:2' }, { call: 'POST /v1/orgs' }, { key: 'k-2' }])
      expect(idempotency.find({ ...slot, ...other })).toBeUndefined()
    temp.clock.pass(24 * HOUR_MS - 1)
    expect([idempotency.find(slot), purgeStoredAnswers(temp.store)]).toEqual([answer, 0])
    temp.clock.pass(1)
    expect([
      idempotency.find(slot),
      purgeStoredAnswers(temp.store),
      purgeStoredAnswers(temp.store),
    ]).toEqual([undefined, 1, 0])
  })

  it('can be replaced when it is too old', () => {
    using temp = tempStore()
    const idempotency = kept(temp.store)
    idempotency.keep(slot, answer)
    temp.clock.pass(24 * HOUR_MS)
    idempotency.keep(slot, { ...answer, body: '{}' })
    expect(idempotency.find(slot)?.body).toBe('{}')
  })

  it('is sealed, and goes with the work it belongs to when that is undone', () => {
    using temp = tempStore()
    const { database } = temp.store
    const idempotency = kept(temp.store)
    idempotency.keep(slot, answer)
    expect(
      database
        .get(database.sql.selectFrom('idempotencyKeys').selectAll())
        ?.sealedBody.includes('DOE'),
    ).toBe(false)
    const work = () =>
      database.transaction(() => {
        idempotency.keep({ ...slot, key: 'k-2' }, answer)
        throw new Error('undone')
      })
    expect(work).toThrow('undone')
    expect(idempotency.find({ ...slot, key: 'k-2' })).toBeUndefined()
  })
})
