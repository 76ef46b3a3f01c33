import { truncateSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { type Peer, RequestorError } from '#server/dicom/scu/requestor.ts'
import { changeDevice } from '#server/modules/devices/devices.ts'
import {
  findCommitmentOf,
  listStudyCommitments,
  nextCommitmentDue,
} from '#server/modules/images/commitment-queries.ts'
import {
  findCurrentInstance,
  listInstanceVersions,
  setInstanceStructure,
} from '#server/modules/images/instance-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { verbatim } from '#shared/messages/message.ts'
import { withoutRoom } from '../../../../support/temp-store.ts'
import {
  ASSOCIATION,
  CT,
  DEVICE,
  IMAGE,
  image,
  normalized,
  openStage,
  SERIES,
  STUDY,
  type Stage,
  type Values,
} from '../images/intake-fixture.ts'

const ON = { 'commitment.isOn': true }
const TRANSACTION = '1.2.3.900'
const MINUTE = 60_000

const named = (...sopInstanceUids: string[]): Values => ({
  TransactionUID: TRANSACTION,
  ReferencedSOPSequence: sopInstanceUids.map((uid) => ({
    ReferencedSOPClassUID: CT,
    ReferencedSOPInstanceUID: uid,
  })),
})
const request = (stage: Stage, values: Values, actionTypeId = 1) =>
  stage.intake.commitments.action({
    ...normalized(values, { sopInstanceUid: '1.2.840.10008.1.20.1.1' }),
    actionTypeId,
  })
const committed = (...numbers: number[]) =>
  numbers.map((n) => ({ sopClassUid: CT, sopInstanceUid: `${SERIES}.${n}` }))

describe('a storage commitment request', () => {
  it('is answered at once, and its result goes to the address and port of the device', async () => {
    const peers: Peer[] = []
    const reports: unknown[] = []
    await using stage = await openStage({
      settings: ON,
      sendEventReport: async (peer, report) => {
        peers.push(peer)
        reports.push(report)
      },
    })
    for (const n of [1, 2]) await stage.send(image(n))
    expect(await request(stage, named(`${SERIES}.1`, `${SERIES}.2`))).toEqual({ status: 0 })
    await stage.intake.settled()
    expect(peers).toEqual([{ host: '127.0.0.1', port: 11113, aeTitle: 'CT1' }])
    expect(reports).toEqual([
      { transactionUid: TRANSACTION, committed: committed(1, 2), failed: [] },
    ])
    expect(findCommitmentOf(stage.store.database, 'CT1', TRANSACTION)).toMatchObject({
      state: 'delivered',
      attempts: 1,
      instances: 2,
      failed: 0,
    })
    // It named all of the study.
    expect(findImageStudy(stage.store.database, STUDY)).toMatchObject({
      state: 'settled',
      expected: 2,
      missing: 0,
    })
  })

  it('is refused while it is switched off', async () => {
    await using stage = await openStage()
    expect(await request(stage, named('1.2.3'))).toEqual({
      status: 0x0110,
      errorComment: 'Storage commitment is disabled here',
    })
  })

  it.each([
    ['another action', named('1.2.3'), 2, 0x0123],
    ['no transaction UID', { ...named('1.2.3'), TransactionUID: '' }, 1, 0x0121],
    [
      'a transaction UID that is none',
      { ...named('1.2.3'), TransactionUID: '1'.repeat(65) },
      1,
      0x0115,
    ],
    ['no instance', named(), 1, 0x0121],
  ])('with %s is refused', async (_, values, actionTypeId, status) => {
    await using stage = await openStage({ settings: ON })
    expect((await request(stage, values, actionTypeId)).status).toBe(status)
    expect(nextCommitmentDue(stage.store.database)).toBeUndefined()
  })

  it('waits for what is on its way over another association', async () => {
    await using stage = await openStage({ settings: ON })
    await stage.send(image(1))
    await request(stage, named(`${SERIES}.1`, `${SERIES}.2`))
    await stage.intake.settled()
    expect(stage.reports).toEqual([])
    await stage.send(image(2))
    await stage.pass(MINUTE)
    expect(stage.reports).toMatchObject([{ committed: committed(1, 2), failed: [] }])
  })

  it('under a transaction UID that is in use for others is refused with 0131; the same one again is on its way already', async () => {
    await using stage = await openStage({
      settings: ON,
      sendEventReport: async () => {
        throw new RequestorError('unreachable', verbatim('It cannot be reached.'))
      },
    })
    await stage.send(image(1))
    await request(stage, named(`${SERIES}.1`))
    expect((await request(stage, named('1.2.3'))).status).toBe(0x0131)
    expect((await request(stage, named(`${SERIES}.1`))).status).toBe(0)
    expect(listStudyCommitments(stage.store.database, STUDY)).toHaveLength(1)
  })
})

describe('an instance is not committed', () => {
  it('that is unknown, of another class, in quarantine, or no whole file', async () => {
    await using stage = await openStage({ settings: ON })
    for (const n of [1, 2, 3, 4]) await stage.send(image(n))
    await stage.send(image(3, { PixelData: 'others' }))
    const fourth = findCurrentInstance(stage.store.database, `${SERIES}.4`)
    truncateSync(stage.store.imageFiles.pathOf(fourth?.file ?? ''), 200)
    await stage.intake.commitments.action({
      ...normalized({
        TransactionUID: TRANSACTION,
        ReferencedSOPSequence: [
          { ReferencedSOPClassUID: CT, ReferencedSOPInstanceUID: `${SERIES}.1` },
          {
            ReferencedSOPClassUID: '1.2.840.10008.5.1.4.1.1.4',
            ReferencedSOPInstanceUID: `${SERIES}.2`,
          },
          { ReferencedSOPClassUID: CT, ReferencedSOPInstanceUID: `${SERIES}.3` },
          { ReferencedSOPClassUID: CT, ReferencedSOPInstanceUID: `${SERIES}.4` },
          { ReferencedSOPClassUID: CT, ReferencedSOPInstanceUID: '1.2.3.4.5' },
        ],
      }),
      actionTypeId: 1,
    })
    await stage.pass(MINUTE)
    const [report] = stage.reports
    expect(report?.committed).toEqual(committed(1))
    expect(
      report?.failed.map(({ sopInstanceUid, failureReason }) => [sopInstanceUid, failureReason]),
    ).toEqual([
      [`${SERIES}.2`, 0x0119],
      [`${SERIES}.3`, 0x0112],
      [`${SERIES}.4`, 0x0112],
      ['1.2.3.4.5', 0x0112],
    ])
    expect(findCommitmentOf(stage.store.database, 'CT1', TRANSACTION)).toMatchObject({
      state: 'delivered',
      failed: 4,
    })
    expect(stage.news.at(-1)).toMatchObject({
      tone: 'warning',
      text: 'CT room 1 was notified that 4 of 5 objects are not stored here.',
    })
  })
})

describe('what is committed of several versions', () => {
  const fromArchive = {
    association: { callingAeTitle: 'PACS', associationId: 'a2', remoteAddress: '10.0.9.9' },
  }
  const result = async (stage: Stage) => {
    await request(stage, named(`${SERIES}.1`))
    await stage.pass(MINUTE)
    return stage.reports.at(-1)?.committed.length
  }

  it('counts the version that the device sent itself', async () => {
    await using stage = await openStage({ settings: ON })
    await stage.send(image(1))
    await stage.send(image(1, { PixelData: 'archive_' }), fromArchive)
    const aside = listInstanceVersions(stage.store.database, `${SERIES}.1`).find(
      ({ state }) => state === 'quarantined',
    )
    expect(await result(stage)).toBe(1)
    // A person lets the archive's in: the device's own is still here.
    await stage.intake.quarantine.release(aside?.instanceId ?? 0, 'as the archive has it', 'user:1')
    expect(findCurrentInstance(stage.store.database, `${SERIES}.1`)?.callingAeTitle).toBe('PACS')
    await stage.intake.commitments.action({
      ...normalized({ ...named(`${SERIES}.1`), TransactionUID: '1.2.3.901' }),
      actionTypeId: 1,
    })
    await stage.pass(MINUTE)
    expect(stage.reports.at(-1)).toMatchObject({ transactionUid: '1.2.3.901', failed: [] })
  })

  it('is nothing while what the device sent is set aside, though another one is here', async () => {
    await using stage = await openStage({ settings: ON })
    await stage.send(image(1, { PixelData: 'archive_' }), fromArchive)
    await stage.send(image(1))
    expect(await result(stage)).toBe(0)
    // Nor where the device asks from another address than it sends from.
    await stage.intake.commitments.action({
      ...normalized(
        { ...named(`${SERIES}.1`), TransactionUID: '1.2.3.902' },
        { association: { ...ASSOCIATION, remoteAddress: '10.0.3.99' } },
      ),
      actionTypeId: 1,
    })
    await stage.pass(MINUTE)
    expect(stage.reports.at(-1)).toMatchObject({ transactionUid: '1.2.3.902', committed: [] })
  })

  it('is one of another encoding that is here already', async () => {
    await using stage = await openStage({ settings: ON })
    await stage.send(image(1), { ...fromArchive, transferSyntax: '1.2.840.10008.1.2' })
    expect(await stage.send(image(1))).toEqual({ status: 0 })
    expect(listInstanceVersions(stage.store.database, `${SERIES}.1`)).toHaveLength(1)
    expect(await result(stage)).toBe(1)
  })

  it('is no incomplete one, also where an earlier version of the gateway received it', async () => {
    await using stage = await openStage({ settings: ON })
    await stage.send(image(1, { PixelData: 'short_' }))
    const [aside] = listInstanceVersions(stage.store.database, `${SERIES}.1`)
    expect(aside).toMatchObject({
      state: 'quarantined',
      reason: 'incomplete',
      structure: 'incomplete',
    })
    await stage.intake.quarantine.release(aside?.instanceId ?? 0, 'better than none', 'user:1')
    expect(await result(stage)).toBe(0)

    await using other = await openStage({ settings: ON })
    await other.send(image(1, { PixelData: 'short_' }))
    const [received] = listInstanceVersions(other.store.database, `${SERIES}.1`)
    await other.intake.quarantine.release(received?.instanceId ?? 0, 'better than none', 'user:1')
    setInstanceStructure(other.store.database, received?.instanceId ?? 0, 'unchecked')
    expect(await result(other)).toBe(0)
    expect(findCurrentInstance(other.store.database, `${SERIES}.1`)?.structure).toBe('incomplete')
  })
})

describe('a result whose record the disk does not take', () => {
  it('is delivered once all the same, and recorded when that is possible', async () => {
    const reports: unknown[] = []
    let isAway = true
    await using stage = await openStage({
      settings: ON,
      sendEventReport: async (_peer, report) => {
        if (isAway) throw new RequestorError('unreachable', verbatim('CT1 cannot be reached.'))
        reports.push(report)
      },
    })
    await stage.send(IMAGE)
    await request(stage, named(IMAGE.SOPInstanceUID as string, '1.2.3'))
    await stage.pass(MINUTE)
    isAway = false
    {
      using _ = withoutRoom(stage.store, 'read-only')
      await stage.pass(10 * MINUTE)
      await stage.pass(10 * MINUTE)
      expect(reports).toHaveLength(1)
      expect(findCommitmentOf(stage.store.database, 'CT1', TRANSACTION)?.state).toBe('waiting')
      expect(stage.news.at(-1)?.text).toEqual(
        'CT room 1 was notified that 1 of 2 objects is not stored here.',
      )
    }
    await stage.pass(10 * MINUTE)
    expect(reports).toMatchObject([
      { transactionUid: TRANSACTION, failed: [{ sopInstanceUid: '1.2.3', failureReason: 0x0112 }] },
    ])
    expect(findCommitmentOf(stage.store.database, 'CT1', TRANSACTION)).toMatchObject({
      state: 'delivered',
      failed: 1,
    })
  })

  it('is delivered again to a device that asks again', async () => {
    await using stage = await openStage({ settings: ON })
    await stage.send(IMAGE)
    await request(stage, named(IMAGE.SOPInstanceUID as string, '1.2.3'))
    {
      using _ = withoutRoom(stage.store, 'read-only')
      await stage.pass(10 * MINUTE)
      expect(stage.reports).toHaveLength(1)
      expect(await request(stage, named(IMAGE.SOPInstanceUID as string, '1.2.3'))).toEqual({
        status: 0,
      })
      await stage.intake.settled()
      expect(stage.reports).toHaveLength(2)
    }
    await stage.pass(10 * MINUTE)
    expect(stage.reports).toHaveLength(2)
    expect(findCommitmentOf(stage.store.database, 'CT1', TRANSACTION)).toMatchObject({
      state: 'delivered',
      failed: 1,
    })
  })

  it('has one line in the feed where it could not be delivered, however often that was tried', async () => {
    let attempts = 0
    await using stage = await openStage({
      settings: ON,
      sendEventReport: async () => {
        attempts++
        throw new RequestorError('unreachable', verbatim('CT1 cannot be reached.'))
      },
    })
    await stage.send(IMAGE)
    await request(stage, named(IMAGE.SOPInstanceUID as string, '1.2.3'))
    const lines = () =>
      stage.news.filter(({ kind, tone }) => kind === 'commitment' && tone === 'warning')
    // The disk is full at the commit.
    const { database } = stage.store
    const transaction = database.transaction.bind(database)
    const full = vi.spyOn(database, 'transaction').mockImplementation((work) => {
      const isOuter = !database.inTransaction
      return transaction(() => {
        const result = work()
        if (isOuter)
          throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
        return result
      })
    })
    await stage.pass(10 * MINUTE)
    await stage.pass(10 * MINUTE)
    expect(attempts).toBe(2)
    expect(lines()).toEqual([])
    full.mockRestore()
    await stage.pass(10 * MINUTE)
    expect(lines()).toHaveLength(1)
  })
})

describe('a result that cannot be delivered', () => {
  it('is tried again, also after a restart, and given up after 72 hours', async () => {
    let attempts = 0
    await using stage = await openStage({
      settings: ON,
      sendEventReport: async () => {
        attempts++
        throw new RequestorError('unreachable', verbatim('CT1 cannot be reached.'))
      },
    })
    await stage.send(IMAGE)
    await request(stage, named(IMAGE.SOPInstanceUID as string))
    await stage.intake.settled()
    expect(attempts).toBe(1)
    expect(findCommitmentOf(stage.store.database, 'CT1', TRANSACTION)).toMatchObject({
      state: 'waiting',
      attempts: 1,
      nextAt: '2026-03-10T09:01:00.000Z',
      lastError: 'CT1 cannot be reached.',
    })
    await stage.reopen()
    await stage.pass(MINUTE)
    expect(attempts).toBe(2)
    for (let hours = 0; hours < 44; hours += 4) await stage.pass(4 * 60 * MINUTE)
    expect(findCommitmentOf(stage.store.database, 'CT1', TRANSACTION)).toMatchObject({
      state: 'waiting',
    })
    for (let hours = 44; hours < 80; hours += 4) await stage.pass(4 * 60 * MINUTE)
    const { state, lastError } = findCommitmentOf(stage.store.database, 'CT1', TRANSACTION) ?? {}
    expect({ state, lastError }).toEqual({ state: 'given-up', lastError: 'CT1 cannot be reached.' })
    expect(
      stage.news
        .filter(({ kind, tone }) => kind === 'commitment' && tone !== 'plain')
        .map(({ tone }) => tone),
    ).toEqual(['warning', 'danger'])
  })

  it('says that the device has no port, and goes out once it has one', async () => {
    await using stage = await openStage({
      settings: ON,
      devices: [{ ...DEVICE, port: null }],
    })
    await stage.send(IMAGE)
    await request(stage, named(IMAGE.SOPInstanceUID as string))
    await stage.intake.settled()
    const { lastError } = findCommitmentOf(stage.store.database, 'CT1', TRANSACTION) ?? {}
    expect(lastError).toEqual('No port is set for this device: enter the port that it listens on.')
    changeDevice(stage.store, DEVICE.deviceId, { port: 104 }, 'gateway')
    await stage.pass(MINUTE)
    expect(stage.reports).toHaveLength(1)
  })
})
