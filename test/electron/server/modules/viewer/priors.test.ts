import { describe, expect, it } from 'vitest'
import type { Context } from '#server/context.ts'
import type { OpenView } from '#server/http/callers.ts'
import { insertCustomer, insertCustomerUser } from '#server/modules/customers/queries.ts'
import { priorScope } from '#server/modules/viewer/priors.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import { englishText } from '#shared/messages/english.ts'
import { newKey, newUser } from '../../../../support/callers.ts'
import { seedImages } from '../../../../support/images.ts'
import { archive, archived } from './archive-fixture.ts'
import { scribeStudy } from './study-fixture.ts'
import { dicomFile, listedOf, openView, openViewing, STUDY, uidOf } from './viewing-fixture.ts'

const PATIENT = { patientName: 'Meier^Anna', patientId: 'P-4711', patientBirthDate: '19800131' }
const CUSTOMER = `cus_${'2'.repeat(32)}`
const USER = {
  userId: `usr_${'1'.repeat(32)}`,
  level: 'owner',
  hasDashboardAccess: true,
} as SignedInUser

/**
 * The study, an earlier one of the patient, one of a patient with the same number, and one of
 * somebody else.
 */
async function clinic(more: Parameters<typeof openViewing>[1] = {}) {
  const viewing = await openViewing({}, more)
  const { store } = viewing
  archive(store, STUDY, [archived(1, dicomFile())], { header: PATIENT })
  const other = (number: number, header: object) => {
    const uid = `2.25.20${number}`
    const file = dicomFile({
      studyInstanceUid: uid,
      seriesInstanceUid: `${uid}.1`,
      sopInstanceUid: uidOf(200 + number),
    })
    archive(store, uid, [archived(200 + number, file)], {
      header: { ...PATIENT, studyDate: `2025010${number}`, ...header },
    })
    return uid
  }
  const earlier = other(1, {})
  other(2, { patientName: 'Keller^Ruth', patientBirthDate: '19500101' })
  other(3, { patientId: 'P-9' })
  return { ...viewing, earlier }
}

const AT = '2026-03-10T09:00:00.000Z'

function newCustomer(store: Context, expressCustomerId: string): void {
  insertCustomer(store.database, {
    expressCustomerId,
    expressCustomerName: expressCustomerId,
    isActive: true,
    createdByApiKeyId: newKey(store).apiKeyId,
    createdByUserId: null,
    createdAt: AT,
    updatedAt: AT,
    metadata: undefined,
  })
}

/** Links USER to a customer of its own. */
function linkUser(store: Context, expressCustomerId: string): void {
  newCustomer(store, expressCustomerId)
  newUser(store, { userId: USER.userId })
  insertCustomerUser(store.database, { expressCustomerId, userId: USER.userId, createdAt: AT })
}

describe('earlier studies', () => {
  it('of the same patient are found in the archive for a person at the window, not by the number alone', async () => {
    const { images, earlier } = await clinic()
    const priors = images.priors(openView({ kind: 'window', user: USER }))
    expect(
      priors.map(({ studyInstanceUid, instances, isOpen }) => [
        studyInstanceUid,
        instances,
        isOpen,
      ]),
    ).toEqual([[earlier, 1, false]])
  })

  it('are found behind many studies of others that have the number in their text', async () => {
    const { images, store, earlier } = await clinic()
    for (let number = 0; number < 250; number++) {
      const header = { patientName: 'Other^Person', patientId: 'X-1', studyDescription: 'P-4711' }
      seedImages(store, { uid: `2.25.9${number}`, header, at: '2026-12-01T08:00:00.000Z' })
    }
    const priors = images.priors(openView({ kind: 'window', user: USER }))
    expect(priors.map(({ studyInstanceUid }) => studyInstanceUid)).toEqual([earlier])
  })

  it('are found by the metadata of the study before any of its images has come', async () => {
    const { images, store, earlier } = await clinic()
    const study = '2.25.777'
    const view = openView({ kind: 'window', user: USER, studyInstanceUid: study })
    expect(priorScope(store, view)).toBe('unidentified')
    expect(images.priors(view)).toEqual([])
    scribeStudy(store, study, {
      reportMetadata: {
        mrn: 'P-4711',
        patientName: 'Meier^Anna',
        dateOfBirth: '1980-01-31',
      } as never,
    })
    expect(priorScope(store, view)).toBe('archive')
    expect(priorScope(store, openView())).toBe('link')
    expect(images.priors(view).map(({ studyInstanceUid }) => studyInstanceUid)).toContain(earlier)
  })

  it('are those alone that the person may see', async () => {
    const { images, store } = await clinic()
    linkUser(store, `cus_${'2'.repeat(32)}`)
    expect(images.priors(openView({ kind: 'window', user: { ...USER, level: 'member' } }))).toEqual(
      [],
    )
    expect(images.priors(openView({ kind: 'window', user: USER }))).toHaveLength(1)
  })

  it('are not shown by a link, but for those that the row of its study names', async () => {
    const { images, store } = await clinic()
    const view = openView({ kind: 'viewer-only', area: 'scribe' })
    expect(images.priors(view)).toEqual([])
    const priorId = scribeStudy(store, '2.25.300', {
      reportMetadata: { scanDate: '2024-05-06' } as never,
    })
    scribeStudy(store, STUDY, { priorStudyIds: [priorId] })
    expect(images.priors(view)).toMatchObject([
      { studyInstanceUid: '2.25.300', studyDate: '20240506', instances: null },
    ])
  })

  it('that a row names are those alone that the person, or whoever gave the link, may see', async () => {
    const others = `cus_${'3'.repeat(32)}`
    const { images, store } = await clinic()
    linkUser(store, CUSTOMER)
    newCustomer(store, others)
    const theirs = scribeStudy(store, '2.25.300', {}, { expressCustomerId: CUSTOMER })
    const foreign = scribeStudy(store, '2.25.301', {}, { expressCustomerId: others })
    scribeStudy(store, STUDY, { priorStudyIds: [theirs, foreign] }, { expressCustomerId: CUSTOMER })
    const seen = (view: OpenView) =>
      images.priors(view).map(({ studyInstanceUid }) => studyInstanceUid)
    expect(seen(openView({ kind: 'window', user: { ...USER, level: 'member' } }))).toEqual([
      '2.25.300',
    ])
    expect(seen(openView({ createdByApiKeyId: newKey(store).apiKeyId }))).toEqual([
      '2.25.300',
      '2.25.301',
    ])
    // A key of its own studies alone has made another row of the same study.
    expect(
      seen(openView({ createdByApiKeyId: newKey(store, { scope: 'self' }).apiKeyId })),
    ).toEqual([])
  })

  it('that are cancelled are not shown by a link', async () => {
    const { images, store } = await clinic()
    const priorId = scribeStudy(store, '2.25.300', {}, { cancelledAt: '2026-03-10T09:00:00.000Z' })
    scribeStudy(store, STUDY, { priorStudyIds: [priorId] })
    expect(images.priors(openView())).toEqual([])
  })

  it('of another patient are a danger, a number or a name of another hospital or marriage is none', async () => {
    const shownWith = async (header: Record<string, string>) => {
      const viewing = await openViewing()
      const prior = '2.25.300'
      archive(viewing.store, STUDY, [archived(1, dicomFile())])
      const file = dicomFile({
        studyInstanceUid: prior,
        seriesInstanceUid: '2.25.300.1',
        sopInstanceUid: uidOf(9),
        more: header,
      })
      archive(viewing.store, prior, [archived(9, file)])
      scribeStudy(viewing.store, STUDY, { priorStudyIds: [scribeStudy(viewing.store, prior)] })
      await listedOf(viewing.images, viewing.view)
      viewing.images.addPrior(viewing.view, prior)
      return (await listedOf(viewing.images, viewing.view)).faults.map(
        ({ level, sentence }) => `${level} ${englishText(sentence)}`,
      )
    }
    const name = { PatientName: 'Keller^Ruth' }
    expect(await shownWith({ PatientID: 'X-1' })).toEqual([])
    expect(await shownWith(name)).toEqual([])
    expect(await shownWith({ ...name, PatientID: 'X-1' })).toEqual([
      'danger It may belong to a different patient than another study in this view: the name and patient ID differ.',
    ])
  })

  it('cannot take the place of an image of the study by carrying its UID', async () => {
    const { images, store, view } = await openViewing()
    const prior = '2.25.300'
    archive(store, STUDY, [archived(1, dicomFile())])
    archive(store, prior, [
      archived(
        9,
        dicomFile({
          studyInstanceUid: prior,
          seriesInstanceUid: '2.25.300.1',
          sopInstanceUid: uidOf(1),
        }),
      ),
    ])
    scribeStudy(store, STUDY, { priorStudyIds: [scribeStudy(store, prior)] })
    await listedOf(images, view)
    images.addPrior(view, prior)
    const page = await listedOf(images, view)
    expect(page.instances.get(uidOf(1))?.studyInstanceUid).toBe(STUDY)
    expect(page.faults).toMatchObject([{ level: 'danger', studyInstanceUid: prior }])
  })

  it('are added to the list of the view, and no others', async () => {
    const viewing = await clinic()
    const { images, earlier } = viewing
    const view = openView({ kind: 'window', user: USER })
    await listedOf(images, view)
    expect(() => images.addPrior(view, '2.25.203')).toThrow(
      expect.objectContaining({ code: 'not-found' }),
    )
    images.addPrior(view, earlier)
    images.addPrior(view, earlier)
    const page = await listedOf(images, view)
    expect(
      [...page.studies.values()].map(({ studyInstanceUid, isPrior }) => [
        studyInstanceUid,
        isPrior,
      ]),
    ).toEqual([
      [STUDY, false],
      [earlier, true],
    ])
    expect(page.instances.size).toBe(2)
    expect(images.priors(view)[0]?.isOpen).toBe(true)
  })

  it('that only the partner has are asked for by their own id', async () => {
    const viewing = await openViewing({
      '/1': dicomFile({ studyInstanceUid: '2.25.300', seriesInstanceUid: '2.25.300.1' }),
    })
    const priorId = scribeStudy(viewing.store, '2.25.300')
    scribeStudy(viewing.store, STUDY, { priorStudyIds: [priorId] })
    archive(viewing.store, STUDY, [archived(7, dicomFile({ sopInstanceUid: uidOf(7) }))])
    const view = openView({ kind: 'viewer-only', area: 'scribe' })
    viewing.images.addPrior(view, '2.25.300')
    const page = await listedOf(viewing.images, view)
    expect(viewing.asked).toEqual([{ studyInstanceUid: '2.25.300' }])
    expect([...page.instances.values()].map(({ source }) => source).sort()).toEqual([
      'archive',
      'partner',
    ])
  })
})
