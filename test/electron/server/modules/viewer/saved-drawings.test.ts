import { describe, expect, it } from 'vitest'
import { listStudyInstances } from '#server/modules/images/instance-queries.ts'
import { ApiError } from '#shared/errors.ts'
import {
  CHANGES,
  ctImage,
  DRAWINGS,
  drawing,
  IMAGE,
  openSaving,
  type Saving,
  STUDY,
} from '../../../../support/saved-drawings.ts'

const byUid = (drawings: readonly { readonly uid: string }[]) =>
  drawings.toSorted((a, b) => (a.uid < b.uid ? -1 : 1))
const LENGTH = drawing('length', [[1, 1], [9.5, 1]], [['length', 4.25, 'mm']]) // biome-ignore format: points
const LABEL = { ...drawing('text', [[5, 5]], []), text: 'A' }
const KEY = { ...drawing('keyImage', [], []), uid: `${IMAGE}/1`, title: '113000' as const }

const rowsOf = (on: Saving) =>
  listStudyInstances(on.temp.store.database, STUDY).map(
    ({ modality, instanceNumber }) => `${modality} ${instanceNumber}`,
  )
async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof ApiError)) throw error
  return [error.code, ...error.errors.map(({ path }) => path)].join(' ')
}

describe('drawings that are saved to the study', () => {
  it('are read from the objects as they were saved', async () => {
    using on = openSaving()
    const saved = await on.saved.save(on.window, STUDY, { ...CHANGES, drawings: [...DRAWINGS] })
    expect(saved).toMatchObject({ version: 1, savedBy: 'Sample^Rita' })
    expect(byUid(saved.drawings)).toEqual(byUid(DRAWINGS))
    expect(await on.saved.read(STUDY)).toEqual(saved)
    expect(rowsOf(on)).toEqual(['SR 1001', 'PR 1001', 'KO 1001'])
    expect(await on.saved.read('2.25.101')).toEqual({
      ...{ version: 0, savedAt: null, savedBy: '', drawings: [] },
    })
  })

  it('are a new version of the kinds that changed, and earlier objects stay', async () => {
    using on = openSaving()
    const first = { ...CHANGES, drawings: [LENGTH, LABEL, KEY] }
    await on.saved.save(on.window, STUDY, first)
    expect((await on.saved.save(on.window, STUDY, first)).version).toBe(1)
    const moved = { ...LENGTH, points: [...LENGTH.points.slice(0, 1), [20, 1] as [number, number]] }
    const second = await on.saved.save(on.window, STUDY, { ...CHANGES, drawings: [moved] })
    expect([second.version, byUid(second.drawings)]).toEqual([2, byUid([moved, LABEL, KEY])])
    expect(rowsOf(on)).toEqual(['SR 1001', 'PR 1001', 'KO 1001', 'SR 2001', 'PR 2001'])
    const third = await on.saved.save(on.window, STUDY, { ...CHANGES, removed: [KEY.uid] })
    expect([third.version, byUid(third.drawings)]).toEqual([3, byUid([moved, LABEL])])
    const fourth = await on.saved.save(on.window, STUDY, {
      ...CHANGES,
      removed: [LENGTH.uid, LABEL.uid],
    })
    expect([fourth.version, fourth.drawings]).toEqual([4, []])
    expect(rowsOf(on)).toHaveLength(8)
    const series = listStudyInstances(on.temp.store.database, STUDY).map(
      (row) => row.seriesInstanceUid,
    )
    expect(new Set(series).size).toBe(3)
  })

  it('are kept where two persons save at the same time', async () => {
    using on = openSaving()
    await Promise.all([
      on.saved.save(on.window, STUDY, { ...CHANGES, drawings: [LENGTH] }),
      on.saved.save(on.link, STUDY, { ...CHANGES, drawings: [LABEL] }),
    ])
    const { version, drawings } = await on.saved.read(STUDY)
    expect([version, byUid(drawings)]).toEqual([2, byUid([LENGTH, LABEL])])
  })

  it('can be added and changed in a view of a link, and not removed', async () => {
    using on = openSaving()
    await on.saved.save(on.link, STUDY, { ...CHANGES, drawings: [LENGTH] })
    expect((await on.saved.read(STUDY)).savedBy).toBe('')
    expect(
      await refusalOf(on.saved.save(on.link, STUDY, { ...CHANGES, removed: [LENGTH.uid] })),
    ).toBe('refused')
    expect((await on.saved.read(STUDY)).drawings).toEqual([LENGTH])
  })

  it('are in the audit log', async () => {
    using on = openSaving()
    await on.saved.save(on.window, STUDY, { ...CHANGES, drawings: [LENGTH] })
    const { items } = on.temp.store.audit.list({ limit: 9 })
    const entry = items.find(({ action }) => action === 'drawings.save')
    expect(entry).toMatchObject({ target: STUDY, detail: { version: 1, drawings: 1, removed: 0 } })
  })

  it('are on images that the view shows, whole and of one patient', async () => {
    using on = openSaving()
    const save = (...drawings: (typeof LENGTH)[]) =>
      refusalOf(on.saved.save(on.window, STUDY, { ...CHANGES, drawings }))
    expect(await save({ ...LENGTH, sopInstanceUid: '2.25.9' })).toBe('not-found')
    expect(await save({ ...LENGTH, frame: 2 })).toBe('malformed body.drawings.0.frame')
    expect(await save({ ...LENGTH, points: [[1, 1]] })).toBe('malformed body.drawings.0.points')
    expect(await save({ ...LENGTH, uid: '1.2.3' })).toBe('malformed body.drawings.0.uid')
    expect(await save({ ...LENGTH, title: '113000' })).toBe('malformed body.drawings.0.uid')
    expect(await save({ ...KEY, uid: `${IMAGE}/2` })).toBe('malformed body.drawings.0.uid')
    const patient = { patientName: 'OTHER', patientId: '1', patientBirthDate: '', patientSex: '' }
    on.images.set(
      '2.25.9',
      ctImage({
        instance: { sopInstanceUid: '2.25.9', patient: { ...patient, accessionNumber: '' } },
      }),
    )
    expect(await save(LENGTH, { ...LABEL, sopInstanceUid: '2.25.9' })).toBe('refused')
  })
})
