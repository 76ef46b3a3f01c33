import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeBackup } from '#server/modules/backups/make-backup.ts'
import { saying } from '../../../../support/saying.ts'
import { tempStore } from '../../../../support/temp-store.ts'
import { backupStage, DAY_MS, HOUR_MS, MINUTE_MS } from './backups-fixture.ts'

const OWNER = 'user:usr_1'
const names = (folder: string) => readdirSync(folder).sort()

describe('backups by their plan', () => {
  it('makes one each night for two months, keeps what the plan keeps, and tries one each month', async () => {
    await using stage = backupStage()
    const { backups, target } = stage
    const made: string[] = []
    for (let day = 0; day < 60; day += 1) {
      await stage.live(DAY_MS)
      made.push(names(target).at(-1) ?? '')
    }
    // Where none is known the first is not put off until the night; from then on it is 02:30 in
    // Berlin, summer and winter, and 03:00 where there is no 02:30.
    expect(stage.audited('backup.make')).toHaveLength(61)
    expect(made[0]).toBe('isthmus-2026-03-11-013000Z')
    expect(made[17]).toBe('isthmus-2026-03-28-013000Z')
    expect(made[18]).toBe('isthmus-2026-03-29-010000Z')
    expect(made[19]).toBe('isthmus-2026-03-30-003000Z')
    const days = names(target).map((name) => name.slice(8, 18))
    // Seven days, the last of four weeks (Sundays, and now), the last of each month there was.
    expect(days).toEqual([
      ...[
        '2026-03-31',
        '2026-04-19',
        '2026-04-26',
        '2026-04-30',
        '2026-05-03',
        '2026-05-04',
        '2026-05-05',
        '2026-05-06',
      ],
      ...['2026-05-07', '2026-05-08', '2026-05-09'],
    ])
    const state = await backups.state()
    expect(state.backups.map(({ name }) => name)).toEqual(names(target).reverse())
    expect(state.backups[0]).toMatchObject({
      kind: 'scheduled',
      version: '1.2.3',
      hasRecoveryKey: false,
    })
    expect(state.backups.every(({ keptUntil }) => keptUntil !== null)).toBe(true)
    expect(state.nextAt).toBe('2026-05-10T00:30:00.000Z')
    const trials = stage.audited('backup.rehearse').map(({ at }) => at.slice(0, 10))
    expect(trials).toEqual(['2026-04-10', '2026-03-10'])
    expect(state.rehearsal).toMatchObject({
      last: { success: true, name: 'isthmus-2026-04-10-003000Z' },
      dueAt: '2026-05-10T00:30:00.000Z',
    })
    expect(stage.health()).toEqual({ backup: undefined, rehearsal: undefined, standby: undefined })
    expect(stage.faults).toEqual([])
  }, 120_000)

  it('makes up once for the nights in which the PC was off', async () => {
    await using stage = backupStage()
    await stage.live(DAY_MS)
    expect(names(stage.target)).toHaveLength(2)
    stage.clock.pass(5 * DAY_MS)
    expect(stage.health().backup).toMatchObject({
      tone: 'danger',
      sentence: saying('there should be a newer one'),
    })
    await stage.backups.check()
    await stage.backups.check()
    expect(names(stage.target)).toHaveLength(3)
    expect(stage.health().backup).toBeUndefined()
    expect((await stage.backups.state()).nextAt).toBe('2026-03-17T01:30:00.000Z')
  })

  it('goes on where it was when the gateway starts again', async () => {
    await using stage = backupStage()
    await stage.live(HOUR_MS)
    const before = await stage.backups.state()
    await stage.restart()
    expect(await stage.backups.state()).toEqual(before)
    await stage.live(HOUR_MS)
    expect(names(stage.target)).toHaveLength(1)
  })

  it('makes one every few minutes for a standby; the trail has the first of each day', async () => {
    await using stage = backupStage({ 'backup.everyMinutes': 5, 'backup.dailyAt': null })
    await stage.live(41 * MINUTE_MS, MINUTE_MS)
    const made = names(stage.target).map((name) => name.slice(19, 23))
    expect(made).toEqual(['0906', '0911', '0916', '0921', '0926', '0931', '0936', '0941'])
    expect(stage.audited('backup.make')).toHaveLength(1)
    // An hour later only the last of the day is needed.
    await stage.live(60 * MINUTE_MS, 5 * MINUTE_MS)
    expect(names(stage.target).length).toBeLessThan(16)
  }, 60_000)

  it('takes another plan at once, and none at all', async () => {
    await using stage = backupStage()
    await stage.live(HOUR_MS)
    stage.store.settings.change({ 'backup.dailyAt': '13:00' }, 'command-line')
    expect((await stage.backups.state()).nextAt).toBe('2026-03-10T12:00:00.000Z')
    stage.store.settings.change({ 'clinic.timeZone': 'America/New_York' }, 'command-line')
    expect((await stage.backups.state()).nextAt).toBe('2026-03-10T17:00:00.000Z')
    stage.store.settings.change({ 'backup.dailyAt': null }, 'command-line')
    expect(await stage.backups.state()).toMatchObject({ nextAt: null, rehearsal: { dueAt: null } })
    await stage.live(3 * DAY_MS, DAY_MS)
    expect(names(stage.target)).toHaveLength(1)
  })

  it('is not led astray by a clock that was wrong: forward by a year, then right again', async () => {
    await using stage = backupStage()
    await stage.live(HOUR_MS)
    stage.clock.pass(365 * DAY_MS)
    await stage.backups.check()
    stage.clock.pass(-365 * DAY_MS)
    const before = names(stage.target).length
    await stage.live(2 * DAY_MS)
    expect(names(stage.target).length).toBeGreaterThan(before)
    // The PC was off in between: what was made in the future says nothing.
    await stage.restart()
    await stage.live(DAY_MS)
    expect(
      stage.audited('backup.make').filter(({ at }) => at < '2026-03-14').length,
    ).toBeGreaterThanOrEqual(3)
  })

  it('leaves alone what another gateway keeps in the same folder', async () => {
    await using stage = backupStage({
      'backup.keepDaily': 1,
      'backup.keepWeekly': 0,
      'backup.keepMonthly': 0,
    })
    using other = tempStore('2026-03-01T00:00:00.000Z')
    const theirs = await makeBackup(other.store, stage.target, 'scheduled', '1.2.3')
    const ahead = Date.parse('2026-06-01T00:00:00.000Z')
    await makeBackup({ ...other.store, clock: () => ahead }, stage.target, 'scheduled', '1')
    await stage.live(3 * DAY_MS, 6 * HOUR_MS)
    expect(names(stage.target)).toContain(theirs.name)
    // The newest is theirs, and cannot be opened here: the one that is tried is ours.
    expect((await stage.backups.state()).rehearsal.last).toMatchObject({
      success: true,
      name: expect.stringContaining('2026-03-'),
    })
  })
})

describe('a backup that fails', () => {
  it('says why, is tried again after an hour, and is told of until one is made', async () => {
    await using stage = backupStage()
    await stage.live(HOUR_MS)
    const away = `${stage.target}-away`
    renameSync(stage.target, away)
    await stage.live(DAY_MS, 10 * MINUTE_MS)
    const sentence = `The folder ${stage.target} does not exist: check that its disk is connected.`
    expect(stage.health().backup).toMatchObject({ tone: 'danger', sentence })
    // Nothing was made on the disk that is there instead.
    expect(existsSync(stage.target)).toBe(false)
    const state = await stage.backups.state()
    expect(state).toMatchObject({
      last: { success: false, sentence },
      fault: saying('cannot be read'),
      backups: [],
    })
    const waits = Date.parse(state.nextAt ?? '') - Date.parse(state.last?.at ?? '')
    expect(waits).toBe(HOUR_MS)
    await stage.restart()
    expect(stage.health().backup).toMatchObject({ sentence })
    renameSync(away, stage.target)
    await stage.live(HOUR_MS, 10 * MINUTE_MS)
    expect(stage.health().backup).toBeUndefined()
    expect(names(stage.target)).toHaveLength(2)
    expect(stage.faults).toEqual([])
  })

  it('is tried again with the next one where those come more often', async () => {
    await using stage = backupStage({ 'backup.everyMinutes': 5 })
    await stage.live(10 * MINUTE_MS, MINUTE_MS)
    renameSync(stage.target, `${stage.target}-away`)
    await stage.live(6 * MINUTE_MS, MINUTE_MS)
    const { last, nextAt } = await stage.backups.state()
    expect(Date.parse(nextAt ?? '') - Date.parse(last?.at ?? '')).toBe(5 * MINUTE_MS)
    renameSync(`${stage.target}-away`, stage.target)
  })

  it('leaves the others as they are where it cannot be written', async () => {
    await using stage = backupStage()
    await stage.live(HOUR_MS)
    const [first = ''] = names(stage.target)
    // What stands where the next one is to be written.
    writeFileSync(join(stage.target, 'isthmus-2026-03-11-013000Z'), 'in the way')
    await stage.live(16 * HOUR_MS)
    expect(stage.health().backup?.tone).toBe('danger')
    expect(existsSync(join(stage.target, first, 'database.sealed'))).toBe(true)
    expect(readdirSync(stage.target).filter((name) => name.endsWith('.part'))).toEqual([])
  })
})

describe('a backup by hand', () => {
  it('is kept until a person removes it, and the last one is not removed', async () => {
    await using stage = backupStage({ 'backup.dailyAt': null })
    const { backups, clock, target } = stage
    const first = await backups.make('by-hand', OWNER)
    await expect(backups.remove(first.name, OWNER)).rejects.toThrow('This is the only backup')
    clock.pass(MINUTE_MS)
    const second = await backups.make('before-update', OWNER)
    const { backups: listed } = await backups.state()
    expect(listed.map(({ kind, keptUntil }) => [kind, keptUntil])).toEqual([
      ['before-update', new Date(Date.parse(second.madeAt) + 30 * DAY_MS).toISOString()],
      ['by-hand', null],
    ])
    await expect(backups.remove('isthmus-2020-01-01-000000Z', OWNER)).rejects.toThrow(
      'There is no backup',
    )
    await backups.remove(first.name, OWNER)
    expect(names(target)).toEqual([second.name])
    expect(stage.audited('backup.remove')).toMatchObject([{ actor: OWNER, target: first.name }])
    expect(stage.audited('backup.make').map(({ detail }) => detail)).toMatchObject([
      { kind: 'before-update' },
      { kind: 'by-hand' },
    ])
  })

  it('is one at a time, and none while one is tried', async () => {
    await using stage = backupStage()
    const { backups } = stage
    const first = backups.make('by-hand', OWNER)
    expect(() => backups.start('by-hand', OWNER)).toThrow('is already being made')
    await expect(backups.make('before-update', OWNER)).rejects.toThrow('is already being made')
    expect((await backups.wizardState()).running).toMatchObject({
      phase: expect.stringMatching(/copying|checking/),
    })
    await first
    await backups.startTest(OWNER)
    expect(() => backups.start('by-hand', OWNER)).toThrow(
      'A restore test of the newest backup is in progress',
    )
    // What is due meanwhile waits.
    stage.clock.pass(2 * DAY_MS)
    await backups.check()
    expect(names(stage.target)).toHaveLength(1)
  })

  it('is refused without a folder, in one that is gone and in one that will not do', async () => {
    await using stage = backupStage({ 'backup.folder': null })
    const { backups, store } = stage
    await expect(backups.make('by-hand', OWNER)).rejects.toThrow('Choose a folder')
    await expect(backups.test(OWNER)).rejects.toThrow('Choose a folder')
    expect(await backups.state()).toMatchObject({
      folder: null,
      nextAt: null,
      last: null,
      backups: [],
      rehearsal: { dueAt: null },
    })
    store.settings.change({ 'backup.folder': join(stage.target, 'none') }, 'command-line')
    await expect(backups.make('by-hand', OWNER)).rejects.toThrow('does not exist')
    const inside = join(stage.folder, 'inside')
    mkdirSync(inside)
    expect(backups.useFolder(inside, OWNER)).toMatchObject({ isUsed: false })
    store.settings.change({ 'backup.folder': inside }, 'command-line')
    await expect(backups.make('by-hand', OWNER)).rejects.toThrow('inside the data folder')
    store.settings.change({ 'backup.folder': stage.target }, 'command-line')
    await expect(backups.test(OWNER)).rejects.toThrow('make one first')
    expect(stage.health().backup).toBeUndefined()
  })
})
