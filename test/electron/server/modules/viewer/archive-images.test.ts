import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { announceInstances } from '#server/modules/images/announced-instance-queries.ts'
import {
  recountInstances,
  updateImageStudy,
} from '#server/modules/images/image-study-writing-queries.ts'
import { findCurrentInstance, setInstanceState } from '#server/modules/images/instance-queries.ts'
import { oldestViewFiles } from '#server/modules/viewer/queries.ts'
import { WebhookError } from '#server/webhooks/webhook-error.ts'
import { englishText } from '#shared/messages/english.ts'
import { verbatim } from '#shared/messages/message.ts'
import { needs, PYDICOM_SAMPLES } from '../../../../support/needs.ts'
import { hidesOpenFiles, openFilesIn } from '../../../../support/open-files.ts'
import { addTo, archive, archived } from './archive-fixture.ts'
import { scribeStudy } from './study-fixture.ts'
import {
  dicomFile,
  dicomFiles,
  type Listed,
  listedOf,
  never,
  openView,
  openViewing,
  STUDY,
  uidOf,
} from './viewing-fixture.ts'

const sentences = (page: Listed) =>
  page.faults.map(({ what, sentence }) => `${englishText(what)}: ${englishText(sentence)}`)
const made = (number: number) =>
  dicomFile({ sopInstanceUid: uidOf(number), more: { InstanceNumber: String(number) } })

describe('the images of a view that the archive has', () => {
  it('are listed from there, and no partner is asked', async () => {
    const viewing = await openViewing(dicomFiles(9))
    archive(
      viewing.store,
      STUDY,
      [1, 2, 3].map((number) => archived(number, made(number))),
    )
    const page = await viewing.listed()
    expect([...page.instances.values()].map(({ source }) => source)).toEqual([
      'archive',
      'archive',
      'archive',
    ])
    expect(page.lines.at(-1)).toEqual({ line: 'progress', state: 'done', read: 3, files: 3 })
    expect(viewing.asked).toEqual([])
    const { body } = await viewing.images.frame(viewing.view, uidOf(3), 1, never())
    expect(body).toEqual(made(3).subarray(-512))
    await expect(viewing.images.frame(viewing.view, uidOf(3), 2, never())).rejects.toMatchObject({
      code: 'not-found',
    })
    await expect(viewing.images.frame(viewing.view, uidOf(7), 1, never())).rejects.toMatchObject({
      code: 'not-found',
    })
  })

  it('after the first 24 are listed once the first one has been displayed', async () => {
    const viewing = await openViewing({}, { startMs: 100_000 })
    const numbers = Array.from({ length: 40 }, (_, index) => index + 1)
    archive(
      viewing.store,
      STUDY,
      numbers.map((number) => archived(number, made(number))),
    )
    const listed = new Set<string>()
    const hasFirst = Promise.withResolvers<void>()
    const all = (async () => {
      for await (const line of viewing.images.lines(viewing.view, never())) {
        if (line.line === 'instances')
          for (const { sopInstanceUid } of line.instances) listed.add(sopInstanceUid)
        if (listed.size === 24) hasFirst.resolve()
      }
    })()
    await hasFirst.promise
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(listed.size).toBe(24)
    await viewing.images.frame(viewing.view, uidOf(1), 1, never())
    await all
    expect(listed.size).toBe(40)
  })

  it('are all there is where the study is cancelled: no partner is asked for it', async () => {
    const viewing = await openViewing({ '/2': made(2) })
    archive(viewing.store, STUDY, [archived(1, made(1))])
    announceInstances(
      viewing.store.database,
      STUDY,
      [{ sopInstanceUid: uidOf(2), seriesInstanceUid: `${STUDY}.1` }],
      '2026-03-10T08:00:00.000Z',
    )
    scribeStudy(viewing.store, STUDY, {}, { cancelledAt: '2026-03-10T09:00:00.000Z' })
    const page = await viewing.listed(openView({ kind: 'window', area: null, studyId: null }))
    expect([page.instances.size, viewing.asked]).toEqual([1, []])
  })

  it('are shown no more once they were set aside or replaced', async () => {
    const viewing = await openViewing()
    const { store, images, view } = viewing
    archive(
      store,
      STUDY,
      [1, 2].map((number) => archived(number, made(number))),
    )
    await viewing.listed()
    const [aside, replaced] = [1, 2].map(
      (number) => findCurrentInstance(store.database, uidOf(number))?.instanceId ?? 0,
    )
    setInstanceState(store.database, aside ?? 0, 'quarantined', 'different-content')
    setInstanceState(store.database, replaced ?? 0, 'superseded')
    addTo(store, STUDY, [archived(2, dicomFile({ sopInstanceUid: uidOf(2), size: 8 }))])
    recountInstances(store.database, STUDY)
    for (const number of [1, 2])
      await expect(images.frame(view, uidOf(number), 1, never())).rejects.toMatchObject({
        code: 'refused',
        message: /quarantine/,
      })
    expect((await viewing.listed()).instances.get(uidOf(2))?.image?.rows).toBe(8)
    expect((await images.frame(view, uidOf(2), 1, never())).body).toHaveLength(128)
    await expect(images.extras(view, uidOf(1))).rejects.toMatchObject({ code: 'refused' })
  })

  it('are not all that was announced: then the partner is asked for the others, and what is here is not fetched', async () => {
    const viewing = await openViewing({
      [`/${uidOf(1)}.dcm`]: made(1),
      '/2': made(2),
      '/1-again': dicomFile({ sopInstanceUid: uidOf(1), size: 8 }),
    })
    const { store } = viewing
    archive(store, STUDY, [archived(1, made(1))])
    const announced = [1, 2].map((number) => ({
      sopInstanceUid: uidOf(number),
      seriesInstanceUid: `${STUDY}.1`,
    }))
    announceInstances(store.database, STUDY, announced, '2026-03-10T08:00:00.000Z')
    const page = await viewing.listed()
    expect(
      [...page.instances.values()].map(({ sopInstanceUid, source }) => [sopInstanceUid, source]),
    ).toEqual([
      [uidOf(1), 'archive'],
      [uidOf(2), 'partner'],
    ])
    expect(page.instances.get(uidOf(1))?.image?.rows).toBe(16)
    expect(viewing.host.paths.sort()).toEqual(['/1-again', '/2'])
    expect([viewing.asked.length, sentences(page)]).toEqual([1, []])
  })

  it('are enough where no endpoint takes the question', async () => {
    const viewing = await openViewing()
    viewing.answer = () => Promise.reject(new WebhookError('no-endpoint', verbatim('x')))
    archive(viewing.store, STUDY, [archived(1, made(1))])
    const seriesInstanceUid = `${STUDY}.1`
    announceInstances(
      viewing.store.database,
      STUDY,
      [{ sopInstanceUid: uidOf(2), seriesInstanceUid }],
      '2026-03-10T08:00:00.000Z',
    )
    const page = await viewing.listed()
    expect([page.instances.size, sentences(page)]).toEqual([
      1,
      ['The archive: 1 announced image has not arrived.'],
    ])
  })

  it('are not the study where the gateway itself made them, such as a capture', async () => {
    const viewing = await openViewing({ '/1': made(1) })
    archive(viewing.store, STUDY, [archived(50, made(50), { remoteAddress: '' })])
    const page = await viewing.listed()
    expect([...page.instances.values()].map(({ source }) => source)).toEqual(['archive', 'partner'])
    expect(viewing.asked).toHaveLength(1)
  })

  it('are not those that were set aside', async () => {
    const viewing = await openViewing()
    archive(viewing.store, STUDY, [
      archived(1, made(1)),
      archived(2, made(2), { state: 'quarantined', reason: 'different-content' }),
    ])
    expect([...(await viewing.listed()).instances.keys()]).toEqual([uidOf(1)])
  })

  it('that are gone from the disk or cannot be read are named, and the others are listed', async () => {
    const viewing = await openViewing()
    const [gone = ''] = archive(viewing.store, STUDY, [
      archived(1, made(1)),
      archived(2, Buffer.alloc(600, 'rubbish')),
      archived(3, made(3)),
    ])
    rmSync(gone)
    const page = await viewing.listed()
    expect([...page.instances.keys()]).toEqual([uidOf(3)])
    expect(page.faults.map(({ what }) => what).sort()).toEqual([
      'Image 1 of the archive',
      'Image 2 of the archive',
    ])
    expect(sentences(page).join()).toContain('Its file is no longer in the image folder.')
    for (const number of [1, 2])
      await expect(
        viewing.images.frame(viewing.view, uidOf(number), 1, never()),
      ).rejects.toMatchObject({ code: 'refused' })
  })

  it('that are deflated are inflated once, also for a later view', async (context) => {
    needs(context, 'samples')
    const viewing = await openViewing()
    const file = readFileSync(`${PYDICOM_SAMPLES}/image_dfl.dcm`)
    const row = {
      sopInstanceUid: '1.3.6.1.4.1.5962.1.1.0.0.0.977067309.6001.0',
      transferSyntaxUid: '1.2.840.10008.1.2.1.99',
    }
    archive(viewing.store, STUDY, [archived(1, file, row)])
    const page = await viewing.listed()
    const [sop = ''] = page.instances.keys()
    const found = page.instances.get(sop)?.image
    const { body } = await viewing.images.frame(viewing.view, row.sopInstanceUid, 1, never())
    expect(body).toHaveLength((found?.rows ?? 0) * (found?.columns ?? 0))
    const images = await viewing.restart()
    const { createdAt, file: copy } = oldestViewFiles(viewing.store.database, 1)[0] ?? {}
    viewing.clock.pass(1000)
    await listedOf(images, openView())
    await viewing.restart()
    expect(oldestViewFiles(viewing.store.database, 1)).toMatchObject([
      { createdAt, file: copy, usedAt: '2026-03-10T09:00:01.000Z' },
    ])
  })

  it('that are deflated are a fault where the disk is nearly full, and leave no file open', async (context) => {
    needs(context, 'samples')
    const viewing = await openViewing()
    const row = {
      sopInstanceUid: '1.3.6.1.4.1.5962.1.1.0.0.0.977067309.6001.0',
      transferSyntaxUid: '1.2.840.10008.1.2.1.99',
    }
    archive(viewing.store, STUDY, [
      archived(1, readFileSync(join(PYDICOM_SAMPLES, 'image_dfl.dcm')), row),
    ])
    viewing.store.settings.set('intake.stopGigabytes', 100_000)
    expect(sentences(await viewing.listed()).join()).toContain(
      'The disk of the gateway is nearly full',
    )
    if (!hidesOpenFiles) expect(openFilesIn(join(viewing.folder, 'cache'))).toEqual([])
  })

  it('of thousands come in many small lines', async () => {
    const viewing = await openViewing()
    archive(
      viewing.store,
      STUDY,
      Array.from({ length: 1200 }, (_, index) => archived(index + 1, made(index + 1))),
    )
    const page = await viewing.listed()
    expect(page.instances.size).toBe(1200)
    for (const line of page.lines)
      if (line.line === 'instances') expect(line.instances.length).toBeLessThanOrEqual(200)
    expect(page.lines.findIndex(({ line }) => line === 'series')).toBeLessThan(
      page.lines.findIndex(({ line }) => line === 'instances'),
    )
  })

  it('that come while the view is open are listed when the page is opened again', async () => {
    const viewing = await openViewing()
    const { store } = viewing
    archive(store, STUDY, [archived(1, made(1))], { state: 'receiving' })
    expect(sentences(await viewing.listed())).toEqual([
      'The archive: Images of this study are still arriving: reload the page to see the new ones.',
    ])
    addTo(store, STUDY, [archived(2, made(2)), archived(3, made(3))])
    updateImageStudy(store.database, STUDY, {
      state: 'settled',
      settledAt: '2026-03-10T08:30:00.000Z',
    })
    const page = await viewing.listed()
    expect([[...page.instances.keys()].sort(), page.faults]).toEqual([[1, 2, 3].map(uidOf), []])
    expect(page.lines.at(-1)).toEqual({ line: 'progress', state: 'done', read: 3, files: 3 })
    expect(viewing.asked).toEqual([])
  })

  it('name the patient of each file, whichever of the study was read first', async () => {
    const viewing = await openViewing()
    const other = dicomFile({
      sopInstanceUid: uidOf(2),
      more: { PatientName: 'Novak^Jan', PatientID: 'P-9', InstanceNumber: '2' },
    })
    archive(viewing.store, STUDY, [archived(1, made(1)), archived(2, other)])
    const page = await viewing.listed()
    const [study] = [...page.studies.values()]
    const nameOf = (number: number) => {
      const { patient } = page.instances.get(uidOf(number)) ?? {}
      return patient ? patient.patientName : study?.patientName
    }
    expect(nameOf(2)).toBe('Novak^Jan')
    expect(nameOf(1)).not.toBe('Novak^Jan')
    expect(page.faults).toContainEqual(
      expect.objectContaining({
        level: 'danger',
        sentence: 'This study contains images of more than one patient.',
      }),
    )
  })

  it('are under a danger that says so while the identity of the study is a mismatch', async () => {
    const viewing = await openViewing()
    archive(viewing.store, STUDY, [archived(1, made(1))])
    const amongImages = [{ field: 'patientId', first: 'P-1', other: 'P-9' }] as const
    const mismatch = { fields: [], amongImages, foundAt: '2026-03-10T08:30:00.000Z' }
    updateImageStudy(viewing.store.database, STUDY, { mismatch })
    const what = 'The identity check'
    expect((await viewing.listed()).faults).toContainEqual(
      expect.objectContaining({
        ...{ level: 'danger', what },
        sentence: 'The patient or exam in the images differs from the worklist or the study.',
      }),
    )
    const differences = [
      { from: 'images', field: 'patientId', expected: 'P-1', received: 'P-9' },
    ] as const
    const override = {
      at: mismatch.foundAt,
      userId: 'usr_1',
      name: 'Una Malá',
      reason: 'Seen',
      differences,
    }
    updateImageStudy(viewing.store.database, STUDY, { override })
    const again = await viewing.listed(openView({ viewId: crypto.randomUUID() }))
    expect(again.faults).toContainEqual(expect.objectContaining({ level: 'warning', what }))
  })

  it('are compared with the patient of the study', async () => {
    const viewing = await openViewing()
    archive(viewing.store, STUDY, [archived(1, made(1))])
    scribeStudy(viewing.store, STUDY, {
      reportMetadata: { patientName: 'Ruth Keller', mrn: 'P-0815' },
    })
    expect((await viewing.listed()).faults).toContainEqual(
      expect.objectContaining({
        ...{ level: 'danger', what: 'The patient' },
        sentence:
          'The images may belong to a different patient than the study: their name differs.',
      }),
    )
  })
})
