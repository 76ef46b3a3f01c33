import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Pdu } from '#server/dicom/upper-layer/pdu.ts'
import { PduReader } from '#server/dicom/upper-layer/pdu-reader.ts'
import { writePdu } from '#server/dicom/upper-layer/pdu-writer.ts'
import { RUNS_TIMEOUT_MS, runs } from '../../../../support/property-runs.ts'

const aeTitle = fc.stringMatching(/^[A-Z0-9_-]{1,16}$/)
const uid = fc.stringMatching(/^[1-9]\d{0,5}(\.[1-9]\d{0,5}){1,8}$/)
const plainUser = fc.record({
  maximumLength: fc.oneof(fc.constant(0), fc.integer({ min: 12, max: 0xffffffff })),
  implementationClassUid: uid,
  implementationVersionName: fc.stringMatching(/^[A-Z0-9_]{1,16}$/),
  asynchronousOperations: fc.option(
    fc.record({ invoked: fc.nat(0xffff), performed: fc.nat(0xffff) }),
    { nil: undefined },
  ),
  roles: fc.array(fc.record({ sopClass: uid, scu: fc.boolean(), scp: fc.boolean() }), {
    maxLength: 3,
  }),
})
const extended = fc.array(
  fc.record({
    sopClass: uid,
    information: fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes)),
  }),
  { minLength: 1, maxLength: 3 },
)
const user = fc.oneof(
  plainUser,
  fc.tuple(plainUser, extended).map(([one, options]) => ({ ...one, extended: options })),
)
const association = {
  protocolVersion: fc.nat(0xffff),
  calledAeTitle: aeTitle,
  callingAeTitle: aeTitle,
  applicationContext: uid,
  user,
}
const contextId = fc.nat(127).map((n) => n * 2 + 1)
const contexts = <T>(context: fc.Arbitrary<T & { id: number }>) =>
  fc.uniqueArray(context, { selector: ({ id }) => id, maxLength: 8 })
const byte = fc.nat(255)

const anyPdu: fc.Arbitrary<Pdu> = fc.oneof(
  fc.record({
    type: fc.constant('A-ASSOCIATE-RQ' as const),
    ...association,
    presentationContexts: contexts(
      fc.record({
        id: contextId,
        abstractSyntax: uid,
        transferSyntaxes: fc.array(uid, { minLength: 1, maxLength: 4 }),
      }),
    ),
  }),
  fc.record({
    type: fc.constant('A-ASSOCIATE-AC' as const),
    ...association,
    presentationContexts: contexts(
      fc.record({ id: contextId, result: fc.constantFrom(0, 1, 2, 3, 4), transferSyntax: uid }),
    ),
  }),
  fc.record({
    type: fc.constant('A-ASSOCIATE-RJ' as const),
    result: byte,
    source: byte,
    reason: byte,
  }),
  fc.record({
    type: fc.constant('P-DATA-TF' as const),
    pdvs: fc.array(
      fc.record({
        contextId: byte,
        isCommand: fc.boolean(),
        isLast: fc.boolean(),
        data: fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
      }),
      { maxLength: 4 },
    ),
  }),
  fc.record({ type: fc.constantFrom('A-RELEASE-RQ' as const, 'A-RELEASE-RP' as const) }),
  fc.record({ type: fc.constant('A-ABORT' as const), source: byte, reason: byte }),
)

describe('writing PDUs', () => {
  it('writes what the reader reads back, whatever the PDU', { timeout: RUNS_TIMEOUT_MS }, () => {
    fc.assert(
      fc.property(anyPdu, (pdu) => {
        const reader = new PduReader({ maxPduLength: 65_536, associateBytes: 1 << 20 })
        reader.push(writePdu(pdu))
        expect(reader.next()).toEqual(pdu)
        expect(reader.next()).toBeUndefined()
      }),
      runs(300),
    )
  })

  it.each<[Pdu, string]>([
    [{ type: 'A-ASSOCIATE-RJ', result: 2, source: 3, reason: 2 }, '03 00 00000004 00 02 03 02'],
    [{ type: 'A-RELEASE-RQ' }, '05 00 00000004 00000000'],
    [{ type: 'A-RELEASE-RP' }, '06 00 00000004 00000000'],
    [{ type: 'A-ABORT', source: 2, reason: 1 }, '07 00 00000004 00 00 02 01'],
    [
      {
        type: 'P-DATA-TF',
        pdvs: [{ contextId: 3, isCommand: true, isLast: true, data: Buffer.from('ab') }],
      },
      '04 00 00000008 00000004 03 03 6162',
    ],
  ])('writes the bytes of PS3.8 §9.3 for %o', (pdu, bytes) => {
    expect(writePdu(pdu)).toEqual(Buffer.from(bytes.replaceAll(' ', ''), 'hex'))
  })

  it('pads AE titles with spaces to sixteen', () => {
    const bytes = writePdu({
      type: 'A-ASSOCIATE-RQ',
      protocolVersion: 1,
      calledAeTitle: 'ISTHMUS',
      callingAeTitle: 'SIXTEEN_LETTERS_',
      applicationContext: '1.2',
      presentationContexts: [],
      user: {
        maximumLength: 0,
        implementationClassUid: '',
        implementationVersionName: '',
        asynchronousOperations: undefined,
        roles: [],
      },
    })
    expect(bytes.toString('latin1', 10, 42)).toBe('ISTHMUS         SIXTEEN_LETTERS_')
  })
})
