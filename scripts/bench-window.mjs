// npm run bench -- window [--only search|first|scroll]: the window. Search as one types with
// 1,000,000 studies, over HTTP and in the page; the time to the first screen, its bytes, beside a
// page of nothing of the same server; the list scrolled from the first to the last of 100,000 rows.
// Chromium is needed for all but the search over HTTP. Figures: docs/BENCHMARKS.md.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chromium } from '@playwright/test'
import { seed } from './bench-window/clinic.mjs'
import { first } from './bench-window/first.mjs'
import { start } from './bench-window/gateway.mjs'
import { scroll } from './bench-window/scroll.mjs'
import { search } from './bench-window/search.mjs'
import { typing } from './bench-window/typing.mjs'
import { root } from './setup.mjs'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'search,first,scroll' },
    /** Of the search; the other two take a tenth of them. */
    studies: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '30' },
    /** Loads of the first screen, cold and warm each. */
    loads: { type: 'string', default: '10' },
    /** Rows to scroll through; all of them where it is not given. */
    rows: { type: 'string' },
    /** Another build of the gateway. */
    entry: { type: 'string', default: join(root, 'dist/electron/headless.js') },
    /** A folder whose data folders are kept, and used again when they are there. */
    folder: { type: 'string' },
  },
})
const parts = values.only.split(',')
const many = Number(values.studies)
const fewer = Math.ceil(many / 10)
const [rounds, loads] = [values.rounds, values.loads].map(Number)
const work = values.folder ?? mkdtempSync(join(tmpdir(), 'isthmus-bench-'))
const missed = []

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  // A turn of the wheel is one step of the list then, however slow the machine: what is skipped is
  // the list's own fault.
  args: [
    '--disable-smooth-scrolling',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--no-first-run',
  ],
})
try {
  if (parts.includes('search')) {
    await withGateway(many, async (at) => {
      missed.push(...(await search({ ...at, rounds })))
      missed.push(...(await typing({ ...at, rounds: Math.min(rounds, 10), browser })))
    })
  }
  if (parts.includes('first') || parts.includes('scroll')) {
    await withGateway(fewer, async (at) => {
      if (parts.includes('first')) missed.push(...(await first({ ...at, loads, browser })))
      if (parts.includes('scroll'))
        missed.push(
          ...(await scroll({
            ...at,
            rows: Math.min(Number(values.rows ?? fewer), fewer),
            browser,
          })),
        )
    })
  }
} finally {
  await browser.close()
  if (!values.folder) rmSync(work, { recursive: true, force: true })
}
console.log(
  missed.length === 0
    ? '\nEvery target was reached.'
    : `\nMissed:\n${missed.map((line) => `  ${line}`).join('\n')}`,
)
process.exit(missed.length === 0 ? 0 : 1)

async function withGateway(studies, measure) {
  const folder = join(work, String(studies))
  mkdirSync(folder, { recursive: true })
  const of = await seed(folder, studies)
  const gateway = await start(values.entry, folder)
  try {
    await measure({ http: gateway.ready.http, of, studies })
  } finally {
    await gateway.end()
  }
}
