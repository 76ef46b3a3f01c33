import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type DataSet, readDataSet, tagOf } from '#gateway/dimse/data-set.ts'
import { KEY_OBJECT_SELECTION } from '#gateway/dimse/rejection-note.ts'
import { TRANSFER_SYNTAX } from '#gateway/dimse/uids.ts'
import { openCorrectionNotices } from '#gateway/domain/correction-notices.ts'
import type { CorrectedImage, CorrectionDone } from '#gateway/intake/corrections.ts'
import { CORRECTION_REJECT, openRejectionNotes } from '#gateway/intake/rejection-notes.ts'
import type { InstanceRecord } from '#gateway/store/instances.ts'
import { SETTINGS } from '#shared/contract/settings.ts'
import { atTheWindow, newUser } from '../../../support/callers.ts'
import { CORRECTION, correctionRows, undoneRows } from '../../../support/corrections.ts'
import { ACTOR, forwardingStage, openArchive, STUDY } from '../forwarding/forwarding-fixture.ts'

type Stage = ReturnType<typeof forwardingStage>

function openNotes(stage: Stage) {
  const { store, clock, temp } = stage
  const deps = { store, clock, uuid: temp.uuid }
  const notices = openCorrectionNotices(deps)
  const notes = openRejectionNotes({
    ...{ ...deps, notices, arriving: new Set<string>(), onChanged: () => {} },
    setting: (key) => (key === 'clinic.timeZone' ? 'UTC' : SETTINGS[key].initial) as never,
  })
  /** Works off what waits, as the worker of the outbox does. */
  async function sendWaiting(): Promise<void> {
    for (const { outboxId, subject, payload } of store.outbox.due(CORRECTION_REJECT, new Date(clock()).toISOString(), 10)) {
      await notes.send(subject, payload)
      store.outbox.settle(outboxId, 'sent', new Date(clock()).toISOString())
    }
  }
  const manager = atTheWindow(newUser(store, { canManageStudies: true }))
  return { notices, notes, sendWaiting, manager }
}

/** Corrects images to another patient: as the engine does, in one transaction. */
async function correct(
  stage: Stage,
  notes: ReturnType<typeof openNotes>['notes'],
  originals: readonly InstanceRecord[],
  correctionId = CORRECTION,
): Promise<CorrectionDone> {
  const pairs: CorrectedImage[] = []
  for (const original of originals) {
    const uid = `${original.sopInstanceUid}.7`
    const copy = await stage.keep(uid, { state: 'superseded', patientName: 'Canario^Carla' })
    pairs.push({ original, copy: { ...copy, state: 'current' } })
  }
  return stage.store.database.transaction(() => {
    const done = correctionRows(stage.store, pairs, { correctionId })
    notes.corrected(done)
    return done
  })
}

const noteIn = ({ store }: Stage, correctionId = CORRECTION) =>
  store.instances.current(store.correctionNotices.noteOf(correctionId)?.sopInstanceUid ?? '')

const items = (dataSet: DataSet | undefined, keyword: string) =>
  (dataSet?.find(({ tag }) => tag === tagOf(keyword))?.value ?? []) as readonly DataSet[]
const text = (dataSet: DataSet | undefined, keyword: string) =>
  (dataSet?.find(({ tag }) => tag === tagOf(keyword))?.value as Buffer | undefined)?.toString().replace(/[\0 ]+$/, '')

function read({ store }: Stage, { file, dataSetOffset }: InstanceRecord): DataSet {
  const bytes = readFileSync(store.imageFiles.pathOf(file)).subarray(dataSetOffset)
  return readDataSet(bytes, TRANSFER_SYNTAX.explicitLittleEndian, { elements: 1e5, depth: 16, bytes: 1 << 24 })
}

const OPEN = { show: 'open', limit: 50 } as const

describe('a correction of images that a destination has', () => {
  it('sends the rejection note, then the copies, and closes the notice when all of it is there', async () => {
    await using archive = await openArchive()
    await using stage = forwardingStage()
    stage.add(archive.port)
    const originals = [await stage.keep('2.25.100.1.1'), await stage.keep('2.25.100.1.2')]
    await stage.forwarding.settled()
    const { notices, notes, sendWaiting, manager } = openNotes(stage)
    await correct(stage, notes, originals)
    expect(notices.list(manager, OPEN).items).toMatchObject([
      { kind: 'destination', name: 'PACS', contacts: [{ what: 'has-images', at: null }], sending: { sent: 0 } },
    ])
    notices.settleSent()
    await sendWaiting()
    notices.settleSent()
    expect(notices.list(manager, OPEN).items).toMatchObject([{ sending: { waiting: 3, sent: 0, failed: 0 } }])
    await stage.forwarding.settled()
    notices.settleSent()

    const note = noteIn(stage) ?? expect.fail()
    expect(archive.received.slice(2)).toEqual([note.sopInstanceUid, '2.25.100.1.1.7', '2.25.100.1.2.7'])
    expect(notices.list(manager, OPEN).items).toEqual([])
    const [done] = notices.list(manager, { show: 'all', limit: 10 }).items
    expect(done).toMatchObject({ state: 'done', doneBy: '', patientName: 'Probe^Paula', correctedPatientName: 'Canario^Carla' })
    expect(stage.audit().map(({ action }) => action)).toEqual(expect.arrayContaining(['correction.send', 'correction.inform']))
  })

  it('makes a Key Object Selection of every original, with the patient as the originals have it', async () => {
    await using archive = await openArchive()
    await using stage = forwardingStage()
    stage.add(archive.port)
    const first = await stage.keep('2.25.100.1.1')
    const second = await stage.keep('2.25.100.2.1', { seriesInstanceUid: '2.25.100.2' })
    const { notes, sendWaiting } = openNotes(stage)
    await correct(stage, notes, [first, second])
    await sendWaiting()

    const note = read(stage, noteIn(stage) ?? expect.fail())
    expect(['SOPClassUID', 'Modality', 'StudyInstanceUID'].map((keyword) => text(note, keyword))).toEqual([
      ...[KEY_OBJECT_SELECTION, 'KO', STUDY],
    ])
    expect(['PatientName', 'PatientID', 'AccessionNumber'].map((keyword) => text(note, keyword))).toEqual([
      ...['Müller^Jörg', 'P-0815', 'A-4711'],
    ])
    const [title] = items(note, 'ConceptNameCodeSequence')
    expect([text(title, 'CodeValue'), text(title, 'CodingSchemeDesignator')]).toEqual(['113038', 'DCM'])
    const [evidence] = items(note, 'CurrentRequestedProcedureEvidenceSequence')
    expect(text(evidence, 'StudyInstanceUID')).toBe(STUDY)
    const series = items(evidence, 'ReferencedSeriesSequence').map((one) => [
      text(one, 'SeriesInstanceUID'),
      items(one, 'ReferencedSOPSequence').map((reference) => text(reference, 'ReferencedSOPInstanceUID')),
    ])
    expect(series).toEqual([
      ['2.25.100.1', ['2.25.100.1.1']],
      ['2.25.100.2', ['2.25.100.2.1']],
    ])
    expect(items(note, 'ContentSequence')).toHaveLength(2)
  })

  it('waits for a destination that is down, and the notice stays open across a restart', async () => {
    await using stage = forwardingStage()
    await using first = await openArchive()
    const { destinationId } = stage.add(first.port)
    const original = await stage.keep('2.25.100.1.1')
    await stage.forwarding.settled()
    const { port } = first
    await first[Symbol.asyncDispose]()
    const { notices, notes, sendWaiting, manager } = openNotes(stage)
    await correct(stage, notes, [original])
    await sendWaiting()
    await stage.forwarding.settled()
    notices.settleSent()
    expect(notices.list(manager, OPEN).items).toMatchObject([{ sending: { waiting: 2, sent: 0, isEnabled: true } }])

    await using archive = await openArchive({ port })
    await stage.restart()
    expect(openNotes(stage).notices.list(manager, OPEN).items).toHaveLength(1)
    await stage.forwarding.retry(destinationId, undefined, ACTOR)
    await stage.forwarding.settled()
    notices.settleSent()
    expect(archive.received).toEqual([noteIn(stage)?.sopInstanceUid, '2.25.100.1.1.7'])
    expect(notices.list(manager, OPEN).items).toEqual([])
  })

  it('keeps the notice open, with the reason, where the destination refuses the note', async () => {
    await using archive = await openArchive({
      answer: ({ sopClassUid }) => ({ status: sopClassUid === KEY_OBJECT_SELECTION ? 0x0122 : 0 }),
    })
    await using stage = forwardingStage()
    stage.add(archive.port)
    const original = await stage.keep('2.25.100.1.1')
    await stage.forwarding.settled()
    const { notices, notes, sendWaiting, manager } = openNotes(stage)
    await correct(stage, notes, [original])
    await sendWaiting()
    await stage.forwarding.settled()
    notices.settleSent()
    const [open] = notices.list(manager, OPEN).items
    expect(open?.sending).toMatchObject({ waiting: 0, sent: 1, failed: 1 })
    expect(open?.sending?.lastError).toContain('it does not take images of this kind')
    // A person who had the images deleted there confirms it.
    expect(notices.confirm(manager, open?.noticeId ?? 0, 'Deleted at the PACS by hand').success).toBe(true)
    expect(notices.list(manager, OPEN).items).toEqual([])
  })

  it('no longer sends originals that wait, and rejects them although they may have arrived', async () => {
    await using stage = forwardingStage()
    const archive = await openArchive()
    const { destinationId } = stage.add(archive.port)
    await archive[Symbol.asyncDispose]()
    const original = await stage.keep('2.25.100.1.1')
    await stage.forwarding.settled()
    const { notes, sendWaiting } = openNotes(stage)
    await correct(stage, notes, [original])
    await sendWaiting()
    expect(stage.states(destinationId)).toEqual([
      expect.stringMatching(/^2\.25\.100\.1\.1 dropped .*The identity of the image was corrected/i),
      expect.stringMatching(/^2\.25\.\d{20,} waiting/),
      expect.stringMatching(/^2\.25\.100\.1\.1\.7 waiting/),
    ])
  })

  it('sends nothing where no destination has an original, and makes no note', async () => {
    await using stage = forwardingStage()
    const original = await stage.keep('2.25.100.1.1')
    const { notices, notes, sendWaiting, manager } = openNotes(stage)
    await correct(stage, notes, [original])
    await sendWaiting()
    expect(noteIn(stage)).toBeUndefined()
    expect(notices.list(manager, OPEN).items).toEqual([])
  })

  it('lists a destination that was removed since it got the images: a person informs it', async () => {
    await using archive = await openArchive()
    await using stage = forwardingStage()
    const { destinationId } = stage.add(archive.port, { name: 'Old PACS' })
    const original = await stage.keep('2.25.100.1.1')
    await stage.forwarding.settled()
    stage.forwarding.remove(destinationId, ACTOR)
    const { notices, notes, sendWaiting, manager } = openNotes(stage)
    await correct(stage, notes, [original])
    await sendWaiting()
    notices.settleSent()
    expect(notices.list(manager, OPEN).items).toMatchObject([
      { kind: 'destination', name: 'Old PACS', contacts: [{ what: 'former-destination' }], sending: null },
    ])
  })

  it('changes nothing when the note is made a second time, as after a crash', async () => {
    await using archive = await openArchive()
    await using stage = forwardingStage()
    stage.add(archive.port)
    const original = await stage.keep('2.25.100.1.1')
    const { notes } = openNotes(stage)
    await correct(stage, notes, [original])
    const [row] = stage.store.outbox.due(CORRECTION_REJECT, '2026-03-11T00:00:00.000Z', 10)
    await notes.send(CORRECTION, row?.payload)
    await notes.send(CORRECTION, row?.payload)
    const kept = [...stage.store.instances.newestFirst()].filter(({ sopClassUid }) => sopClassUid === KEY_OBJECT_SELECTION)
    expect(kept).toHaveLength(1)
    expect(stage.audit().filter(({ action }) => action === 'correction.send')).toHaveLength(1)
  })
})

describe('a rejection note', () => {
  it('is no image of its study, neither in its lists nor in its counts', async () => {
    await using archive = await openArchive()
    await using stage = forwardingStage()
    stage.add(archive.port)
    const original = await stage.keep('2.25.100.1.1')
    const { notes, sendWaiting } = openNotes(stage)
    await correct(stage, notes, [original])
    await sendWaiting()
    const { instances, imageStudies } = stage.store
    const shown = ['2.25.100.1.1.7']
    expect(noteIn(stage)?.state).toBe('current')
    expect(instances.ofStudy(STUDY).map(({ sopInstanceUid }) => sopInstanceUid)).toEqual(shown)
    expect(instances.partOfStudy(STUDY, 0, 10).map(({ sopInstanceUid }) => sopInstanceUid)).toEqual(shown)
    expect(imageStudies.get(STUDY)).toMatchObject({ instances: 1, modalities: ['CT'] })
    imageStudies.recount(STUDY)
    expect(imageStudies.get(STUDY)).toMatchObject({ instances: 1, series: 1, modalities: ['CT'] })
  })
})

describe('a second correction', () => {
  it('reaches a destination that was to get the copies of the first and had nothing queued yet', async () => {
    await using archive = await openArchive()
    await using stage = forwardingStage()
    stage.add(archive.port)
    const original = await stage.keep('2.25.100.1.1')
    await stage.forwarding.settled()
    const { notes, notices, sendWaiting, manager } = openNotes(stage)
    const [first] = (await correct(stage, notes, [original])).pairs
    const second = 'a2c4e6f8-1b3d-4f5a-9c7e-0d2b4f6a8c1e'
    await correct(stage, notes, [first?.copy ?? expect.fail()], second)
    await sendWaiting()
    await stage.forwarding.settled()
    notices.settleSent()
    expect(archive.received).toEqual([
      ...['2.25.100.1.1', noteIn(stage)?.sopInstanceUid],
      ...[noteIn(stage, second)?.sopInstanceUid, '2.25.100.1.1.7.7'],
    ])
    expect(notices.list(manager, OPEN).items).toEqual([])
  })
})

describe('a correction that is undone before anything of it was queued', () => {
  it('lets the originals go on, and nobody gets a note', async () => {
    await using stage = forwardingStage()
    const archive = await openArchive()
    const { destinationId } = stage.add(archive.port)
    await archive[Symbol.asyncDispose]()
    const original = await stage.keep('2.25.100.1.1')
    const { notices, notes, sendWaiting, manager } = openNotes(stage)
    const done = await correct(stage, notes, [original])
    expect(stage.store.correctionNotices.noteOf(CORRECTION) !== undefined).toBe(false)
    stage.store.database.transaction(() => notes.corrected(undoneRows(stage.store, done, '2026-03-10T09:01:00.000Z')))
    await sendWaiting()
    expect(noteIn(stage)).toBeUndefined()
    expect(stage.states(destinationId)).toEqual([expect.stringMatching(/^2\.25\.100\.1\.1 waiting/)])
    expect(notices.list(manager, OPEN).items).toEqual([])
  })

  it('keeps no note that was being written meanwhile', async () => {
    await using archive = await openArchive()
    await using stage = forwardingStage()
    stage.add(archive.port)
    const original = await stage.keep('2.25.100.1.1')
    const { notes } = openNotes(stage)
    const done = await correct(stage, notes, [original])
    const [row] = stage.store.outbox.due(CORRECTION_REJECT, '2026-03-11T00:00:00.000Z', 10)
    const sending = notes.send(CORRECTION, row?.payload)
    stage.store.database.transaction(() => notes.corrected(undoneRows(stage.store, done, '2026-03-10T09:01:00.000Z')))
    await sending
    expect(noteIn(stage)).toBeUndefined()
    expect(stage.store.correctionNotices.noteOf(CORRECTION) !== undefined).toBe(false)
  })

  it('is queued once a destination may have got something of it', async () => {
    await using archive = await openArchive()
    await using stage = forwardingStage()
    stage.add(archive.port)
    const original = await stage.keep('2.25.100.1.1')
    const { notes, sendWaiting } = openNotes(stage)
    await correct(stage, notes, [original])
    await sendWaiting()
    expect(stage.store.correctionNotices.noteOf(CORRECTION) !== undefined).toBe(true)
  })
})
