import { describe, expect, it } from 'vitest'
import { listEndpoints } from '#server/modules/partners/queries.ts'
import { readPartner, setPartner } from '#server/modules/partners/service.ts'
import { targetFor } from '#server/modules/partners/targets.ts'
import { EVENT_TYPES, type EventType } from '#shared/contract/webhooks.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const SECRET = `whsec_${Buffer.alloc(24, 1).toString('base64')}`
const NEXT = `whsec_${Buffer.alloc(64, 2).toString('base64')}`
const URL_ = 'https://ris.example/hook'
const HOUR = 60 * 60_000

function clinic() {
  const temp = tempStore()
  const partner = {
    read: () => readPartner(temp.store),
    set: (given: Parameters<typeof setPartner>[1], actor: 'command-line') =>
      setPartner(temp.store, given, actor),
    endpointFor: (event: EventType) => targetFor(temp.store, event),
  }
  const secrets = () => partner.endpointFor('report.delivered')?.secrets
  return Object.assign(temp, { store: temp.store, partner, secrets })
}

describe('the partner endpoint', () => {
  it('is unset at first', () => {
    using temp = clinic()
    expect(temp.partner.read()).toEqual({
      url: null,
      hasSecret: false,
      events: [],
      allowsPlaintext: false,
    })
    expect(temp.partner.endpointFor('modality_worklist.requested')).toBeUndefined()
  })

  it('takes every event, with a secret that is shown once when it was made here', () => {
    using temp = clinic()
    const set = temp.partner.set({ url: URL_, allowPlaintext: false }, 'command-line')
    expect(set).toEqual({
      url: URL_,
      hasSecret: true,
      events: EVENT_TYPES,
      allowsPlaintext: false,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    })
    expect(temp.partner.endpointFor('modality_worklist.requested')).toMatchObject({
      url: URL_,
      secrets: [set.secret],
    })
    const moved = temp.partner.set(
      { url: 'https://ris.example/other', allowPlaintext: false },
      'command-line',
    )
    expect(moved).toMatchObject({ url: 'https://ris.example/other', secret: null })
    expect(temp.secrets()).toEqual([set.secret])
    expect(listEndpoints(temp.store.database)).toHaveLength(1)
    expect(JSON.stringify(temp.store.audit.list({ limit: 10 }).items)).not.toContain('whsec_')
    expect(temp.store.audit.list({ limit: 10 }).items.map(({ detail }) => detail)).toEqual([
      {
        url: { before: URL_, after: 'https://ris.example/other' },
        allowsPlaintext: false,
        secret: 'kept',
      },
      { url: { before: null, after: URL_ }, allowsPlaintext: false, secret: 'made' },
    ])
  })

  it('signs with the old secret too for a day after a new one was set', () => {
    using temp = clinic()
    temp.partner.set({ url: URL_, secret: SECRET, allowPlaintext: false }, 'command-line')
    expect(
      temp.partner.set({ url: URL_, secret: NEXT, allowPlaintext: false }, 'command-line').secret,
    ).toBeNull()
    expect(temp.secrets()).toEqual([NEXT, SECRET])
    temp.clock.pass(24 * HOUR - 1)
    expect(temp.secrets()).toEqual([NEXT, SECRET])
    temp.clock.pass(1)
    expect(temp.secrets()).toEqual([NEXT])
  })

  it('signs for another partner with the new secret only', () => {
    using temp = clinic()
    temp.partner.set({ url: URL_, secret: SECRET, allowPlaintext: false }, 'command-line')
    temp.partner.set(
      { url: 'https://other.example/hook', secret: NEXT, allowPlaintext: false },
      'command-line',
    )
    expect(temp.secrets()).toEqual([NEXT])
  })

  it('is called by plain http only where that was allowed, which lists its host', () => {
    using temp = clinic()
    const plain = { url: 'http://10.0.0.5:8080/hook', secret: SECRET }
    expect(() => temp.partner.set({ ...plain, allowPlaintext: false }, 'command-line')).toThrow(
      expect.objectContaining({
        code: 'refused',
        errors: [expect.objectContaining({ path: 'body.allowPlaintext' })],
      }),
    )
    expect(temp.partner.read().url).toBeNull()
    expect(
      temp.partner.set({ ...plain, allowPlaintext: true }, 'command-line').allowsPlaintext,
    ).toBe(true)
    temp.partner.set({ url: 'https://10.0.0.6/', allowPlaintext: true }, 'command-line')
    expect(temp.store.settings.get('partner.plaintextHosts')).toEqual([
      '10.0.0.5:8080',
      '10.0.0.6:443',
    ])
    temp.partner.set({ url: 'https://10.0.0.6/', allowPlaintext: false }, 'command-line')
    expect(temp.store.settings.get('partner.plaintextHosts')).toEqual(['10.0.0.5:8080'])
  })

  const WRONG: [what: string, given: { url?: string; secret?: string }, path: string][] = [
    ['another scheme', { url: 'ftp://ris.example/' }, 'body.url'],
    ['no URL', { url: 'ris.example' }, 'body.url'],
    ['a password in the URL', { url: 'https://a:b@ris.example/' }, 'body.url'],
    ['a fragment', { url: 'https://ris.example/#hook' }, 'body.url'],
    ['a secret without its prefix', { secret: SECRET.slice(6) }, 'body.secret'],
    [
      'a secret of 23 bytes',
      { secret: `whsec_${Buffer.alloc(23).toString('base64')}` },
      'body.secret',
    ],
    [
      'a secret of 65 bytes',
      { secret: `whsec_${Buffer.alloc(65).toString('base64')}` },
      'body.secret',
    ],
    [
      'a secret in base64url',
      { secret: `whsec_${Buffer.alloc(32, 0xff).toString('base64url')}` },
      'body.secret',
    ],
    [
      'a secret without its padding',
      { secret: `whsec_${Buffer.alloc(25, 1).toString('base64').replace(/=+$/, '')}` },
      'body.secret',
    ],
  ]
  it.each(WRONG)('refuses %s, naming the field', (_what, given, path) => {
    using temp = clinic()
    expect(() =>
      temp.partner.set(
        { url: URL_, secret: SECRET, allowPlaintext: true, ...given },
        'command-line',
      ),
    ).toThrow(
      expect.objectContaining({ code: 'malformed', errors: [expect.objectContaining({ path })] }),
    )
    expect(temp.partner.read().url).toBeNull()
    expect(temp.store.audit.list({ limit: 10 }).items).toEqual([])
  })
})
