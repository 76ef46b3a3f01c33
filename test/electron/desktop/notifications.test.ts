import { beforeEach, describe, expect, it } from 'vitest'
import { openNotifier } from '../../../electron/desktop/notifications.ts'
import { NOTIFICATION_KINDS, shellTexts } from '../../../electron/desktop/texts.ts'
import type { ShellAttention, ShellStatus } from '../../../shared/contract/shell.ts'
import * as fake from '../../support/electron.ts'

const NOW = Date.parse('2026-03-02T12:00:00.000Z')
let now = NOW
const opened: string[] = []

beforeEach(() => {
  fake.forgetAll()
  now = NOW
  opened.length = 0
})

const status = (...attention: ShellAttention[]): ShellStatus => ({
  ...{ version: '1', isSafe: false, tray: 'ok', lines: [], attention, openAssociations: 0 },
  update: { isAutomatic: false, at: '03:00', timeZone: 'UTC' },
})
const of = (kind: string, count = 1, since: string | null = null): ShellAttention => ({
  kind,
  count,
  since,
})
const notifier = (locale = 'en') =>
  openNotifier(
    shellTexts(locale),
    (place) => opened.push(place),
    () => now,
  )
const titles = () => fake.notifications.map(({ options }) => options.title)

describe('a notification', () => {
  it('is shown once until its cause has gone away', () => {
    const { update } = notifier()
    for (let n = 0; n < 5; n++) update(status(of('disk')))
    expect(titles()).toEqual(['The disk is filling up'])
    update(undefined)
    update(status(of('disk')))
    expect(titles()).toHaveLength(1)
    update(status())
    update(status(of('disk')))
    expect(titles()).toHaveLength(2)
  })

  it('is shown again where there is more of it', () => {
    const { update } = notifier()
    update(status(of('stat-unread', 1)))
    update(status(of('stat-unread', 3)))
    update(status(of('stat-unread', 2)))
    update(status(of('stat-unread', 3)))
    expect(fake.notifications.map(({ options }) => options.body)).toEqual([
      'One STAT study waits to be read.',
      '3 STAT studies wait to be read.',
      '3 STAT studies wait to be read.',
    ])
  })

  it('of the partner waits two minutes, counted from when it went', () => {
    const { update } = notifier()
    const since = new Date(NOW - 119_000).toISOString()
    update(status(of('partner-away', 1, since)))
    expect(titles()).toEqual([])
    now = NOW + 1_000
    update(status(of('partner-away', 1, since)))
    expect(titles()).toEqual(['The partner does not respond'])
  })

  it('of the partner waits two minutes where nobody knows since when', () => {
    const { update } = notifier()
    update(status(of('partner-away')))
    now += 119_000
    update(status(of('partner-away')))
    expect(titles()).toEqual([])
    now += 1_000
    update(status(of('partner-away')))
    expect(titles()).toHaveLength(1)
  })

  it('says once that devices are not served where the gateway has not answered for two minutes', () => {
    const { update } = notifier()
    for (let second = 0; second <= 300; second += 10) {
      now = NOW + second * 1000
      update(undefined)
    }
    expect(titles()).toEqual(['Devices are not being served'])
    update(status())
    update(undefined)
    expect(titles()).toHaveLength(1)
  })

  it.each([
    ['stat-unread', '/reading?view=stat'],
    ['criticals', '/reading/criticals'],
    ['backup', '/settings/backups'],
    ['disk', '/images'],
  ])('of %s leads to where something can be done', (kind, place) => {
    notifier().update(status(of(kind)))
    fake.notifications[0]?.fire('click', fake.event())
    expect(opened).toEqual([place])
  })

  it('is of what it knows alone', () => {
    notifier().update(status(of('a kind of a later program'), of('advice'), of('disk', 0)))
    expect(titles()).toEqual([])
  })

  it.each(['en', 'es'])(
    'is made of the program’s own words in %s, so that no patient can be in it',
    (locale) => {
      const words = shellTexts(locale).notifications
      notifier(locale).update(
        status(...NOTIFICATION_KINDS.map((kind) => of(kind, 2, new Date(0).toISOString()))),
      )
      expect(fake.notifications.map(({ options }) => options)).toEqual(
        NOTIFICATION_KINDS.map((kind) => ({ title: words[kind].title, body: words[kind].body(2) })),
      )
    },
  )
})
