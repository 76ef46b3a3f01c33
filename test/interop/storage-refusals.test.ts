import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import type { CommandSet } from '#server/dicom/dimse/command-set.ts'
import { dashboardImages } from '#shared/contract/images.ts'
import { type StartedGateway, startGateway } from '../support/gateway.ts'
import { imageDataSet, type MadeInstance } from '../support/instance-file.ts'
import { associated, Requestor } from '../support/requestor.ts'
import {
  feedTexts,
  IMAGE_CONTEXT,
  IMAGES,
  imageBytes,
  imageOf,
  kept,
  store,
  storeImage,
  storeRq,
  studyOf,
  TAG,
  unfinished,
} from './refusal-fixture.ts'

const { explicitLittleEndian, implicitLittleEndian } = TRANSFER_SYNTAX
/** 65 characters: one more than PS3.5 Table 6.2-1 allows. */
const TOO_LONG = `1.2.${'3'.repeat(61)}`
const UID = '2.25.500.1.1'
const MADE: MadeInstance = {
  sopInstanceUid: UID,
  studyInstanceUid: '2.25.500',
  seriesInstanceUid: '2.25.500.1',
}

let started: StartedGateway
beforeAll(async () => {
  started = await startGateway({ partner: null })
})
afterAll(() => started[Symbol.asyncDispose]())

/** A command that lacks an element. */
const without = (name: keyof CommandSet): CommandSet => {
  const { [name]: _, ...rest } = storeRq(UID)
  return rest as CommandSet
}

describe('an object is refused, nothing of it is kept, and the association goes on:', () => {
  it.for<
    readonly [what: string, command: CommandSet, dataSet: Buffer | undefined, expected: string]
  >([
    [
      'no affected SOP class',
      without('affectedSopClassUid'),
      imageBytes(MADE),
      'A900 Affected SOP Class UID is missing or not a UID',
    ],
    [
      'another SOP class than its context',
      storeRq(UID, { affectedSopClassUid: '1.2.840.10008.5.1.4.1.1.4' }),
      imageBytes(MADE),
      '0122',
    ],
    [
      'no affected SOP instance',
      without('affectedSopInstanceUid'),
      imageBytes(MADE),
      'A900 Affected SOP Instance UID is missing or not a UID',
    ],
    [
      'a UID that is too long',
      storeRq(TOO_LONG),
      imageBytes({ ...MADE, sopInstanceUid: TOO_LONG }),
      'A900 Affected SOP Instance UID is missing or not a UID',
    ],
    [
      'a UID with a blank in it',
      storeRq('1.2 .3'),
      imageBytes({ ...MADE, sopInstanceUid: '1.2 .3' }),
      'A900 Affected SOP Instance UID is missing or not a UID',
    ],
    [
      'another SOP instance in the data set',
      storeRq('2.25.500.1.2'),
      imageBytes(MADE),
      'A900 SOP Instance UID differs from the affected one',
    ],
    [
      'another SOP class in the data set',
      storeRq(UID),
      imageBytes({ ...MADE, sopClassUid: '1.2.840.10008.5.1.4.1.1.4' }),
      'A900 SOP Class UID differs from the affected one',
    ],
    [
      'no Study Instance UID',
      storeRq(UID),
      imageBytes(MADE, [TAG.studyInstanceUid]),
      'A900 Study Instance UID is missing or not a UID',
    ],
    [
      'an empty Study Instance UID',
      storeRq(UID),
      imageBytes({ ...MADE, studyInstanceUid: '' }),
      'A900 Study Instance UID is missing or not a UID',
    ],
    [
      'a Study Instance UID that is too long',
      storeRq(UID),
      imageBytes({ ...MADE, studyInstanceUid: TOO_LONG }),
      'A900 Study Instance UID is missing or not a UID',
    ],
    [
      'no Series Instance UID',
      storeRq(UID),
      imageBytes(MADE, [TAG.seriesInstanceUid]),
      'A900 Series Instance UID is missing or not a UID',
    ],
    [
      'no SOP Class UID',
      storeRq(UID),
      imageBytes(MADE, [TAG.sopClassUid]),
      'C000 Cannot understand: no SOP Class UID in the data set',
    ],
    [
      'no SOP Instance UID',
      storeRq(UID),
      imageBytes(MADE, [TAG.sopInstanceUid]),
      'C000 Cannot understand: no SOP Instance UID in the data set',
    ],
    [
      'text in place of a data set',
      storeRq(UID),
      Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
      'C000 Cannot understand: no SOP Class UID in the data set',
    ],
    [
      'noise in place of a data set',
      storeRq(UID),
      noise(),
      'C000 Cannot understand: no SOP Class UID in the data set',
    ],
    [
      'a data set of another transfer syntax',
      storeRq(UID),
      writeDataSet(imageDataSet(MADE), implicitLittleEndian),
      'C000 Cannot understand: no SOP Class UID in the data set',
    ],
    [
      'a data set that ends within an element',
      storeRq(UID),
      imageBytes(MADE).subarray(0, 200),
      'C000 Cannot understand: data set ends within an element',
    ],
    [
      'an empty data set',
      storeRq(UID),
      Buffer.alloc(0),
      'C000 Cannot understand: no SOP Class UID in the data set',
    ],
    [
      'no data set',
      storeRq(UID, { hasDataSet: false }),
      undefined,
      'C000 Cannot understand: no SOP Class UID in the data set',
    ],
  ])('%s', async ([, command, dataSet, expected]) => {
    await using requestor = await associated(started.dimsePort, IMAGES)
    const before = kept(started).length
    expect(await store(requestor, command, dataSet)).toBe(expected)
    expect([kept(started).length, unfinished(started)]).toEqual([before, []])
    if (expected !== '0122') {
      const [status, comment] = [expected.slice(0, 4), expected.slice(5)]
      // The feed says where, too.
      const said = (await feedTexts(started)).filter((text) =>
        text.startsWith(`Refused: ${comment}`),
      )
      expect(said[0]).toContain(`(status ${status}).`)
    }
    expect(await storeImage(requestor, imageOf('2.25.501', 1))).toBe('0000')
    expect((await requestor.release()).type).toBe('A-RELEASE-RP')
  })
})

describe('an object whose identifiers break the rules of DICOM is kept, set aside and shown:', () => {
  it.for([
    ['a leading zero', { sopInstanceUid: '1.2.01' }],
    ['letters', { sopInstanceUid: '1.2.abc' }],
    ['a path', { sopInstanceUid: '../../../x', studyInstanceUid: '../../etc' }],
    ['a study with a leading zero', { sopInstanceUid: '2.25.502.1.1', studyInstanceUid: '1.02' }],
    ['a series with a leading zero', { sopInstanceUid: '2.25.502.1.2', seriesInstanceUid: '1.03' }],
  ] as const)('%s', async ([, uids]) => {
    await using requestor = await associated(started.dimsePort, IMAGES)
    const made = { ...MADE, ...uids }
    expect(await storeImage(requestor, made)).toBe('0000')
    const { instances } = await started.call(dashboardImages.quarantine, { query: { limit: 100 } })
    const aside = instances.find(({ sopInstanceUid }) => sopInstanceUid === uids.sopInstanceUid)
    expect(aside).toMatchObject({
      reason: 'invalid-uid',
      studyInstanceUid: made.studyInstanceUid,
      deviceName: 'CT1',
    })
    expect(aside?.detail).toMatchObject({ code: 'images.odd-uid' })
    const files = kept(started).filter(({ dataSet }) => dataSet.equals(imageBytes(made)))
    expect(files).toHaveLength(1)
    // Nothing that came from the network is a part of the path.
    expect(files[0]?.path.slice(started.folder.length)).toMatch(
      /^\/images\/[0-9a-f]{2}\/[0-9a-f]{32}\/[0-9a-f-]{36}\.dcm$/,
    )
  })
})

describe('a storage class that DICOM does not define', () => {
  // Siemens' CSA Non-Image Storage.
  const PRIVATE = '1.3.12.2.1107.5.9.1'
  const PRIVATE_CONTEXT = {
    id: 9,
    abstractSyntax: PRIVATE,
    transferSyntaxes: [explicitLittleEndian],
  }
  const made = { ...imageOf('2.25.503', 1), sopClassUid: PRIVATE }

  it('is refused with its context', async () => {
    await using requestor = await Requestor.connect(started.dimsePort)
    const { presentationContexts } = await requestor.associate({
      contexts: [IMAGE_CONTEXT, PRIVATE_CONTEXT],
    })
    // PS3.8 Table 9-18: abstract syntax not supported.
    expect(presentationContexts.map(({ id, result }) => [id, result])).toEqual([
      [IMAGE_CONTEXT.id, 0],
      [PRIVATE_CONTEXT.id, 3],
    ])
  })

  it('is taken where the clinic has it so', async () => {
    await using own = await startGateway({
      partner: null,
      overrides: { 'intake.acceptUnknownClasses': true },
    })
    await using requestor = await associated(own.dimsePort, { contexts: [PRIVATE_CONTEXT] })
    const command = storeRq(made.sopInstanceUid, { affectedSopClassUid: PRIVATE })
    expect(await store(requestor, command, imageBytes(made), PRIVATE_CONTEXT.id)).toBe('0000')
    expect(kept(own).map(({ dataSet }) => dataSet.equals(imageBytes(made)))).toEqual([true])
    expect(await studyOf(own, '2.25.503')).toMatchObject({ instances: 1, quarantined: 0 })
  })
})

/** The same in every run. */
function noise(): Buffer {
  return Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * 7919) % 251))
}
