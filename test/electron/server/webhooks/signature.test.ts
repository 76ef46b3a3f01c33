import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { signatureHeaders } from '#server/webhooks/signature.ts'
import type { WebhookError } from '#server/webhooks/webhook-error.ts'
import { runs } from '../../../support/property-runs.ts'

const NEW = `whsec_${randomBytes(32).toString('base64')}`
const OLD = `whsec_${randomBytes(24).toString('base64')}`
const signed = (secrets: readonly string[], body = '{"id":"whe_1"}') =>
  signatureHeaders({ id: 'whe_1', at: Date.now(), body: Buffer.from(body), secrets })

describe('signatureHeaders', () => {
  it('signs as the example of the Standard Webhooks specification', () => {
    const headers = signatureHeaders({
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      at: 1_614_265_330_999,
      body: Buffer.from('{"test": 2432232314}'),
      secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    })
    expect(headers).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
  })

  it('is accepted by the reference library, whatever the body', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (body) => {
        expect(
          new Webhook(NEW).verify(body, signed([NEW], body), { jsonParse: false }),
        ).toBeUndefined()
      }),
      runs(100),
    )
  })

  it('is accepted with either secret while one replaces the other', () => {
    const headers = signed([NEW, OLD])
    expect(headers['webhook-signature'].split(' ')).toHaveLength(2)
    expect(new Webhook(NEW).verify('{"id":"whe_1"}', headers)).toEqual({ id: 'whe_1' })
    expect(new Webhook(OLD).verify('{"id":"whe_1"}', headers)).toEqual({ id: 'whe_1' })
  })

  it('is refused by the reference library when a byte of the body changed', () => {
    expect(() => new Webhook(NEW).verify('{"id":"whe_2"}', signed([NEW]))).toThrow(
      'No matching signature',
    )
  })

  it('takes a secret without its prefix', () => {
    expect(signed([NEW.slice('whsec_'.length)])['webhook-signature']).toBe(
      signed([NEW])['webhook-signature'],
    )
  })

  it('says what is wrong with the secret, and never the secret', () => {
    const faultOf = (secrets: readonly string[]) => {
      try {
        signed(secrets)
      } catch (error) {
        return (error as WebhookError).detail
      }
      return 'none'
    }
    expect(faultOf([])).toEqual('the partner has no signing secret')
    expect(faultOf([NEW, 'whsec_wrong!'])).toEqual(
      'the partner’s signing secret does not consist of whsec_ and base64',
    )
  })

  it.each([
    [],
    ['whsec_'],
    ['whsec_not base64!'],
    ['whsec_QUJ'],
    ['whsec_QUJDRA'],
    ['whsec_QUJDRA=='.replace('=', '-')],
  ])('sends nothing unsigned or signed with half a key: %j', (...secrets) => {
    expect(() => signed(secrets)).toThrow(expect.objectContaining({ fault: 'no-endpoint' }))
  })
})
