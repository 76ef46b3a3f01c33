import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { writeMessage } from '#server/dicom/dimse/message.ts'
import type { ImageStudySummary } from '#shared/contract/images.ts'
import { type StartedGateway, startGateway } from '../support/gateway.ts'
import { associated, type Requestor } from '../support/requestor.ts'
import {
  feedTexts,
  IMAGE_CONTEXT,
  IMAGES,
  imageBytes,
  imageOf,
  kept,
  storeImage,
  storeRq,
  studyOf,
  unfinished,
} from './refusal-fixture.ts'

/** Longest P-DATA-TF that the bytes are cut into. */
const PDU = 4096
/** Silence that the gateway bears, seconds: the least there is. */
const IDLE = 5

let started: StartedGateway
beforeAll(async () => {
  started = await startGateway({
    partner: null,
    overrides: { 'intake.idleSeconds': 1, 'dimse.idleSeconds': IDLE },
  })
})
afterAll(() => started[Symbol.asyncDispose]())

/** The bytes of a C-STORE as far as the sender gets with them. */
const STAGES: Readonly<Record<string, (command: Buffer, whole: Buffer) => Buffer>> = {
  'before the command is over': (command) => command.subarray(0, command.length - 20),
  'after the command': (command) => command,
  'within a fragment': (_, whole) => whole.subarray(0, Math.floor(whole.length / 2) + 7),
  'between two fragments': (command, whole) => whole.subarray(0, command.length + 10 * (PDU + 6)),
  'before the last byte': (_, whole) => whole.subarray(0, -1),
}

const WAYS: Readonly<Record<string, (requestor: Requestor) => void>> = {
  'closes the connection': (requestor) => requestor.halfClose(),
  'resets the connection': (requestor) => requestor.reset(),
  'aborts the association': (requestor) => requestor.abort(),
}

/** Between PDUs alone an A-ABORT is one. */
const BETWEEN_PDUS = ['after the command', 'between two fragments']
const CASES = Object.keys(STAGES).flatMap((stage) =>
  Object.keys(WAYS)
    .filter((way) => way !== 'aborts the association' || BETWEEN_PDUS.includes(stage))
    .map((way) => ({ stage, way, name: `${way} ${stage}` })),
)

const first = (studyInstanceUid: string) => imageOf(studyInstanceUid, 1)
const second = (studyInstanceUid: string) => imageOf(studyInstanceUid, 2, 200)

let studies = 0
/** None begins with another. */
const nextStudy = (): string => `2.25.520${100 + ++studies}`

/** Sends an image, then a second one as far as the stage says. */
async function begin(studyInstanceUid: string, stage: string): Promise<Requestor> {
  const requestor = await associated(started.dimsePort, IMAGES)
  expect(await storeImage(requestor, first(studyInstanceUid))).toBe('0000')
  const made = second(studyInstanceUid)
  const command = storeRq(made.sopInstanceUid)
  const ofCommand = writeMessage(IMAGE_CONTEXT.id, command, undefined, PDU)
  const whole = writeMessage(IMAGE_CONTEXT.id, command, imageBytes(made), PDU)
  requestor.send(STAGES[stage]?.(ofCommand, whole) ?? whole)
  return requestor
}

const stateOf = async (studyInstanceUid: string) =>
  (await studyOf(started, studyInstanceUid))?.state
/** Waits until the window shows the study so. */
async function shown(
  studyInstanceUid: string,
  state: 'incomplete' | 'complete',
): Promise<ImageStudySummary | undefined> {
  await vi.waitFor(async () => expect(await stateOf(studyInstanceUid)).toBe(state), {
    timeout: 15_000,
    interval: 100,
  })
  return studyOf(started, studyInstanceUid)
}

const filesOf = (studyInstanceUid: string) =>
  kept(started).filter(({ dataSet }) => dataSet.includes(studyInstanceUid))

/** What there is of a study after its sender has vanished within the second image. */
async function leftOf(studyInstanceUid: string) {
  const study = await shown(studyInstanceUid, 'incomplete')
  const whole = imageBytes(first(studyInstanceUid))
  return {
    instances: study?.instances,
    how: study?.lastTransfer.how,
    files: filesOf(studyInstanceUid).map(({ dataSet }) => dataSet.equals(whole)),
  }
}
const FIRST_ALONE = { instances: 1, how: 'aborted', files: [true] }

describe('a sender that vanishes', () => {
  it('at any stage, in any way: nothing half-written stays, and the study shows it', async () => {
    const found = await Promise.all(
      CASES.map(async ({ stage, way, name }) => {
        const studyInstanceUid = nextStudy()
        await using requestor = await begin(studyInstanceUid, stage)
        WAYS[way]?.(requestor)
        return [name, await leftOf(studyInstanceUid)] as const
      }),
    )
    expect(Object.fromEntries(found)).toEqual(
      Object.fromEntries(CASES.map(({ name }) => [name, FIRST_ALONE])),
    )
    expect(unfinished(started)).toEqual([])
    const broke = (await feedTexts(started)).filter((text) =>
      text.startsWith('The device sent 1 object from 1 study. Then the transfer was interrupted: '),
    )
    expect(broke).toHaveLength(CASES.length)
  })

  it('into silence, at any stage: it is cut off, nothing half-written stays, and the study shows it', async () => {
    const found = await Promise.all(
      Object.keys(STAGES).map(async (stage) => {
        const studyInstanceUid = nextStudy()
        await using requestor = await begin(studyInstanceUid, stage)
        const { type } = await requestor.next()
        return [stage, { type, ...(await leftOf(studyInstanceUid)) }] as const
      }),
    )
    const cutOff = { type: 'A-ABORT', ...FIRST_ALONE }
    expect(Object.fromEntries(found)).toEqual(
      Object.fromEntries(Object.keys(STAGES).map((stage) => [stage, cutOff])),
    )
    expect(unfinished(started)).toEqual([])
  })

  it('before the response: the image is whole or not there, and sent again it is no fault', async () => {
    await Promise.all(
      Object.keys(WAYS).map(async (way) => {
        const studyInstanceUid = nextStudy()
        {
          await using requestor = await begin(studyInstanceUid, 'before the response')
          WAYS[way]?.(requestor)
        }
        const study = await shown(studyInstanceUid, 'incomplete')
        const images = [first(studyInstanceUid), second(studyInstanceUid)]
        const whole = images.map((image) => imageBytes(image))
        const files = filesOf(studyInstanceUid)
        expect(study).toMatchObject({ instances: files.length, lastTransfer: { how: 'aborted' } })
        expect(
          files.filter(({ dataSet }) => !whole.some((bytes) => bytes.equals(dataSet))),
        ).toEqual([])

        await using again = await associated(started.dimsePort, IMAGES)
        for (const image of images) expect(await storeImage(again, image)).toBe('0000')
        await again.release()
        expect(await shown(studyInstanceUid, 'complete')).toMatchObject({
          instances: 2,
          lastTransfer: { how: 'released' },
        })
        expect(filesOf(studyInstanceUid)).toHaveLength(2)
      }),
    )
    expect(unfinished(started)).toEqual([])
  })
})
