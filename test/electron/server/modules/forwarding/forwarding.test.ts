import { describe, expect, it } from 'vitest'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { sendInstances } from '#server/dicom/scu/store.ts'
import {
  appendForward,
  countForwards,
  countForwardsTo,
} from '#server/modules/forwarding/forward-queries.ts'
import { enqueueInstance } from '#server/modules/forwarding/queue.ts'
import { BATCH_SIZE, MAX_UNRECORDED } from '#server/modules/forwarding/worker.ts'
import { insertInstance, setInstanceState } from '#server/modules/images/instance-queries.ts'
import { freePort } from '../../../../support/free-port.ts'
import { withoutRoom } from '../../../../support/temp-store.ts'
import { ACTOR, type Archive, forwardingStage, openArchive, STUDY } from './forwarding-fixture.ts'

const MINUTE_MS = 60_000

describe('forwarding', () => {
  it('sends what is kept to an automatic destination, once, in its own transfer syntax and over one association', async () => {
    await using archive = await openArchive()
    await using stage = forwardingStage()
    const { destinationId } = stage.add(archive.port)
    for (const uid of ['1.2.1', '1.2.2', '1.2.3']) await stage.keep(uid)
    await stage.forwarding.settled()
    await stage.forwarding.settled()
    expect(archive.received).toEqual(['1.2.1', '1.2.2', '1.2.3'])
    expect(archive.requests.map(({ transferSyntax }) => transferSyntax)).toEqual(
      Array(3).fill(TRANSFER_SYNTAX.explicitLittleEndian),
    )
    expect(archive.associations).toBe(1)
    expect(stage.states(destinationId)).toEqual(['1.2.1 sent 1', '1.2.2 sent 1', '1.2.3 sent 1'])
    expect(stage.forwarding.list().destinations).toMatchObject([
      {
        queue: { waiting: 0, sent: 3, failed: 0 },
        lastError: null,
        lastSentAt: '2026-03-10T09:00:00.000Z',
        nextAttemptAt: null,
      },
    ])
    expect(stage.forwarding.studies({ limit: 10, show: 'all' }).items).toMatchObject([
      {
        destinationName: 'PACS',
        studyInstanceUid: STUDY,
        patientName: 'Probe^Paula',
        sent: 3,
        waiting: 0,
      },
    ])
    expect(stage.news).toEqual([`good: 3 images were sent to PACS. [${STUDY}]`])
    expect(stage.errors).toEqual([])
  })

  it('sends all that waits, each once, while the disk takes no record of it', async () => {
    await using archive = await openArchive()
    await using stage = forwardingStage()
    // Not before all are queued, however long that takes.
    const { destinationId } = stage.add(archive.port, { isEnabled: false })
    const uids = Array.from({ length: BATCH_SIZE + 1 }, (_, at) => `1.2.${at + 1}`)
    for (const uid of uids) await stage.keep(uid)
    stage.forwarding.update(destinationId, { isEnabled: true }, ACTOR)
    {
      using _ = withoutRoom(stage.store, 'read-only')
      await stage.forwarding.settled()
      stage.clock.pass(MINUTE_MS)
      await stage.forwarding.settled()
      expect(archive.received).toEqual(uids)
      expect(countForwards(stage.store.database)).toEqual({ waiting: uids.length, failed: 0 })
      expect(stage.news).toEqual([`good: ${uids.length} images were sent to PACS. [${STUDY}]`])
    }
    stage.clock.pass(MINUTE_MS)
    await stage.forwarding.settled()
    expect(archive.received).toEqual(uids)
    expect(countForwards(stage.store.database)).toEqual({ waiting: 0, failed: 0 })
    expect(stage.errors).toEqual([])
  })

  it('sends five thousand images at most while the disk takes no record of them', async () => {
    let sent = 0
    await using stage = forwardingStage({
      async *sendInstances(_, instances) {
        for (const instance of instances) {
          sent++
          yield { instance, outcome: 'sent', status: 0x0000, sentAs: instance.transferSyntaxUid }
        }
      },
    })
    const { destinationId } = stage.add(await freePort(), { isEnabled: false })
    const { instanceId: _, ...first } = await stage.keep('1.2.0')
    stage.store.database.transaction(() => {
      for (let at = 1; at <= MAX_UNRECORDED + BATCH_SIZE; at++) {
        const kept = insertInstance(stage.store.database, {
          ...first,
          sopInstanceUid: `1.2.${at}`,
          file: `0a/${at}.dcm`,
        })
        enqueueInstance(stage.store, kept)
      }
    })
    stage.forwarding.update(destinationId, { isEnabled: true }, ACTOR)
    {
      using _ = withoutRoom(stage.store, 'read-only')
      for (let round = 0; round < 2; round++) {
        await stage.forwarding.settled()
        expect(sent).toBe(MAX_UNRECORDED)
        stage.clock.pass(MINUTE_MS)
      }
    }
    await stage.forwarding.settled()
    expect(sent).toBe(MAX_UNRECORDED + BATCH_SIZE + 1)
    expect(countForwards(stage.store.database)).toEqual({ waiting: 0, failed: 0 })
  }, 60_000)

  it('does not fail for good what could not be sent while the disk takes no record of it', async () => {
    await using old = await openArchive({
      transferSyntaxes: [TRANSFER_SYNTAX.implicitLittleEndian],
    })
    await using archive = await openArchive()
    await using stage = forwardingStage()
    const { destinationId } = stage.add(await freePort())
    await stage.keep('1.2.1')
    stage.forwarding.update(destinationId, { port: old.port }, ACTOR)
    {
      using _ = withoutRoom(stage.store, 'read-only')
      for (const tried of [1, 2]) {
        await stage.forwarding.settled()
        expect(old.associations).toBe(tried)
        stage.clock.pass(MINUTE_MS)
      }
      expect(stage.news).toEqual([])
    }
    stage.forwarding.update(destinationId, { port: archive.port }, ACTOR)
    await stage.forwarding.settled()
    expect(stage.states(destinationId)).toEqual(['1.2.1 sent 1'])
  })

  /**
   * Two images that the archive has and whose records the disk did not take; it takes records
   * again.
   */
  async function sentUnrecorded(archive: Archive, onSent = () => {}) {
    const stage = forwardingStage({ onSent })
    const { destinationId } = stage.add(await freePort())
    const kept = [await stage.keep('1.2.1'), await stage.keep('1.2.2')]
    stage.forwarding.update(destinationId, { port: archive.port }, ACTOR)
    {
      using _ = withoutRoom(stage.store, 'read-only')
      await stage.forwarding.settled()
    }
    expect(archive.received).toEqual(['1.2.1', '1.2.2'])
    expect(stage.states(destinationId)).toEqual(['1.2.1 waiting 0', '1.2.2 waiting 0'])
    return { stage, destinationId, kept }
  }
  const SENT = ['1.2.1 sent 1', '1.2.2 sent 1']

  it('knows what was sent without its record before a person gives up, retries or removes', async () => {
    await using archive = await openArchive()
    const dropped = await sentUnrecorded(archive)
    await using _dropped = dropped.stage
    const drop = dropped.stage.forwarding.drop(
      dropped.destinationId,
      { reason: 'not wanted' },
      ACTOR,
    )
    expect((await drop).message).toEqual('The sending of 0 images was stopped.')
    expect(dropped.stage.states(dropped.destinationId)).toEqual(SENT)

    await using second = await openArchive()
    const retried = await sentUnrecorded(second)
    await using _retried = retried.stage
    expect(
      (await retried.stage.forwarding.retry(retried.destinationId, STUDY, ACTOR)).message,
    ).toEqual('No images are waiting.')
    await retried.stage.forwarding.settled()
    expect(retried.stage.states(retried.destinationId)).toEqual(SENT)

    await using third = await openArchive()
    const removed = await sentUnrecorded(third)
    await using _removed = removed.stage
    expect(removed.stage.forwarding.remove(removed.destinationId, ACTOR)).toEqual({ success: true })
    expect([archive, second, third].map(({ received }) => received.length)).toEqual([2, 2, 2])
  })

  it('writes what was sent without its record when the gateway ends', async () => {
    await using archive = await openArchive()
    const { stage, destinationId } = await sentUnrecorded(archive)
    await using _ = stage
    await stage.restart()
    expect(stage.states(destinationId)).toEqual(SENT)
    await stage.forwarding.settled()
    expect(archive.received).toHaveLength(2)
  })

  it('writes it again where the transaction that wrote it was rolled back', async () => {
    await using archive = await openArchive()
    const { stage, destinationId } = await sentUnrecorded(archive)
    await using _ = stage
    const work = () => {
      stage.forwarding.flush()
      expect(stage.states(destinationId)).toEqual(SENT)
      throw new Error('rolled back')
    }
    expect(() => stage.store.database.transaction(work)).toThrow('rolled back')
    expect(stage.states(destinationId)).toEqual(['1.2.1 waiting 0', '1.2.2 waiting 0'])
    stage.forwarding.flush()
    expect(stage.states(destinationId)).toEqual(SENT)
    expect(archive.received).toHaveLength(2)
  })

  it('calls onSent when images are sent, when their records are written, and when the rest is set aside', async () => {
    await using archive = await openArchive()
    let calls = 0
    const { stage, kept } = await sentUnrecorded(archive, () => {
      calls++
    })
    await using _ = stage
    expect(calls).toBe(1)
    stage.forwarding.flush()
    expect(calls).toBe(2)
    expect(stage.forwarding.list().destinations[0]?.lastSentAt).toBe('2026-03-10T09:00:00.000Z')
    const third = await stage.keep('1.2.3')
    stage.store.database.transaction(() => {
      stage.forwarding.instancesQuarantined([...kept, third])
      expect(calls).toBe(2)
    })
    expect(calls).toBe(3)
  })

  it('tries again what was not taken while the disk takes no record of it, once a minute', async () => {
    const answers = [0xa700, 0xa700, 0x0000]
    await using archive = await openArchive({
      answer: () => ({ status: answers.shift() ?? 0x0000 }),
    })
    await using stage = forwardingStage()
    const { destinationId } = stage.add(await freePort())
    await stage.keep('1.2.1')
    stage.forwarding.update(destinationId, { port: archive.port }, ACTOR)
    {
      using _ = withoutRoom(stage.store, 'read-only')
      for (const tried of [1, 2, 3]) {
        await stage.forwarding.settled()
        expect(archive.requests).toHaveLength(tried)
        stage.clock.pass(10 * MINUTE_MS)
      }
    }
    await stage.forwarding.settled()
    expect(archive.requests).toHaveLength(3)
    expect(stage.states(destinationId)).toEqual(['1.2.1 sent 1'])
  })

  it('begins by itself once an instance is kept', async () => {
    const arrived = Promise.withResolvers<string>()
    await using archive = await openArchive({
      answer: ({ sopInstanceUid }) => {
        arrived.resolve(sopInstanceUid)
        return { status: 0x0000 }
      },
    })
    await using stage = forwardingStage()
    stage.add(archive.port)
    await stage.keep('1.2.1')
    expect(await arrived.promise).toBe('1.2.1')
  })

  it('sends only the modalities a destination takes, and nothing by itself where it is not automatic', async () => {
    await using archive = await openArchive()
    await using stage = forwardingStage()
    stage.add(archive.port, { modalities: ['CT'] })
    stage.add(archive.port, { name: 'Second', aeTitle: 'SECOND', isAutomatic: false })
    await stage.keep('1.2.1', { modality: 'CT' })
    await stage.keep('1.2.2', { modality: 'US' })
    await stage.forwarding.settled()
    expect(archive.received).toEqual(['1.2.1'])
    expect(countForwards(stage.store.database)).toEqual({ waiting: 0, failed: 0 })
  })

  it('sends a study to a destination on request, and leaves out what is there already', async () => {
    await using archive = await openArchive()
    await using stage = forwardingStage()
    const { destinationId } = stage.add(archive.port, { isAutomatic: false })
    await stage.keep('1.2.1')
    await stage.keep('1.2.2')
    expect(stage.forwarding.send(destinationId, STUDY, ACTOR)).toEqual({
      success: true,
      message: '2 images are queued for PACS.',
    })
    await stage.forwarding.settled()
    await stage.keep('1.2.3')
    expect(stage.forwarding.send(destinationId, STUDY, ACTOR)).toEqual({
      success: true,
      message: '1 image is queued for PACS.',
    })
    await stage.forwarding.settled()
    expect(archive.received).toEqual(['1.2.1', '1.2.2', '1.2.3'])
    expect(stage.forwarding.send(destinationId, STUDY, ACTOR).message).toEqual(
      'All its images were already sent to PACS, or are queued to be sent.',
    )
    expect(() => stage.forwarding.send(destinationId, '1.2.9', ACTOR)).toThrow(
      'There are no images for this study.',
    )
    expect(stage.audit().filter(({ action }) => action === 'forward.send')[0]).toMatchObject({
      actor: ACTOR,
      detail: { studyInstanceUid: STUDY },
    })
  })

  it('gives up what waits only for a person with a reason, which is in the audit trail', async () => {
    await using stage = forwardingStage()
    const { destinationId } = stage.add(await freePort())
    await stage.keep('1.2.1')
    await stage.forwarding.settled()
    expect(() => stage.forwarding.remove(destinationId, ACTOR)).toThrow('1 are waiting')
    const dropped = await stage.forwarding.drop(
      destinationId,
      { reason: 'the archive was taken down' },
      ACTOR,
    )
    expect(dropped.message).toEqual('The sending of 1 image was stopped.')
    expect(stage.audit().find(({ action }) => action === 'forward.drop')).toEqual({
      actor: ACTOR,
      action: 'forward.drop',
      detail: { reason: 'the archive was taken down', instances: 1 },
    })
    expect(stage.forwarding.remove(destinationId, ACTOR)).toEqual({ success: true })
    expect(stage.forwarding.list().destinations).toEqual([])
  })

  it('gives up, and tries, a whole queue in portions that are each in the audit trail', async () => {
    await using stage = forwardingStage()
    const { destinationId } = stage.add(await freePort())
    const { database } = stage.store
    const at = new Date(stage.clock() + MINUTE_MS).toISOString()
    database.transaction(() => {
      for (let n = 0; n < 2500; n++) {
        const uids = { sopInstanceUid: `1.9.${n}`, studyInstanceUid: `1.9.0.${n % 25}` }
        appendForward(stage.store.database, { destinationId, instanceId: 100_000 + n, ...uids, at })
      }
    })
    expect((await stage.forwarding.retry(destinationId, undefined, ACTOR)).message).toEqual(
      '2,500 images are being retried now.',
    )
    expect(
      (await stage.forwarding.drop(destinationId, { reason: 'the archive was taken down' }, ACTOR))
        .message,
    ).toEqual('The sending of 2,500 images was stopped.')
    expect(countForwardsTo(database, destinationId)).toMatchObject({ waiting: 0 })
    const counts = (wanted: string) =>
      stage.audit().flatMap(({ action, detail }) => (action === wanted ? [detail] : []))
    expect(counts('forward.retry')).toEqual([500, 1000, 1000].map((instances) => ({ instances })))
    expect(counts('forward.drop')).toEqual(
      [500, 1000, 1000].map((instances) => ({ reason: 'the archive was taken down', instances })),
    )
  })

  it('sends the newer version in the place of one that waited or failed', async () => {
    await using stage = forwardingStage()
    const port = await freePort()
    const { destinationId } = stage.add(port, { isAutomatic: false })
    const older = await stage.keep('1.2.1')
    stage.forwarding.send(destinationId, STUDY, ACTOR)
    await stage.forwarding.settled()
    setInstanceState(stage.store.database, older.instanceId, 'superseded')
    const newer = await stage.keep('1.2.1', { instanceNumber: '2' })
    expect(newer.instanceId).not.toBe(older.instanceId)
    expect(stage.states(destinationId)).toEqual([
      '1.2.1 dropped 0 A newer version of the image replaced it.',
      '1.2.1 waiting 0',
    ])
    expect(stage.audit()[0]).toMatchObject({
      actor: 'gateway',
      action: 'forward.replace',
      detail: { sopInstanceUid: '1.2.1' },
    })
    await using archive = await openArchive({ port })
    stage.clock.pass(MINUTE_MS)
    await stage.forwarding.settled()
    expect(archive.received).toEqual(['1.2.1'])
    expect(countForwards(stage.store.database)).toEqual({ waiting: 0, failed: 0 })
  })

  it('lets everything wait for a destination that is switched off', async () => {
    await using archive = await openArchive()
    await using stage = forwardingStage()
    const { destinationId } = stage.add(archive.port, { isEnabled: false })
    await stage.keep('1.2.1')
    await stage.forwarding.settled()
    expect(archive.requests).toEqual([])
    expect(stage.forwarding.list().destinations).toMatchObject([
      { queue: { waiting: 1 }, nextAttemptAt: null },
    ])
    await expect(stage.forwarding.retry(destinationId, undefined, ACTOR)).rejects.toThrow(
      'PACS is disabled',
    )
    expect(() => stage.forwarding.send(destinationId, STUDY, ACTOR)).toThrow('PACS is disabled')
    stage.forwarding.update(destinationId, { isEnabled: true }, ACTOR)
    await stage.forwarding.settled()
    expect(archive.received).toEqual(['1.2.1'])
  })

  it('lists studies and instances page by page, what is not sent first', async () => {
    const refused = new Set(['1.2.3', '1.2.5'])
    await using archive = await openArchive({
      answer: ({ sopInstanceUid }) => ({ status: refused.has(sopInstanceUid) ? 0xa900 : 0 }),
    })
    await using stage = forwardingStage()
    const { destinationId } = stage.add(archive.port)
    for (let at = 1; at <= 5; at++) await stage.keep(`1.2.${at}`)
    stage.clock.pass(1000)
    await stage.keep('1.3.1', { studyInstanceUid: '2.25.101', seriesInstanceUid: '2.25.101.1' })
    await stage.forwarding.settled()
    const seen: string[] = []
    for (let after: string | undefined, isMore = true; isMore; ) {
      const page = stage.forwarding.instances(
        { destinationId, studyInstanceUid: STUDY },
        { limit: 2, ...(after && { after }) },
      )
      seen.push(...page.items.map(({ sopInstanceUid }) => sopInstanceUid))
      after = page.next
      isMore = after !== undefined
    }
    expect(seen).toEqual(['1.2.3', '1.2.5', '1.2.1', '1.2.2', '1.2.4'])
    const studies = (query: Partial<Parameters<typeof stage.forwarding.studies>[0]>) =>
      stage.forwarding
        .studies({ limit: 1, show: 'all', ...query })
        .items.map(({ studyInstanceUid }) => studyInstanceUid)
    const { next } = stage.forwarding.studies({ limit: 1, show: 'all' })
    expect([...studies({}), ...studies({ after: next })].toSorted()).toEqual([STUDY, '2.25.101'])
    expect(studies({ limit: 10, show: 'failed' })).toEqual([STUDY])
    expect(studies({ limit: 10, studyInstanceUid: '2.25.101' })).toEqual(['2.25.101'])
    expect(studies({ limit: 10, destinationId: 'another' })).toEqual([])
  })

  it('loses nothing to a fault of its own, and tries again after a while', async () => {
    await using archive = await openArchive()
    let isBroken = true
    await using stage = forwardingStage({
      sendInstances: (peer, instances, signal) => {
        if (isBroken) throw new TypeError('a fault of ours')
        return sendInstances({ peer, callingAeTitle: 'ISTHMUS', signal }, instances)
      },
    })
    const { destinationId } = stage.add(archive.port)
    await stage.keep('1.2.1')
    await stage.forwarding.settled()
    expect(stage.errors).toEqual([new TypeError('a fault of ours')])
    expect(stage.states(destinationId)).toEqual(['1.2.1 waiting 0'])
    expect(stage.forwarding.list().destinations[0]?.nextAttemptAt).toBe('2026-03-10T09:05:00.000Z')
    isBroken = false
    stage.clock.pass(5 * MINUTE_MS)
    await stage.forwarding.settled()
    expect(archive.received).toEqual(['1.2.1'])
  })

  it('is not held up by a clock that was set back', async () => {
    await using stage = forwardingStage()
    const port = await freePort()
    stage.add(port)
    await stage.keep('1.2.1')
    await stage.forwarding.settled()
    await using archive = await openArchive({ port })
    stage.clock.pass(-2 * 60 * MINUTE_MS)
    await stage.keep('1.2.2')
    await stage.forwarding.settled()
    expect(archive.received).toEqual(['1.2.2'])
  })

  it('goes on after a restart with what waited', async () => {
    await using stage = forwardingStage()
    const port = await freePort()
    stage.add(port)
    await stage.keep('1.2.1')
    await stage.forwarding.settled()
    await using archive = await openArchive({ port })
    await stage.restart()
    await stage.forwarding.settled()
    expect(archive.received).toEqual(['1.2.1'])
  })

  it('ends a transfer that is under way when it is closed, and the instance waits for the next start', async () => {
    const arrived = Promise.withResolvers<void>()
    await using archive = await openArchive({
      answer: () => {
        arrived.resolve()
        return new Promise(() => {})
      },
    })
    await using stage = forwardingStage()
    const { destinationId } = stage.add(archive.port)
    await stage.keep('1.2.1')
    void stage.forwarding.settled()
    await arrived.promise
    await stage.restart()
    expect(stage.states(destinationId)).toEqual(['1.2.1 waiting 0'])
    expect(stage.errors).toEqual([])
  })
})
