import { describe, expect, it } from 'vitest'
import type { Communication } from '#shared/contract/reports.ts'
import { atTheWindow, newUser } from '../../../../support/callers.ts'
import { refusalOf, sentenceOf } from '../../../../support/refusal.ts'
import { reportStage, SOUND } from './reports-fixture.ts'

const TOLD: Communication = {
  communicatedTo: 'Dr. Referring',
  method: 'phone',
  communicatedAt: '2026-03-10T09:10:00.000Z',
  isReadBack: true,
  note: 'By phone',
}

const critical = (on: ReturnType<typeof reportStage>) =>
  on.signed(SOUND, { isCritical: true, finding: 'Tension pneumothorax' })

describe('a critical result that nobody was told of', () => {
  it('is documented once, by whoever made it known', async () => {
    using on = reportStage()
    const reportId = await critical(on)
    on.clock.pass(15 * 60_000)
    const nurse = on.colleague({ canCreateReports: false, canManageStudies: true })
    expect(on.criticals.recordCommunication(nurse, reportId, TOLD)).toMatchObject({
      ...{ reportId, finding: 'Tension pneumothorax', signedBy: { name: 'Una Malá, MD' } },
      communication: { ...TOLD, recordedBy: { name: 'Ben Okoro' } },
    })
    expect(on.criticals.listCriticalResults(nurse)).toEqual([])
    expect(
      sentenceOf(() =>
        on.criticals.recordCommunication(nurse, reportId, { ...TOLD, note: 'Other' }),
      ),
    ).toContain('Ben Okoro has already recorded')
    expect(on.criticals.criticalResultOfReport(reportId)?.communication?.note).toBe('By phone')
    const [noted] = on.store.audit.list({ limit: 1 }).items
    expect(noted).toMatchObject({
      action: 'critical.communicate',
      target: reportId,
      detail: { method: 'phone', isReadBack: true },
    })
    expect(JSON.stringify(noted?.detail)).not.toContain('Referring')
  })

  it('is not documented ahead of time, nor by who may neither write nor manage', async () => {
    using on = reportStage()
    const reportId = await critical(on)
    expect(refusalOf(() => on.criticals.recordCommunication(on.radiologist, reportId, TOLD))).toBe(
      'refused body.communicatedAt',
    )
    const clerk = on.colleague({ canCreateReports: false })
    expect(refusalOf(() => on.criticals.recordCommunication(clerk, reportId, TOLD))).toBe(
      'not-permitted',
    )
    expect(refusalOf(() => on.criticals.recordCommunication(on.radiologist, 'rep_x', TOLD))).toBe(
      'not-found',
    )
  })

  it('is shown to those who see its study', async () => {
    using on = reportStage()
    const reportId = await critical(on)
    const elsewhere = atTheWindow(newUser(on.store), [
      'cus_00000000000000000000000000000001' as never,
    ])
    expect(on.criticals.listCriticalResults(elsewhere)).toEqual([])
    expect(refusalOf(() => on.criticals.recordCommunication(elsewhere, reportId, TOLD))).toBe(
      'not-found',
    )
    expect(on.criticals.listCriticalResults(on.radiologist).map((one) => one.reportId)).toEqual([
      reportId,
    ])
  })
})
