import { describe, expect, it } from 'vitest'
import { verification } from '#server/dicom/scp/service-classes.ts'
import {
  accept,
  decide,
  providerRejection,
  serviceNamesOf,
  unlistedRejection,
} from '#server/dicom/upper-layer/association-admission.ts'
import { DEFAULT_LIMITS } from '#server/dicom/upper-layer/limits.ts'
import { associateRq, ECHO_CONTEXT } from '../../../../support/requestor.ts'

const LIMITS = { ...DEFAULT_LIMITS, associations: 10, associationsPerCaller: 2 }
const NONE = { all: 0, ofCaller: 0, ofHost: 0, unlisted: 0, unlistedOfHost: 0 }
const INFO = {
  associationId: 'a',
  callingAeTitle: 'CT1',
  calledAeTitle: 'ISTHMUS',
  remoteAddress: '10.0.3.7',
}

describe('admission', () => {
  it.each([
    ['version 2 alone', 0b10, NONE, [1, 2, 2]],
    ['the tenth of ten open', 1, { ...NONE, all: 10 }, [2, 3, 2]],
    ['the second of two of this caller open', 1, { ...NONE, all: 2, ofCaller: 2 }, [2, 3, 2]],
    ['five of ten of this host open', 1, { ...NONE, all: 5, ofHost: 5 }, [2, 3, 2]],
    ['one below each limit', 0b11, { ...NONE, all: 9, ofCaller: 1, ofHost: 4 }, undefined],
  ])('by the provider, with %s', (_what, protocolVersion, open, expected) => {
    const rejection = providerRejection(associateRq({ protocolVersion }), open, LIMITS)
    expect(rejection && [rejection.result, rejection.source, rejection.reason]).toEqual(expected)
  })

  it.each([
    ['half of ten', { ...NONE, unlisted: 5 }, [2, 3, 2]],
    [
      'two of the same host, the least that one gets',
      { ...NONE, unlisted: 2, unlistedOfHost: 2 },
      [2, 3, 2],
    ],
    ['fewer', { ...NONE, unlisted: 4, unlistedOfHost: 1 }, undefined],
  ])(
    'by the provider, of a caller outside the device list with %s open',
    (_what, open, expected) => {
      const rejection = unlistedRejection(open, LIMITS)
      expect(rejection && [rejection.result, rejection.source, rejection.reason]).toEqual(expected)
    },
  )

  it('asks the policy only within the application context of DICOM', () => {
    const policy = {
      decide: () => {
        throw new Error('asked')
      },
    }
    const decision = decide(
      associateRq({ applicationContext: '1.2.3' }),
      INFO,
      NONE,
      policy,
      LIMITS,
    )
    expect(decision).toMatchObject({ reject: { result: 1, source: 1, reason: 2 } })
    expect(() => decide(associateRq(), INFO, NONE, policy, LIMITS)).toThrow('asked')
  })

  it('replies to a request without contexts with none', () => {
    const { reply, accepted } = accept(associateRq({ contexts: [] }), () => verification(), 65_536)
    expect([reply.presentationContexts, accepted.size]).toEqual([[], 0])
  })

  it('names what was proposed in words, each once', () => {
    const request = associateRq({
      contexts: [
        ECHO_CONTEXT,
        { ...ECHO_CONTEXT, id: 3 },
        { ...ECHO_CONTEXT, id: 5, abstractSyntax: '1.2.3' },
      ],
    })
    expect(serviceNamesOf(request)).toEqual(['Verification', '1.2.3'])
  })
})
