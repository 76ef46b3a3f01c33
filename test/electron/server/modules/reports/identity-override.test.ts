import { describe, expect, it } from 'vitest'
import { updateImageStudy } from '#server/modules/images/image-study-writing-queries.ts'
import { ReportDestinations } from '#server/modules/reports/report-destinations.ts'
import { isStudyMismatched } from '#server/modules/studies/image-study-queries.ts'
import { reportFindings } from '#shared/report-checks.ts'
import { newEndpoint } from '../../../../support/endpoints.ts'
import { seedImages } from '../../../../support/images.ts'
import { codeOf } from '../../../../support/refusal.ts'
import { reportStage, SOUND } from './reports-fixture.ts'

const OTHER = { patientName: 'NOVAK^JAN', patientId: 'M-9', patientBirthDate: '', patientSex: 'M' }
const SAME = { patientName: 'EXAMPLE^ADA', patientId: 'M-7', patientBirthDate: '', patientSex: 'F' }

/** The reporting domain with a study whose images name another patient than the partner does. */
function stage(header = OTHER) {
  const on = reportStage()
  const { studyInstanceUid } = on.study
  seedImages(on.store, { uid: studyInstanceUid, header })
  return {
    ...on,
    identity: () => on.reading.read(on.radiologist, on.studyId).identity,
    override: (by = on.radiologist, reason = 'Confirmed by phone') => {
      const { differences } = on.reading.read(on.radiologist, on.studyId).identity
      on.writing.overrideIdentity(by, on.studyId, { reason, differences })
    },
    [Symbol.dispose]: () => on[Symbol.dispose](),
  }
}

describe('a report over images of another patient', () => {
  it('is not signed, whatever was acknowledged', async () => {
    using on = stage()
    expect(on.identity()).toMatchObject({ state: 'mismatch', override: null })
    const result = await on.writing.sign(on.radiologist, on.studyId, {
      ...on.written(),
      acknowledged: ['identity'],
    })
    expect(result).toMatchObject({
      outcome: 'checks',
      findings: [{ check: 'identity', level: 'error' }],
    })
    expect(
      on.writing.checkReport(on.radiologist, on.studyId, { text: SOUND, isCritical: false }),
    ).toMatchObject([{ check: 'identity' }])
  })

  it('is not signed over images that arrive while the PDF is rendered', async () => {
    using on = reportStage()
    on.meanwhile.push(() => seedImages(on.store, { uid: on.study.studyInstanceUid, header: OTHER }))
    const result = await on.writing.sign(on.radiologist, on.studyId, on.written())
    expect(on.rendered).toHaveLength(1)
    expect(result).toMatchObject({
      outcome: 'checks',
      findings: [{ check: 'identity', level: 'error' }],
    })
    expect(on.status()).toBe('in_progress')
  })

  it('is signed once a person who may sign has overridden it, which the audit entries keep', async () => {
    using on = stage()
    on.override()
    const at = '2026-03-10T09:00:00.000Z'
    expect(on.identity()).toMatchObject({
      state: 'overridden',
      override: { at, name: 'Una Malá', reason: 'Confirmed by phone' },
    })
    const order = on.written()
    expect(await on.writing.sign(on.radiologist, on.studyId, order)).toMatchObject({
      ...{ outcome: 'checks', findings: [{ check: 'identity', level: 'warning' }] },
    })
    expect(
      await on.writing.sign(on.radiologist, on.studyId, { ...order, acknowledged: ['identity'] }),
    ).toMatchObject({ outcome: 'signed' })
    const entries = on.store.audit.list({ limit: 100 }).items
    const { userId } = on.user
    expect(entries.find(({ action }) => action === 'report.sign')?.detail).toMatchObject({
      ...{ identity: 'overridden', identityOverride: { at, userId, reason: 'Confirmed by phone' } },
    })
    const [entry] = entries.filter(({ action }) => action === 'study.override-identity')
    expect(entry).toMatchObject({ actor: `user:${userId}`, target: on.studyId })
    expect(entry?.detail).toMatchObject({
      fields: ['study: patientName', 'study: patientId', 'study: patientSex'],
    })
    expect(JSON.stringify(entry)).not.toMatch(/NOVAK|M-9/)
  })

  it('is a mismatch again where images name yet another patient', async () => {
    using on = stage()
    on.override()
    updateImageStudy(on.store.database, on.study.studyInstanceUid, {
      mismatch: {
        fields: [],
        amongImages: [{ field: 'patientId', first: 'M-9', other: 'M-10' }],
        foundAt: '2026-03-10T09:00:00.000Z',
      },
    })
    expect(on.identity()).toMatchObject({ state: 'mismatch', override: null })
    const result = await on.writing.sign(on.radiologist, on.studyId, {
      ...on.written(),
      acknowledged: ['identity'],
    })
    expect(result).toMatchObject({
      outcome: 'checks',
      findings: [{ check: 'identity', level: 'error' }],
    })
  })

  it('is signed once what the partner says agrees with the images', async () => {
    using on = stage()
    on.studies.updateStudy(on.key, 'scribe', on.studyId, {
      reportMetadata: { patientName: 'Jan Novák', mrn: 'M-9', sex: 'male' },
    })
    expect(on.identity().state).toBe('matched')
    expect(await on.writing.sign(on.radiologist, on.studyId, on.written())).toMatchObject({
      outcome: 'signed',
    })
  })
})

describe('overriding', () => {
  it('is for who may sign, with the differences that were shown', () => {
    using on = stage()
    const owner = on.colleague({ level: 'owner', canCreateReports: false })
    expect(codeOf(() => on.override(owner))).toBe('not-permitted')
    const { differences } = on.identity()
    on.studies.updateStudy(on.key, 'scribe', on.studyId, { reportMetadata: { sex: 'male' } })
    const order = { reason: 'Seen', differences }
    expect(codeOf(() => on.writing.overrideIdentity(on.radiologist, on.studyId, order))).toBe(
      'refused',
    )
    on.override()
    expect(on.identity().state).toBe('overridden')
    expect(codeOf(() => on.override())).toBe('refused')
  })

  it('is refused where there is nothing to override', () => {
    using on = stage(SAME)
    expect(on.identity()).toMatchObject({ state: 'matched', differences: [] })
    expect(codeOf(() => on.override())).toBe('refused')
  })
})

describe('withdrawing an override', () => {
  it('blocks signing again', async () => {
    using on = stage()
    expect(codeOf(() => on.writing.withdrawOverride(on.radiologist, on.studyId))).toBe('refused')
    on.override()
    const owner = on.colleague({ level: 'owner', canCreateReports: false })
    expect(codeOf(() => on.writing.withdrawOverride(owner, on.studyId))).toBe('not-permitted')
    on.writing.withdrawOverride(on.radiologist, on.studyId)
    expect(on.identity()).toMatchObject({ state: 'mismatch', override: null })
    expect(on.audited()).toContain('study.withdraw-override')
    expect(isStudyMismatched(on.store.database, on.study.studyInstanceUid)).toBe(true)
  })

  it('is refused once a report was signed by it', async () => {
    using on = stage()
    on.override()
    await on.signed(undefined, { acknowledged: ['identity'] })
    expect(codeOf(() => on.writing.withdrawOverride(on.radiologist, on.studyId))).toBe('refused')
    expect(on.identity().state).toBe('overridden')
  })
})

describe('the delivery of a signed report', () => {
  it('waits while images that arrived later name another patient', async () => {
    using on = reportStage()
    const reportId = await on.signed()
    const { endpointId } = newEndpoint(on.store)
    const destinations = new ReportDestinations(on.store)
    expect(destinations.of(reportId)).toEqual({ endpointId })
    seedImages(on.store, { uid: on.study.studyInstanceUid, header: OTHER })
    expect(destinations.of(reportId)).toEqual({
      whyNot: 'the patient or exam in the images differs from the worklist or the study',
    })
    const { differences } = on.reading.read(on.radiologist, on.studyId).identity
    on.writing.overrideIdentity(on.radiologist, on.studyId, { reason: 'Same patient', differences })
    expect(destinations.of(reportId)).toEqual({ endpointId })
  })
})

it('checks the identity first', () => {
  const findings = reportFindings({
    text: '',
    isCritical: false,
    identity: 'mismatch',
    metadata: {},
    studyDescription: '',
  })
  expect(findings.map(({ check }) => check)).toEqual(['identity', 'empty-text'])
})
