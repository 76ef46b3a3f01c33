import { describe, expect, it } from 'vitest'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { TranscodingError } from '#server/dicom/transcoding/native-process.ts'
import type { Transcoder } from '#server/dicom/transcoding/transcoder.ts'
import { countForwards } from '#server/modules/forwarding/forward-queries.ts'
import { englishText } from '#shared/messages/english.ts'
import { message, verbatim } from '#shared/messages/message.ts'
import { freePort } from '../../../../support/free-port.ts'
import { ACTOR, forwardingStage, openArchive, STUDY } from './forwarding-fixture.ts'

const MINUTE_MS = 60_000

describe('forwarding', () => {
  it('keeps everything waiting for a destination that is down, says why, tries again later and later, and goes on when it is back', async () => {
    await using stage = forwardingStage()
    const port = await freePort()
    const { destinationId } = stage.add(port)
    await stage.keep('1.2.1')
    await stage.keep('1.2.2')
    const pauses: number[] = []
    for (let tries = 0; tries < 8; tries++) {
      await stage.forwarding.settled()
      const [destination] = stage.forwarding.list().destinations
      expect(destination?.lastError).toEqual(
        `Nothing is listening at 127.0.0.1:${port} (check that the system is switched on and that the port is correct).`,
      )
      const pause = Date.parse(destination?.nextAttemptAt ?? '') - stage.clock()
      pauses.push(pause / MINUTE_MS)
      stage.clock.pass(pause)
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60])
    // It was down for longer than an instance is tried: that alone gives nothing up.
    stage.clock.pass(100 * 60 * MINUTE_MS)
    expect(stage.states(destinationId)).toEqual(['1.2.1 waiting 0', '1.2.2 waiting 0'])
    expect(countForwards(stage.store.database)).toEqual({ waiting: 2, failed: 0 })
    expect(stage.news).toEqual([
      expect.stringMatching(
        /^danger: PACS is not accepting images: nothing is listening at .+ 2 images are waiting for it\.$/,
      ),
    ])
    await using archive = await openArchive({ port })
    await stage.forwarding.settled()
    expect(archive.received).toEqual(['1.2.1', '1.2.2'])
    expect(stage.forwarding.list().destinations).toMatchObject([
      { lastError: null, nextAttemptAt: null },
    ])
    expect(stage.news.slice(1)).toEqual([
      'good: PACS accepts images again.',
      `good: 2 images were sent to PACS. [${STUDY}]`,
    ])
  })

  it('says which AE title a destination that rejects us has to be told', async () => {
    const rejection = { result: 1, source: 1, reason: 3, why: verbatim('unknown') } as const
    await using archive = await openArchive({ policy: { decide: () => ({ reject: rejection }) } })
    await using stage = forwardingStage()
    stage.add(archive.port)
    await stage.keep('1.2.1')
    await stage.forwarding.settled()
    const { lastError } = stage.forwarding.list().destinations[0] ?? {}
    expect(lastError && englishText(lastError)).toContain('add ISTHMUS to its list of known nodes')
    expect(countForwards(stage.store.database)).toEqual({ waiting: 1, failed: 0 })
  })

  it('fails an instance at once that the destination will never take, with the reason, and sends the others', async () => {
    const answers: Record<string, number> = { '1.2.1': 0xa900, '1.2.2': 0xc000, '1.2.3': 0xb000 }
    await using archive = await openArchive({
      answer: ({ sopInstanceUid }) => ({
        status: answers[sopInstanceUid] ?? 0,
        errorComment: sopInstanceUid === '1.2.1' ? 'wrong class' : '',
      }),
    })
    await using stage = forwardingStage()
    const { destinationId } = stage.add(archive.port)
    for (const uid of ['1.2.1', '1.2.2', '1.2.3', '1.2.4']) await stage.keep(uid)
    await stage.forwarding.settled()
    expect(stage.states(destinationId).sort()).toEqual([
      '1.2.1 failed 1 It reports that the image is not of the kind that it is sent as (status A900): wrong class.',
      '1.2.2 failed 1 It cannot read the image (status C000).',
      '1.2.3 sent 1 It stored the image with a warning (status B000).',
      '1.2.4 sent 1',
    ])
    expect(countForwards(stage.store.database)).toEqual({ waiting: 0, failed: 2 })
    expect(stage.news[0]).toMatch(
      /^danger: 2 images were not sent to PACS: it cannot read the image \(status C000\)\./,
    )
    expect(stage.news.join()).not.toContain('wrong class')
  })

  it('tries an instance again that may pass later, and gives it up in the end', async () => {
    await using archive = await openArchive({ answer: () => ({ status: 0x0110 }) })
    await using stage = forwardingStage({ settings: { 'forwarding.giveUpHours': 1 } })
    const { destinationId } = stage.add(archive.port)
    await stage.keep('1.2.1')
    for (const minutes of [1, 2, 4, 8, 16]) {
      await stage.forwarding.settled()
      const [row] = stage.forwarding.instances(
        { destinationId, studyInstanceUid: STUDY },
        { limit: 10 },
      ).items
      expect(row).toMatchObject({ state: 'waiting', status: '0110' })
      expect(Date.parse(row?.nextAt ?? '') - stage.clock()).toBe(minutes * MINUTE_MS)
      stage.clock.pass(minutes * MINUTE_MS)
    }
    await stage.forwarding.settled()
    expect(stage.states(destinationId)).toEqual([
      '1.2.1 failed 6 It could not process the image (status 0110).',
    ])
    expect(archive.requests).toHaveLength(6)
    expect(stage.news.filter((line) => line.startsWith('danger'))).toHaveLength(1)
    // A person decides: it is tried anew, from the first pause on.
    expect(await stage.forwarding.retry(destinationId, undefined, ACTOR)).toEqual({
      success: true,
      message: '1 image is being retried now.',
    })
    await stage.forwarding.settled()
    expect(stage.states(destinationId)).toEqual([
      '1.2.1 waiting 1 It could not process the image (status 0110).',
    ])
  })

  it('sends no more to a destination that is out of resources, until its pause is over', async () => {
    let isFull = true
    await using archive = await openArchive({
      answer: () => ({ status: isFull ? 0xa700 : 0x0000 }),
    })
    await using stage = forwardingStage()
    const { destinationId } = stage.add(archive.port)
    for (const uid of ['1.2.1', '1.2.2', '1.2.3']) await stage.keep(uid)
    await stage.forwarding.settled()
    expect(archive.requests).toHaveLength(1)
    expect(stage.news[0]).toMatch(
      /^danger: PACS is not accepting images: it has no space left, for example on its disk \(status A700\)\./,
    )
    isFull = false
    stage.clock.pass(MINUTE_MS)
    await stage.forwarding.settled()
    expect(archive.received.toSorted()).toEqual(['1.2.1', '1.2.2', '1.2.3'])
    expect(stage.forwarding.list().destinations).toMatchObject([
      { destinationId, queue: { waiting: 0, sent: 3, failed: 0 }, lastError: null },
    ])
  })

  it('does not let one instance that cannot be sent hold up the others', async () => {
    await using archive = await openArchive()
    await using stage = forwardingStage()
    const { destinationId } = stage.add(archive.port)
    const { file } = await stage.keep('1.2.1')
    await stage.keep('1.2.2')
    await stage.store.imageFiles.remove(file)
    await stage.forwarding.settled()
    expect(archive.received).toEqual(['1.2.2'])
    expect(stage.states(destinationId).toSorted()).toEqual([
      '1.2.1 waiting 1 Its file on the gateway cannot be read.',
      '1.2.2 sent 1',
    ])
    expect(stage.forwarding.list().destinations[0]?.nextAttemptAt).toBe('2026-03-10T09:01:00.000Z')
  })

  it('fails an instance whose transfer syntax is refused and cannot be transcoded, and says what is missing', async () => {
    await using archive = await openArchive({
      transferSyntaxes: [TRANSFER_SYNTAX.implicitLittleEndian],
    })
    await using stage = forwardingStage()
    const { destinationId } = stage.add(archive.port)
    await stage.keep('1.2.1')
    await stage.forwarding.settled()
    expect(stage.states(destinationId)).toEqual([
      '1.2.1 failed 1 It does not accept Explicit VR Little Endian, and the gateway cannot convert the image: dicom-dimse-native is not installed: run npm run native.',
    ])
    expect(archive.received).toEqual([])
  })

  const NOT_CONVERTED = new TranscodingError(
    message('transcoding.not-possible', { syntax: 'Implicit VR Little Endian' }),
  )
  const FULL = Object.assign(new Error('ENOSPC: no space left on device'), {
    code: 'ENOSPC',
    syscall: 'mkdtemp',
  })
  const GONE = Object.assign(new Error('ENOENT: no such file'), { code: 'ENOENT', syscall: 'open' })
  const NO_SPACE = 'the gateway does not have enough disk space to convert it'

  // More bytes than any disk of a test has free: the conversion could not have had room.
  it.each([
    [
      'fails',
      'the image cannot be converted',
      NOT_CONVERTED,
      {},
      `failed 1 … ${NOT_CONVERTED.message}.`,
    ],
    ['tries again', 'the disk is full', FULL, {}, `waiting 1 … ${NO_SPACE}.`],
    [
      'tries again',
      'the disk has too little space',
      NOT_CONVERTED,
      { bytes: 1e14 },
      `waiting 1 … ${NO_SPACE}.`,
    ],
    [
      'tries again',
      'the file cannot be read',
      GONE,
      {},
      'waiting 1 … the gateway could not write it.',
    ],
  ])('%s an instance that is to be transcoded where %s', async (_, __, error, more, state) => {
    await using archive = await openArchive({
      transferSyntaxes: [TRANSFER_SYNTAX.implicitLittleEndian],
    })
    const transcoder: Transcoder = {
      available: () => ({ isAvailable: true, detail: null }),
      transcode: () => Promise.reject(error),
    }
    await using stage = forwardingStage({ transcoder })
    const { destinationId } = stage.add(archive.port)
    await stage.keep('1.2.1', more)
    await stage.forwarding.settled()
    const why =
      'It does not accept Explicit VR Little Endian, and the gateway cannot convert the image:'
    expect(stage.states(destinationId)).toEqual([`1.2.1 ${state.replace('…', why)}`])
    expect(stage.errors).toEqual([])
  })

  it('fails an instance of a SOP class the destination does not take', async () => {
    await using archive = await openArchive({ transferSyntaxes: [] })
    await using stage = forwardingStage()
    const { destinationId } = stage.add(archive.port)
    await stage.keep('1.2.1')
    await stage.forwarding.settled()
    expect(stage.states(destinationId)).toEqual([
      '1.2.1 failed 1 It does not accept images of this kind (CT Image Storage).',
    ])
  })
})
