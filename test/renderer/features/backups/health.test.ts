import { describe, expect, it } from 'vitest'
import type { BackupsState } from '#shared/contract/dashboard-backups.ts'
import { verbatim } from '#shared/messages/message.ts'
import {
  BACKUP_TONES,
  backupHealth,
  rehearsalHealth,
  standbyHealth,
} from '../../../../renderer/src/features/backups/health.ts'

const NOW = Date.parse('2026-11-20T12:00:00.000Z')
const ago = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString()
const backup = (madeAt: string) => ({
  ...{
    name: 'isthmus-2026-11-20-023000Z',
    kind: 'scheduled' as const,
    madeAt,
    bytes: 1000,
    hasRecoveryKey: true,
  },
  ...{ version: '1.0.0', schema: 9, keptUntil: null },
})
const state = (more: Partial<BackupsState> = {}): BackupsState => ({
  ...{
    folder: '/mnt/backup',
    place: 'other-disk' as const,
    fault: null,
    running: null,
    last: null,
    nextAt: null,
  },
  plan: {
    dailyAt: '02:30',
    everyMinutes: null,
    isContinuous: false,
    keepDaily: 7,
    keepWeekly: 4,
    keepMonthly: 6,
  },
  ...{ rehearsal: { last: null, dueAt: null }, standby: null, backups: [backup(ago(600))] },
  ...more,
})
const told = (success: boolean) => ({ success, sentence: verbatim('So it went.'), at: ago(5) })

describe('the light of the backups', () => {
  it('is green where the newest is as old as the plan has it', () => {
    expect(backupHealth(state(), NOW)).toBe('fine')
    expect(backupHealth(state({ backups: [backup(ago(25 * 60))], last: told(true) }), NOW)).toBe(
      'fine',
    )
  })

  it('is not green for one made by hand, nor for one on the disk of the data', () => {
    const byHand = { ...backup(ago(10)), kind: 'by-hand' as const }
    expect(backupHealth(state({ backups: [byHand] }), NOW)).toBe('unplanned')
    expect(backupHealth(state({ backups: [byHand, backup(ago(30 * 60))] }), NOW)).toBe('unplanned')
    expect(backupHealth(state({ backups: [byHand, backup(ago(600))] }), NOW)).toBe('fine')
    expect(backupHealth(state({ place: 'same-disk' }), NOW)).toBe('sameDisk')
    expect([BACKUP_TONES.unplanned, BACKUP_TONES.sameDisk]).toEqual(['warning', 'warning'])
  })

  it('is red where the newest is older than the plan allows, by the shorter span of it', () => {
    expect(backupHealth(state({ backups: [backup(ago(27 * 60))] }), NOW)).toBe('old')
    const often = { ...state().plan, everyMinutes: 15 }
    expect(backupHealth(state({ plan: often, backups: [backup(ago(44))] }), NOW)).toBe('fine')
    expect(backupHealth(state({ plan: often, backups: [backup(ago(46))] }), NOW)).toBe('old')
  })

  it('is red where the last one failed or the folder cannot be read', () => {
    expect(backupHealth(state({ last: told(false) }), NOW)).toBe('failed')
    expect(
      backupHealth(state({ fault: verbatim('The disk is gone.'), last: told(false) }), NOW),
    ).toBe('fault')
    expect(BACKUP_TONES.failed).toBe('danger')
  })

  it('asks for a folder, a plan, a first backup', () => {
    expect(backupHealth(state({ folder: null }), NOW)).toBe('noFolder')
    expect(backupHealth(state({ plan: { ...state().plan, dailyAt: null } }), NOW)).toBe('byHand')
    expect(backupHealth(state({ backups: [] }), NOW)).toBe('none')
  })

  it('says that one is being made, which a trial is not', () => {
    expect(
      backupHealth(state({ running: { phase: 'encrypting', share: 0.4 }, last: told(false) }), NOW),
    ).toBe('running')
    expect(backupHealth(state({ running: { phase: 'rehearsing', share: 0 } }), NOW)).toBe('fine')
  })
})

describe('the light of the rehearsal', () => {
  const tried = (success: boolean) => ({
    last: { ...told(success), name: 'isthmus-2026-11-20-023000Z', tookMs: 900 },
    dueAt: null,
  })

  it('is what came of the last one', () => {
    expect(rehearsalHealth(state())).toBe('never')
    expect(rehearsalHealth(state({ rehearsal: tried(true) }))).toBe('good')
    expect(rehearsalHealth(state({ rehearsal: tried(false) }))).toBe('bad')
    expect(
      rehearsalHealth(
        state({ rehearsal: tried(false), running: { phase: 'rehearsing', share: 0 } }),
      ),
    ).toBe('running')
  })
})

describe('the light of the standby', () => {
  const standby = (recoveryPoint: string | null) => ({
    copiedAt: ago(1),
    recoveryPoint,
    to: 's3:clinic',
  })

  it('is late where the recovery point is further back than three backups', () => {
    const plan = { ...state().plan, everyMinutes: 15 }
    expect(standbyHealth(state(), NOW)).toBe('none')
    expect(standbyHealth(state({ plan, standby: standby(ago(40)) }), NOW)).toBe('good')
    expect(standbyHealth(state({ plan, standby: standby(ago(50)) }), NOW)).toBe('late')
    expect(standbyHealth(state({ plan, standby: standby(null) }), NOW)).toBe('late')
  })
})
