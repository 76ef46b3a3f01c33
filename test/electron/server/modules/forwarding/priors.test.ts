import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { NewDevice } from '#shared/contract/devices.ts'
import { freePort } from '../../../../support/free-port.ts'
import { withoutRoom } from '../../../../support/temp-store.ts'
import { ACTOR, forwardingStage, openArchive, STUDY } from './forwarding-fixture.ts'

const KEYS = {
  patientId: 'P-0815',
  patientName: '',
  accessionNumber: '',
  startDate: null,
  endDate: null,
}
const ROW = {
  studyInstanceUid: STUDY,
  patientName: 'Müller^Jörg',
  patientId: 'P-0815',
  patientBirthDate: '19640229',
  studyDate: '20260310',
  studyTime: '101500',
  studyDescription: 'CT Schädel',
  accessionNumber: 'A-4711',
  modalities: ['CT'],
  instances: 3,
}

describe('priors', () => {
  it('are listed the newest first, with how much of each is here', async () => {
    const older = { ...ROW, studyInstanceUid: '2.25.99', studyDate: '20250101' }
    await using stage = forwardingStage({ findStudies: async () => [older, ROW] })
    const { destinationId } = stage.add(await freePort(), { isAutomatic: false })
    await stage.keep('1.2.1')
    await stage.keep('1.2.2')
    const { studies } = await stage.forwarding.findPriors(destinationId, KEYS, ACTOR)
    expect(studies).toEqual([
      { ...ROW, here: 2 },
      { ...older, here: 0 },
    ])
    const [entry] = stage.audit()
    expect(entry).toEqual({ actor: ACTOR, action: 'destination.find-priors', detail: {} })
  })

  it('are found without their entry in the audit trail where the disk takes none', async () => {
    await using stage = forwardingStage({ findStudies: async () => [ROW] })
    const { destinationId } = stage.add(await freePort(), { isAutomatic: false })
    using _ = withoutRoom(stage.store, 'read-only')
    expect((await stage.forwarding.findPriors(destinationId, KEYS, ACTOR)).studies).toEqual([
      { ...ROW, here: 0 },
    ])
    // What a pull brings could not be kept.
    expect(() => stage.forwarding.pull(destinationId, STUDY, ACTOR)).toThrow('readonly')
  })

  it('are refused, never an empty list, where nobody could be asked', async () => {
    await using stage = forwardingStage()
    const port = await freePort()
    const { destinationId } = stage.add(port)
    await expect(stage.forwarding.findPriors(destinationId, KEYS, ACTOR)).rejects.toMatchObject({
      code: 'unavailable',
      message: `Nothing is listening at 127.0.0.1:${port} (check that the system is switched on and that the port is correct).`,
    })
  })

  it('are asked only of a destination that is set up for it, and switched on', async () => {
    await using stage = forwardingStage()
    const { destinationId } = stage.add(await freePort(), { hasPriors: false })
    await expect(stage.forwarding.findPriors(destinationId, KEYS, ACTOR)).rejects.toMatchObject({
      code: 'refused',
    })
    expect(() => stage.forwarding.pull(destinationId, STUDY, ACTOR)).toThrow(
      'PACS is not set up for retrieving prior studies.',
    )
    stage.forwarding.update(destinationId, { hasPriors: true, isEnabled: false }, ACTOR)
    expect(() => stage.forwarding.pull(destinationId, STUDY, ACTOR)).toThrow(
      'PACS is disabled: enable it first.',
    )
  })
})

describe('a pull', () => {
  it('fails with the reason where the destination cannot be reached or does not send studies', async () => {
    await using archive = await openArchive()
    await using stage = forwardingStage()
    const port = await freePort()
    const away = stage.add(port)
    const storesOnly = stage.add(archive.port, { name: 'Store', aeTitle: 'STORE' })
    stage.forwarding.pull(away.destinationId, STUDY, ACTOR)
    stage.forwarding.pull(storesOnly.destinationId, STUDY, ACTOR)
    for (
      let tries = 0;
      tries < 200 && stage.forwarding.pulls.list().some(({ state }) => state === 'running');
      tries++
    )
      await sleep(10)
    expect(
      stage.forwarding.pulls
        .list()
        .map(({ destinationName, state, detail }) => [destinationName, state, detail]),
    ).toEqual([
      ['Store', 'failed', 'STORE offers none of the required services.'],
      [
        'PACS',
        'failed',
        `Nothing is listening at 127.0.0.1:${port} (check that the system is switched on and that the port is correct).`,
      ],
    ])
    expect(stage.errors).toEqual([])
  })

  it('is refused while its study is erased', async () => {
    await using stage = forwardingStage()
    const { destinationId } = stage.add(await freePort())
    const { pulls } = stage.forwarding
    {
      using _blocked = pulls.block([STUDY])
      expect(() => stage.forwarding.pull(destinationId, STUDY, ACTOR)).toThrow(
        'This study is being erased, so it is not retrieved.',
      )
      expect(stage.forwarding.pull(destinationId, '2.25.99', ACTOR).state).toBe('running')
    }
    expect(stage.forwarding.pull(destinationId, STUDY, ACTOR).state).toBe('running')
  })

  it('says whose study it is as far as the found study, or what is here, told', async () => {
    const other = { ...ROW, studyInstanceUid: '2.25.99', patientName: 'Other^Olga' }
    await using stage = forwardingStage({ findStudies: async () => [ROW, other] })
    const { destinationId } = stage.add(await freePort(), { isAutomatic: false })
    await stage.forwarding.findPriors(destinationId, KEYS, ACTOR)
    const { patientName, patientId, studyDescription, studyDate } = ROW
    expect(stage.forwarding.pull(destinationId, STUDY, ACTOR)).toMatchObject({
      patientName,
      patientId,
      studyDescription,
      studyDate,
    })
    await stage.keep('2.25.7.1.1', { studyInstanceUid: '2.25.7' })
    expect(stage.forwarding.pull(destinationId, '2.25.7', ACTOR)).toMatchObject({
      patientName: 'Probe^Paula',
      patientId: 'P1',
    })
    const nobody = { patientName: '', patientId: '', studyDescription: '', studyDate: '' }
    expect(stage.forwarding.pull(destinationId, '2.25.8', ACTOR)).toMatchObject(nobody)
    // Nothing about a patient is in the audit trail's row.
    expect(stage.audit()[0]).toEqual({
      actor: ACTOR,
      action: 'destination.pull',
      detail: { studyInstanceUid: '2.25.8' },
    })
  })

  it('of the same study is one, however often it is asked for', async () => {
    await using stage = forwardingStage()
    const { destinationId } = stage.add(await freePort())
    const { pullId } = stage.forwarding.pull(destinationId, STUDY, ACTOR)
    expect(stage.forwarding.pull(destinationId, STUDY, ACTOR).pullId).toBe(pullId)
    expect(stage.forwarding.pulls.list()).toHaveLength(1)
  })
})

describe('images that come', () => {
  it('may be of a pull while it runs, from the archive and of the study that are pulled', async () => {
    await using stage = forwardingStage()
    const { destinationId } = stage.add(await freePort())
    const expectsFrom = (...of: Parameters<typeof stage.forwarding.pulls.expects>) =>
      stage.forwarding.pulls.expects(...of)
    expect(expectsFrom('PACS', '127.0.0.1')).toBe(false)
    stage.forwarding.pull(destinationId, STUDY, ACTOR)
    expect([expectsFrom('pacs', '127.0.0.1'), expectsFrom('PACS', '127.0.0.1', STUDY)]).toEqual([
      true,
      true,
    ])
    expect([
      expectsFrom('PACS', '127.0.0.1', '2.25.7'),
      expectsFrom('PACS', '127.0.0.2'),
      expectsFrom('CT1', '127.0.0.1'),
    ]).toEqual([...[false, false, false]])
    for (
      let tries = 0;
      tries < 200 && stage.forwarding.pulls.list().some(({ state }) => state === 'running');
      tries++
    )
      await sleep(10)
    expect(expectsFrom('PACS', '127.0.0.1', STUDY)).toBe(false)
  })
})

describe('the test of a connection', () => {
  it('says of a device what is to be entered, or what is missing here', async () => {
    await using stage = forwardingStage()
    const device = {
      ...NewDevice.parse({ aeTitle: 'CT1', address: '127.0.0.1' }),
      ...{ deviceId: 'd', createdAt: '', updatedAt: '', lastSeenAt: null, lastAddress: null },
    }
    expect(await stage.forwarding.echoDevice(device)).toMatchObject({
      success: false,
      message: 'No port is set for this device: enter the port that it listens on.',
    })
    const port = await freePort()
    expect(await stage.forwarding.echoDevice({ ...device, port })).toMatchObject({
      success: false,
      message: `Nothing is listening at 127.0.0.1:${port} (check that the system is switched on and that the port is correct).`,
    })
  })
})
