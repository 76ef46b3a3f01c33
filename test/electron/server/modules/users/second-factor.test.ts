import { Secret, TOTP } from 'otpauth'
import { describe, expect, it } from 'vitest'
import { openContext } from '#server/context.ts'
import * as secondFactorService from '#server/modules/users/second-factor.ts'
import { findSecondFactor, putSecondFactor } from '#server/modules/users/second-factor-queries.ts'
import { sessionRecords } from '#server/modules/users/session-queries.ts'
import { bound } from '../../../../support/bound.ts'
import { PASSWORD, peopleFixture } from './people-fixture.ts'

/** An authenticator set up for somebody, at the instant given. */
async function stage(instant = '2026-03-10T09:00:00.000Z') {
  const on = peopleFixture()
  on.clock.now = Date.parse(instant)
  const factors = bound(secondFactorService, on.store)
  const { userId, email } = await on.at('member')
  const { secret, uri } = factors.beginSecondFactor({ userId, email })
  const codeAt = (ms = on.clock.now) =>
    new TOTP({ secret: Secret.fromBase32(secret), digits: 6, period: 30 }).generate({
      timestamp: ms,
    })
  return {
    ...on,
    factors,
    userId,
    email,
    secret,
    uri,
    codeAt,
    signIn: (code?: string) => on.people.signIn(email, PASSWORD, { code }),
  }
}
const faultOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: { code: string; message: string; errors: { path: string }[] }) => [
      error.code,
      error.message,
      error.errors[0]?.path,
    ],
  )

describe('a second factor', () => {
  it('takes the codes of RFC 6238, appendix B, by their last six digits', async () => {
    const rows = [
      ['1970-01-01T00:00:59.000Z', '287082'],
      ['2005-03-18T01:58:29.000Z', '081804'],
      ['2005-03-18T01:58:31.000Z', '050471'],
      ['2009-02-13T23:31:30.000Z', '005924'],
      ['2033-05-18T03:33:20.000Z', '279037'],
      ['2603-10-11T11:33:20.000Z', '353130'],
    ] as const
    for (const [instant, code] of rows) {
      const on = await stage(instant)
      using _ = on
      // The secret of the RFC, in place of the random one.
      const record = findSecondFactor(on.store.database, on.userId)
      if (!record) throw new Error('nothing was begun')
      putSecondFactor(on.store.database, {
        ...record,
        pending: Secret.fromUTF8('12345678901234567890').base32,
      })
      expect(on.factors.confirmSecondFactor(on.userId, code), instant).toHaveLength(10)
    }
  })

  it('is asked for only once it was confirmed, and by no one who has not the password', async () => {
    const on = await stage()
    using _ = on
    expect(on.uri).toMatch(
      /^otpauth:\/\/totp\/Isthmus:member-.*issuer=Isthmus.*algorithm=SHA1&digits=6&period=30$/,
    )
    await expect(on.signIn()).resolves.toMatchObject({ user: { email: on.email } })
    expect(() => on.factors.confirmSecondFactor(on.userId, '000000')).toThrow(
      'This code is not correct.',
    )
    on.factors.confirmSecondFactor(on.userId, on.codeAt())
    expect(on.factors.secondFactorOf(on.userId)).toEqual({
      isOn: true,
      since: '2026-03-10T09:00:00.000Z',
      codesLeft: 10,
    })
    expect(await faultOf(on.signIn())).toEqual([
      'not-signed-in',
      'Enter the six digits that your authenticator app shows, or a recovery code.',
      'body.code',
    ])
    expect(await faultOf(on.signIn('123456'))).toEqual([
      'not-signed-in',
      'This code is not correct, or it was already used.',
      'body.code',
    ])
    const guess = faultOf(on.people.signIn(on.email, 'not the password', { code: on.codeAt() }))
    expect(await guess).toEqual([
      'not-signed-in',
      'The e-mail address or the password is wrong.',
      undefined,
    ])
    on.clock.pass(30_000)
    await expect(on.signIn(on.codeAt())).resolves.toMatchObject({ user: { email: on.email } })
  })

  it('takes no code twice, and one that is a step early or late', async () => {
    const on = await stage()
    using _ = on
    on.factors.confirmSecondFactor(on.userId, on.codeAt())
    expect((await faultOf(on.signIn(on.codeAt())))?.[1]).toBe(
      'This code is not correct, or it was already used.',
    )
    const early = on.codeAt(on.clock.now + 30_000)
    await on.signIn(early)
    on.clock.pass(30_000)
    expect((await faultOf(on.signIn(early)))?.[1]).toBe(
      'This code is not correct, or it was already used.',
    )
    on.clock.pass(60_000)
    await on.signIn(on.codeAt(on.clock.now - 30_000))
    on.clock.pass(90_000)
    expect((await faultOf(on.signIn(on.codeAt(on.clock.now - 60_000))))?.[1]).toBe(
      'This code is not correct, or it was already used.',
    )
  })

  it('has ten codes for when it is lost, each good once, however it is typed', async () => {
    const on = await stage()
    using _ = on
    const [code = '', other = ''] = on.factors.confirmSecondFactor(on.userId, on.codeAt())
    expect(code).toMatch(/^[2-9a-hjkmnp-z]{4}-[2-9a-hjkmnp-z]{4}$/)
    await on.signIn(` ${code.toUpperCase().replace('-', ' ')}`)
    expect((await faultOf(on.signIn(code)))?.[1]).toBe(
      'This code is not correct, or it was already used.',
    )
    expect(on.factors.secondFactorOf(on.userId).codesLeft).toBe(9)
    expect(on.trail()).toContain(`user:${on.userId} second-factor.recover ${on.userId}`)
    // Begun anew it has others.
    const { secret } = on.factors.beginSecondFactor({ userId: on.userId, email: on.email })
    on.clock.pass(30_000)
    on.factors.confirmSecondFactor(
      on.userId,
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: on.clock.now }),
    )
    expect((await faultOf(on.signIn(other)))?.[1]).toBe(
      'This code is not correct, or it was already used.',
    )
  })

  it('slows guesses down, which a right password does not clear', async () => {
    const on = await stage()
    using _ = on
    on.factors.confirmSecondFactor(on.userId, on.codeAt())
    for (let i = 0; i < 5; i++) await faultOf(on.signIn('000000'))
    const slowed = await faultOf(on.signIn('000000'))
    expect(slowed?.slice(0, 2)).toEqual([
      'too-many',
      'Too many wrong codes for this account. Wait a moment, then try again.',
    ])
    on.clock.pass(30_000)
    await expect(on.signIn(on.codeAt())).resolves.toBeDefined()
  })

  it('leaves no session behind where the gateway ends between password and code, and goes on after it', async () => {
    const on = await stage()
    using _ = on
    on.factors.confirmSecondFactor(on.userId, on.codeAt())
    await faultOf(on.signIn())
    on.store[Symbol.dispose]()
    using store = openContext({ folder: on.folder, clock: on.clock, uuid: on.uuid })
    expect(sessionRecords(store.database, '2026-03-10T09:00:00.000Z')).toEqual([])
    const after = bound(secondFactorService, store)
    on.clock.pass(30_000)
    expect(() => after.requireCode(on.userId, undefined)).toThrow('Enter the six digits')
    after.requireCode(on.userId, on.codeAt())
    // That it was taken is durable too.
    expect(() => after.requireCode(on.userId, on.codeAt())).toThrow('it was already used')
  })

  it('is not asked for by a link of the command line, and is gone once it was ended', async () => {
    const on = await stage()
    using _ = on
    on.factors.confirmSecondFactor(on.userId, on.codeAt())
    const link = on.people.createSignInLink(on.userId, 'command-line')
    expect(on.people.followLink(link.token)).toMatchObject({
      signIn: { user: { userId: on.userId } },
    })
    on.factors.disableSecondFactor(on.userId, 'command-line')
    await expect(on.signIn()).resolves.toBeDefined()
    expect(on.factors.secondFactorOf(on.userId)).toEqual({ isOn: false, since: null, codesLeft: 0 })
  })

  it('keeps neither the secret nor a code in the clear', async () => {
    const on = await stage()
    using _ = on
    const [code = ''] = on.factors.confirmSecondFactor(on.userId, on.codeAt())
    const { database } = on.store
    const rows = [
      ...database.all(database.sql.selectFrom('secondFactors').selectAll()),
      ...database.all(database.sql.selectFrom('secondFactorCodes').selectAll()),
    ]
    const bytes = rows
      .flatMap((row) => Object.values(row))
      .map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : String(value)))
    expect(bytes.join(' ')).not.toContain(on.secret)
    expect(bytes.join(' ')).not.toContain(code.replace('-', ''))
  })

  it('must be confirmed within 15 minutes', async () => {
    const on = await stage()
    using _ = on
    on.clock.pass(15 * 60_000)
    expect(() => on.factors.confirmSecondFactor(on.userId, on.codeAt())).toThrow(
      'No authenticator app is being set up.',
    )
  })
})
