import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OWN_PAGE } from '../../../support/http-call.ts'
import { openCards, PLAIN, problem, session } from './cards-fixture.ts'

let on: Awaited<ReturnType<typeof openCards>>
beforeAll(async () => {
  on = await openCards()
})
afterAll(() => on[Symbol.asyncDispose]())

describe('an Idempotency-Key', () => {
  const keyed = (key: string) => ({ 'idempotency-key': key })

  it('gets the first answer again, byte by byte, without doing it again', async () => {
    const before = on.made
    const first = await on.send('POST /v1/cards', { json: { name: 'once' }, headers: keyed('k1') })
    const again = await on.send('POST /v1/cards', { json: { name: 'once' }, headers: keyed('k1') })
    expect([first.status, first.headers['idempotency-replayed']]).toEqual([201, undefined])
    expect([
      again.status,
      again.text,
      again.headers['idempotency-replayed'],
      again.headers['content-type'],
    ]).toEqual([201, first.text, 'true', first.headers['content-type']])
    expect(on.made).toBe(before + 1)
  })

  it('is another one on another path, of another caller, and after 24 hours', async () => {
    await on.send('POST /v1/cards/1/touch', { headers: keyed('k2') })
    const before = on.made
    expect(
      (await on.send('POST /v1/cards/1/touch', { headers: keyed('k2') })).headers[
        'idempotency-replayed'
      ],
    ).toBe('true')
    await on.send('POST /v1/cards/2/touch', { headers: keyed('k2') })
    await on.send('POST /v1/cards/1/touch', { key: PLAIN, headers: keyed('k2') })
    await on.send('POST /v1/cards/1/touch', {
      key: null,
      headers: { ...keyed('k2'), ...session, ...OWN_PAGE },
    })
    expect(on.made).toBe(before + 3)
    on.pass(24 * 60 * 60_000 + 1)
    await on.send('POST /v1/cards/1/touch', { headers: keyed('k2') })
    expect(on.made).toBe(before + 4)
  })

  it('with another body is refused with 422', async () => {
    await on.send('POST /v1/cards', { json: { name: 'a' }, headers: keyed('k3') })
    const other = await on.send('POST /v1/cards', { json: { name: 'b' }, headers: keyed('k3') })
    expect([other.status, problem(other).errors[0]?.path]).toEqual([422, 'headers.idempotency-key'])
  })

  it('keeps a refusal, but neither a fault of ours nor one that asks to wait', async () => {
    const before = on.made
    const refused = await on.send('POST /v1/cards', {
      json: { name: 'taken' },
      headers: keyed('k4'),
    })
    const again = await on.send('POST /v1/cards', { json: { name: 'taken' }, headers: keyed('k4') })
    expect([refused.status, again.status, again.text, again.headers['content-type']]).toEqual([
      422,
      422,
      refused.text,
      'application/problem+json; charset=utf-8',
    ])
    expect(on.made).toBe(before + 1)
    for (const [code, status] of [
      ['crash', 500],
      ['busy', 429],
    ] as const) {
      const name = on.store.settings.all()['clinic.name']
      for (let tries = 0; tries < 2; tries++) {
        const answer = await on.send('POST /v1/fail', {
          json: { code },
          headers: keyed(`k5-${code}`),
        })
        expect([answer.status, answer.headers['idempotency-replayed']]).toEqual([status, undefined])
      }
      // What it had changed until then was undone with it.
      expect(on.store.settings.all()['clinic.name']).toEqual(name)
    }
    expect(on.made).toBe(before + 5)
  })

  it('under way is the only 409, and asks to come again', async () => {
    const first = on.send('POST /v1/slow', { json: { name: 's' }, headers: keyed('k6') })
    await on.slow.reached.promise
    const second = await on.send('POST /v1/slow', { json: { name: 's' }, headers: keyed('k6') })
    expect([
      second.status,
      second.headers['x-should-retry'],
      second.headers['retry-after'],
      problem(second).code,
    ]).toEqual([409, 'true', '1', 'in-flight'])
    on.slow.release.resolve()
    expect((await first).json).toEqual({ name: 's' })
    expect(
      (await on.send('POST /v1/slow', { json: { name: 's' }, headers: keyed('k6') })).headers[
        'idempotency-replayed'
      ],
    ).toBe('true')
  })

  it('that is no visible ASCII text of at most 255 characters is refused; on another method it means nothing', async () => {
    for (const key of ['', 'a b', 'k'.repeat(256)]) {
      const answer = await on.send('POST /v1/cards', { json: { name: 'n' }, headers: keyed(key) })
      expect([key, answer.status, problem(answer).errors[0]?.path]).toEqual([
        key,
        400,
        'headers.idempotency-key',
      ])
    }
    for (const name of ['a', 'b'])
      expect(
        (await on.send('PATCH /v1/cards/1', { json: { name }, headers: keyed('k7') })).headers[
          'idempotency-replayed'
        ],
      ).toBeUndefined()
  })

  it('of a malformed call is free again for the right one', async () => {
    expect((await on.send('POST /v1/cards', { json: {}, headers: keyed('k8') })).status).toBe(400)
    expect(
      (await on.send('POST /v1/cards', { json: { name: 'n' }, headers: keyed('k8') })).status,
    ).toBe(201)
  })

  it('is kept sealed', async () => {
    await on.send('POST /v1/cards', { json: { name: 'MUSTER-ERIKA' }, headers: keyed('k9') })
    expect(
      Buffer.from(
        JSON.stringify(
          on.store.database.all(on.store.database.sql.selectFrom('idempotencyKeys').selectAll()),
        ),
      ).toString(),
    ).not.toContain('MUSTER-ERIKA')
  })
})
