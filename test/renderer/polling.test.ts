import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

// Events say what changed: while their stream is open a screen is not read again more often than
// once a minute, but for these.

const SOURCES = join(import.meta.dirname, '../../renderer/src')

/** Screens that ask on, and why no event could tell them. */
const ASK_ON: Readonly<Record<string, string>> = {
  'features/account/my-sessions.tsx': 'the last use of a session sends no event',
  'features/activity/association.tsx': 'the counters of an association that is open',
  'features/devices/service-visit.tsx': 'an engineer waits for an echo of the device',
  'features/tiers/tiers.tsx': 'the progress of a migration or a verification',
  'features/events/performance.tsx': 'figures of days, which no event changes',
  'app/shared-study/shared-study-screen.tsx': 'a link has no event stream',
  'app/shared-study/shared-study.tsx': 'a link has no event stream',
  'features/users/user-sign-in.tsx': 'the last use of a session sends no event',
  'features/prior-studies/retrievals.tsx': 'the progress of a C-MOVE',
  'rescue/rescue.tsx': 'a gateway that does not run has no event stream',
  'features/settings/desktop-panel.tsx': 'the desktop app sends no events',
  'features/settings/sessions-panel.tsx': 'the last use of a session sends no event',
  'app/setup/backup-step.tsx': 'the progress of a backup',
  'app/setup/device-step.tsx': 'somebody stands at the device',
  'app/setup/setup.tsx': 'what is set up elsewhere, such as the clock of the PC',
  'app/sign-in/ask-workstation.tsx': 'nobody is signed in',
  'features/backups/backups.tsx': 'the progress of a backup',
  'features/backups/restore-progress.tsx': 'the progress of a restore',
  'viewer/capture-list.tsx': 'the viewer has no event stream',
  'viewer/use-retrievals.ts': 'the viewer has no event stream',
}
const POLLS = [
  /\bevery: (?!\()/,
  /\brefetchInterval: /,
  /\b(?:EVERY|POLL)\w*_MS\b/,
  /setInterval\(.*refetch/,
]
/** They pass on what a screen says. */
const SHARED = ['api/pages.ts', 'api/queries.ts', 'ui/study-list/use-rows.ts']
const RARE = /\bevery: 60_000\b/

it('a screen that polls does so only while the event stream is closed, or once a minute', () => {
  const polling = globSync('**/*.{ts,tsx}', { cwd: SOURCES })
    .map((file) => ({ file, text: readFileSync(join(SOURCES, file), 'utf8') }))
    .filter(({ file }) => !SHARED.includes(file))
    .filter(({ text }) => POLLS.some((form) => form.test(text)))
  expect(polling.length).toBeGreaterThan(25)
  const isByEvents = (text: string) => /\buseEventStream\(\)/.test(text) && /\bisOpen \?/.test(text)
  const asking = polling.filter(({ text }) => !isByEvents(text) && !RARE.test(text))
  expect(asking.map(({ file }) => file).sort()).toEqual(Object.keys(ASK_ON).sort())
})

it('a screen is read again once a minute at most while the event stream is open', () => {
  const often = globSync('**/*.{ts,tsx}', { cwd: SOURCES }).flatMap((file) => {
    const text = readFileSync(join(SOURCES, file), 'utf8')
    const msOf = (name: string) => new RegExp(`const ${name} = ([\\d_]+)`).exec(text)?.[1] ?? '0'
    return [...text.matchAll(/\bisOpen \? ([A-Z_]+|[\d_]+) :/g)]
      .map(([, value = '']) => (/^\d/.test(value) ? value : msOf(value)))
      .filter((ms) => Number(ms.replaceAll('_', '')) < 60_000)
      .map((ms) => `${file}: ${ms}`)
  })
  expect(often).toEqual([])
})
