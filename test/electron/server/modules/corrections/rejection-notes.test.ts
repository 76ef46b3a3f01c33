import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { readDataSet, tagOf } from '#server/dicom/data-set/data-set.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { KEY_OBJECT_SELECTION } from '#server/dicom/objects/rejection-note.ts'
import { listDueOutboxJobs, settleOutboxJob } from '#server/jobs/outbox-queries.ts'
import { findRejectionNote } from '#server/modules/corrections/correction-notice-queries.ts'
import {
  closeSentNotices,
  confirmNotice,
  visibleNotices,
} from '#server/modules/corrections/correction-notices.ts'
import type {
  CorrectedImage,
  CorrectionDone,
} from '#server/modules/corrections/correction-queries.ts'
import {
  CORRECTION_REJECT,
  queueCorrection,
  sendRejection,
} from '#server/modules/corrections/rejection-notes.ts'
import { recountInstances } from '#server/modules/images/image-study-writing-queries.ts'
import {
  findCurrentInstance,
  type InstanceRecord,
  iterateNewestFirst,
  listStudyInstances,
  listStudyInstancesAfter,
} from '#server/modules/images/instance-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { atTheWindow, newUser } from '../../../../support/callers.ts'
import { CORRECTION, correctionRows, undoneRows } from '../../../../support/corrections.ts'
import { textOf } from '../../../../support/saying.ts'
import { withoutRoom } from '../../../../support/temp-store.ts'
import { ACTOR, forwardingStage, openArchive, STUDY } from '../forwarding/forwarding-fixture.ts'

const IMAGE = '2.25.100.1.1'
const LATER = '2026-03-11T00:00:00.000Z'

interface StageOptions {
  /** SOP Instance UIDs, and what they differ in; one image where none are given. */
  readonly images?: readonly (readonly [uid: string, more?: Parameters<Forwarding['keep']>[1]])[]
  readonly answer?: NonNullable<Parameters<typeof openArchive>[0]>['answer']
  /** up: the archive has the images; later: it is there and was not sent them yet. */
  readonly archive?: 'up' | 'later' | 'down' | 'none'
}
type Forwarding = ReturnType<typeof forwardingStage>

/** Images, a destination PACS that has them, and what corrects them. */
async function openStage({ images = [[IMAGE]], answer, archive: state = 'up' }: StageOptions = {}) {
  await using opened = new AsyncDisposableStack()
  const archive = opened.use(await openArchive({ ...(answer && { answer }) }))
  const stage = opened.use(forwardingStage())
  const { store, clock } = stage
  const destinationId = state === 'none' ? '' : stage.add(archive.port).destinationId
  if (state === 'down') await archive[Symbol.asyncDispose]()
  const originals: InstanceRecord[] = []
  for (const [uid, more] of images) originals.push(await stage.keep(uid, more))
  if (state !== 'later') await stage.forwarding.settled()

  store.settings.set('clinic.timeZone', 'UTC')
  const manager = atTheWindow(newUser(store, { canManageStudies: true }))
  const list = (show: 'open' | 'all') => visibleNotices(store, manager, { show, limit: 50 }).items
  const kept = opened.move()
  return {
    ...{ stage, store, archive, destinationId, originals, manager },
    /** Another patient for the images: as the engine does, in one transaction. */
    async correct(
      of: readonly InstanceRecord[] = originals,
      correctionId = CORRECTION,
    ): Promise<CorrectionDone> {
      const pairs: CorrectedImage[] = []
      for (const original of of) {
        const superseded = { state: 'superseded', patientName: 'Canario^Carla' } as const
        const copy = await stage.keep(`${original.sopInstanceUid}.7`, superseded)
        pairs.push({ original, copy: { ...copy, state: 'current' } })
      }
      return store.database.transaction(() => {
        const done = correctionRows(store, pairs, { correctionId })
        queueCorrection(store, stage.forwarding, done)
        return done
      })
    },
    undo: (done: CorrectionDone) =>
      store.database.transaction(() =>
        queueCorrection(
          store,
          stage.forwarding,
          undoneRows(store, done, '2026-03-10T09:01:00.000Z'),
        ),
      ),
    /** Works off what waits, as the worker of the outbox does. */
    async sendWaiting(): Promise<void> {
      for (const { outboxId, subject, payload } of listDueOutboxJobs(
        store.database,
        CORRECTION_REJECT,
        LATER,
        10,
      )) {
        await sendRejection(store, { subject, payload })
        settleOutboxJob(store.database, outboxId, 'sent', new Date(clock()).toISOString())
      }
    },
    /** What is still open when the notices of all that was sent are closed. */
    openNotices() {
      closeSentNotices(store)
      return list('open')
    },
    allNotices: () => list('all'),
    note: (correctionId = CORRECTION) =>
      findCurrentInstance(
        store.database,
        findRejectionNote(store.database, correctionId)?.sopInstanceUid ?? '',
      ),
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  }
}

const items = (dataSet: DataSet | undefined, keyword: string) =>
  (dataSet?.find(({ tag }) => tag === tagOf(keyword))?.value ?? []) as readonly DataSet[]
const text = (dataSet: DataSet | undefined, keyword: string) =>
  (dataSet?.find(({ tag }) => tag === tagOf(keyword))?.value as Buffer | undefined)
    ?.toString()
    .replace(/[\0 ]+$/, '')

function read(store: Forwarding['store'], { file, dataSetOffset }: InstanceRecord): DataSet {
  const bytes = readFileSync(store.imageFiles.pathOf(file)).subarray(dataSetOffset)
  return readDataSet(bytes, TRANSFER_SYNTAX.explicitLittleEndian, {
    elements: 1e5,
    depth: 16,
    bytes: 1 << 24,
  })
}

describe('a correction of images that a destination has', () => {
  it('sends the rejection note, then the copies, and closes the notice when all of it is there', async () => {
    await using at = await openStage({ images: [['2.25.100.1.1'], ['2.25.100.1.2']] })
    await at.correct()
    expect(at.openNotices()).toMatchObject([
      {
        kind: 'destination',
        name: 'PACS',
        contacts: [{ what: 'has-images', at: null }],
        sending: { sent: 0 },
      },
    ])
    await at.sendWaiting()
    expect(at.openNotices()).toMatchObject([{ sending: { waiting: 3, sent: 0, failed: 0 } }])
    await at.stage.forwarding.settled()

    const note = at.note() ?? expect.fail()
    expect(at.archive.received.slice(2)).toEqual([
      note.sopInstanceUid,
      '2.25.100.1.1.7',
      '2.25.100.1.2.7',
    ])
    expect(at.openNotices()).toEqual([])
    const [done] = at.allNotices()
    expect(done).toMatchObject({
      state: 'done',
      doneBy: '',
      patientName: 'Probe^Paula',
      correctedPatientName: 'Canario^Carla',
    })
    expect(at.stage.audit().map(({ action }) => action)).toEqual(
      expect.arrayContaining(['correction.send', 'correction.inform']),
    )
  })

  it('makes a Key Object Selection of every original, with the patient as the originals have it', async () => {
    await using at = await openStage({
      images: [[IMAGE], ['2.25.100.2.1', { seriesInstanceUid: '2.25.100.2' }]],
      archive: 'later',
    })
    await at.correct()
    await at.sendWaiting()

    const note = read(at.store, at.note() ?? expect.fail())
    expect(
      ['SOPClassUID', 'Modality', 'StudyInstanceUID'].map((keyword) => text(note, keyword)),
    ).toEqual([...[KEY_OBJECT_SELECTION, 'KO', STUDY]])
    expect(
      ['PatientName', 'PatientID', 'AccessionNumber'].map((keyword) => text(note, keyword)),
    ).toEqual([...['Müller^Jörg', 'P-0815', 'A-4711']])
    const [title] = items(note, 'ConceptNameCodeSequence')
    expect([text(title, 'CodeValue'), text(title, 'CodingSchemeDesignator')]).toEqual([
      '113038',
      'DCM',
    ])
    const [evidence] = items(note, 'CurrentRequestedProcedureEvidenceSequence')
    expect(text(evidence, 'StudyInstanceUID')).toBe(STUDY)
    const series = items(evidence, 'ReferencedSeriesSequence').map((one) => [
      text(one, 'SeriesInstanceUID'),
      items(one, 'ReferencedSOPSequence').map((reference) =>
        text(reference, 'ReferencedSOPInstanceUID'),
      ),
    ])
    expect(series).toEqual([
      ['2.25.100.1', ['2.25.100.1.1']],
      ['2.25.100.2', ['2.25.100.2.1']],
    ])
    expect(items(note, 'ContentSequence')).toHaveLength(2)
  })

  it('knows that a destination has originals whose sending the disk took no record of', async () => {
    await using at = await openStage({ archive: 'later' })
    {
      using _ = withoutRoom(at.store, 'read-only')
      await at.stage.forwarding.settled()
      expect(at.archive.received).toEqual([IMAGE])
      expect(at.stage.states(at.destinationId)).toEqual([`${IMAGE} waiting 0`])
    }
    await at.correct()
    expect(at.stage.states(at.destinationId)).toEqual([`${IMAGE} sent 1`])
    await at.sendWaiting()
    at.stage.clock.pass(60_000)
    await at.stage.forwarding.settled()
    expect(at.archive.received).toEqual([IMAGE, at.note()?.sopInstanceUid, `${IMAGE}.7`])
    expect(at.openNotices()).toEqual([])
  })

  it('waits for a destination that is down, and the notice stays open across a restart', async () => {
    await using at = await openStage()
    const { stage, archive } = at
    await archive[Symbol.asyncDispose]()
    await at.correct()
    await at.sendWaiting()
    await stage.forwarding.settled()
    expect(at.openNotices()).toMatchObject([{ sending: { waiting: 2, sent: 0, isEnabled: true } }])

    await using again = await openArchive({ port: archive.port })
    await stage.restart()
    expect(at.openNotices()).toHaveLength(1)
    await stage.forwarding.retry(at.destinationId, undefined, ACTOR)
    await stage.forwarding.settled()
    expect(again.received).toEqual([at.note()?.sopInstanceUid, `${IMAGE}.7`])
    expect(at.openNotices()).toEqual([])
  })

  it('keeps the notice open, with the reason, where the destination refuses the note', async () => {
    await using at = await openStage({
      answer: ({ sopClassUid }) => ({ status: sopClassUid === KEY_OBJECT_SELECTION ? 0x0122 : 0 }),
    })
    await at.correct()
    await at.sendWaiting()
    await at.stage.forwarding.settled()
    const [open] = at.openNotices()
    expect(open?.sending).toMatchObject({ waiting: 0, sent: 1, failed: 1 })
    expect(textOf(open?.sending?.lastError)).toContain('it does not accept images of this kind')
    // A person who had the images deleted there confirms it.
    expect(
      confirmNotice(at.store, at.manager, open?.noticeId ?? 0, 'Deleted at the PACS by hand')
        .success,
    ).toBe(true)
    expect(at.openNotices()).toEqual([])
  })

  it('no longer sends originals that wait, and rejects them although they may have arrived', async () => {
    await using at = await openStage({ archive: 'down' })
    await at.correct()
    await at.sendWaiting()
    expect(at.stage.states(at.destinationId)).toEqual([
      expect.stringMatching(/^2\.25\.100\.1\.1 dropped .*The identity of the image was corrected/i),
      expect.stringMatching(/^2\.25\.\d{20,} waiting/),
      expect.stringMatching(/^2\.25\.100\.1\.1\.7 waiting/),
    ])
  })

  it('sends nothing where no destination has an original, and makes no note', async () => {
    await using at = await openStage({ archive: 'none' })
    await at.correct()
    await at.sendWaiting()
    expect(at.note()).toBeUndefined()
    expect(at.openNotices()).toEqual([])
  })

  it('lists a destination that was removed since it got the images: a person informs it', async () => {
    await using at = await openStage()
    at.stage.forwarding.remove(at.destinationId, ACTOR)
    await at.correct()
    await at.sendWaiting()
    expect(at.openNotices()).toMatchObject([
      {
        kind: 'destination',
        name: 'PACS',
        contacts: [{ what: 'former-destination' }],
        sending: null,
      },
    ])
  })

  it('changes nothing when the note is made a second time, as after a crash', async () => {
    await using at = await openStage({ archive: 'later' })
    await at.correct()
    const [row] = listDueOutboxJobs(at.store.database, CORRECTION_REJECT, LATER, 10)
    await sendRejection(at.store, { subject: CORRECTION, payload: row?.payload })
    await sendRejection(at.store, { subject: CORRECTION, payload: row?.payload })
    const kept = [...iterateNewestFirst(at.store.database)].filter(
      ({ sopClassUid }) => sopClassUid === KEY_OBJECT_SELECTION,
    )
    expect(kept).toHaveLength(1)
    expect(at.stage.audit().filter(({ action }) => action === 'correction.send')).toHaveLength(1)
  })
})

describe('a rejection note', () => {
  it('is no image of its study, neither in its lists nor in its counts', async () => {
    await using at = await openStage({ archive: 'later' })
    await at.correct()
    await at.sendWaiting()
    const { database } = at.store
    const shown = [`${IMAGE}.7`]
    expect(at.note()?.state).toBe('current')
    expect(listStudyInstances(database, STUDY).map(({ sopInstanceUid }) => sopInstanceUid)).toEqual(
      shown,
    )
    expect(
      listStudyInstancesAfter(database, STUDY, 0, 10).map(({ sopInstanceUid }) => sopInstanceUid),
    ).toEqual(shown)
    expect(findImageStudy(database, STUDY)).toMatchObject({ instances: 1, modalities: ['CT'] })
    recountInstances(database, STUDY)
    expect(findImageStudy(database, STUDY)).toMatchObject({
      instances: 1,
      series: 1,
      modalities: ['CT'],
    })
  })
})

describe('a second correction', () => {
  it('reaches a destination that was to get the copies of the first and had nothing queued yet', async () => {
    await using at = await openStage()
    const [first] = (await at.correct()).pairs
    const second = 'a2c4e6f8-1b3d-4f5a-9c7e-0d2b4f6a8c1e'
    await at.correct([first?.copy ?? expect.fail()], second)
    await at.sendWaiting()
    await at.stage.forwarding.settled()
    expect(at.archive.received).toEqual([
      ...[IMAGE, at.note()?.sopInstanceUid],
      ...[at.note(second)?.sopInstanceUid, `${IMAGE}.7.7`],
    ])
    expect(at.openNotices()).toEqual([])
  })
})

describe('a correction that is undone before anything of it was queued', () => {
  it('lets the originals go on, and nobody gets a note', async () => {
    await using at = await openStage({ archive: 'down' })
    const done = await at.correct()
    expect(at.note()).toBeUndefined()
    at.undo(done)
    await at.sendWaiting()
    expect(at.note()).toBeUndefined()
    expect(at.stage.states(at.destinationId)).toEqual([
      expect.stringMatching(/^2\.25\.100\.1\.1 waiting/),
    ])
    expect(at.openNotices()).toEqual([])
    const note = 'This is not needed: the correction was undone.'
    expect(at.allNotices()).toMatchObject([{ state: 'done', doneBy: '', note }])
  })

  it('keeps no note that was being written meanwhile', async () => {
    await using at = await openStage({ archive: 'later' })
    const done = await at.correct()
    const [row] = listDueOutboxJobs(at.store.database, CORRECTION_REJECT, LATER, 10)
    const sending = sendRejection(at.store, { subject: CORRECTION, payload: row?.payload })
    at.undo(done)
    await sending
    expect(findRejectionNote(at.store.database, CORRECTION)).toBeUndefined()
  })

  it('is queued once a destination may have got something of it', async () => {
    await using at = await openStage({ archive: 'later' })
    await at.correct()
    await at.sendWaiting()
    expect(findRejectionNote(at.store.database, CORRECTION)).toBeDefined()
  })
})
