import { expect, it } from 'vitest'
import { releaseNotesOf } from '#electron/desktop/release-notes.ts'

it.each([
  ['nothing', undefined, []],
  ['no text', null, []],
  [
    'Markdown',
    '- Reports: drafts are saved\n  while they are written.\n- `doctor` says **more**.\n\n## Mended\n* A race.',
    ['Reports: drafts are saved while they are written.', 'doctor says more.', 'Mended', 'A race.'],
  ],
  [
    'HTML',
    '<h2>New</h2><ul><li>One &amp; two</li><li>Three</li></ul><script>alert(1)</script>',
    ['New', 'One &amp; two', 'Three', 'alert(1)'],
  ],
  [
    'several versions',
    [
      { version: '2.0.0', note: '- Second' },
      { version: '1.9.0', note: null },
      { version: '1.8.0', note: 'First' },
    ],
    ['Second', 'First'],
  ],
] as const)('of %s, a point a line, without marks', (_name, releaseNotes, points) => {
  expect(releaseNotesOf({ releaseNotes: releaseNotes as never })).toEqual(points)
})

it('are bounded, whatever the place for updates says', () => {
  const points = releaseNotesOf({ releaseNotes: `- ${'x'.repeat(100_000)}\n`.repeat(500) })
  expect(points).toHaveLength(60)
  expect(Math.max(...points.map(({ length }) => length))).toBe(501)
})
