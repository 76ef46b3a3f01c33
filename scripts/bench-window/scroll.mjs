import { Pool } from 'undici'
import { percentiles, signIn, TARGETS } from './gateway.mjs'
import { openContext } from './page.mjs'

const ROW_HEIGHT = 48
/** Pixels of a turn of the wheel: fewer than are drawn beyond what is seen. */
const TURN = 20 * ROW_HEIGHT
/** Rows that Page Down is pressed through, before the wheel goes on. */
const BY_KEY = 1000

/**
 * The list of Studies from its first row to `rows`, by Page Down and then by the wheel, at last by
 * End: each row once and in the order that the gateway has them, no frame with an empty place for
 * longer than the target. Returns what missed its target.
 */
export async function scroll({ http, studies, rows, browser }) {
  const expected = await orderOf(http, rows)
  const context = await openContext(browser, http)
  const page = await context.newPage()
  const metrics = await context.newCDPSession(page)
  await metrics.send('Performance.enable')
  await page.addInitScript(watchRows)
  await page.goto(`${http}/#/studies?area=scribe&view=all`)
  await page.locator('[role="row"][data-index="0"] a').waitFor()
  await page.evaluate((rowHeight) => window.rows.begin(rowHeight), ROW_HEIGHT)
  const began = Date.now()

  await page.locator('[role="row"][data-index="0"]').focus()
  const toKey = Math.min(BY_KEY, rows)
  while ((await last(page)) < toKey - 1) await page.keyboard.press('PageDown')
  const box = await page.getByRole('grid').locator('xpath=..').boundingBox()
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  let at = toKey
  while (at < rows - 1) {
    await page.mouse.wheel(0, TURN)
    at = await page.evaluate(() => window.rows.turned())
  }
  const seconds = (Date.now() - began) / 1000
  await page.keyboard.press('End')
  await page.waitForTimeout(500)

  const { seen, changed, blanks, waits, frames } = await page.evaluate(() => window.rows.result())
  await metrics.send('HeapProfiler.collectGarbage')
  const heap =
    (await metrics.send('Performance.getMetrics')).metrics.find(
      ({ name }) => name === 'JSHeapUsedSize',
    ).value / 1e6
  await context.close()
  const wrong = expected.filter((studyId, index) => seen[index] !== studyId).length
  const missing = expected.filter((_, index) => !seen[index]).length
  const drawn = seen.filter(Boolean)
  const twice = drawn.length - new Set(drawn).size
  const [blank, wait] = [Math.max(0, ...blanks), percentiles(waits)]
  console.log(
    `\n### ${rows} of ${studies} rows scrolled through in ${seconds.toFixed(0)} s, ${frames} frames\n`,
  )
  console.log('| what | figure | target |\n|---|---:|---|')
  console.log(
    `| rows never drawn | ${missing} | 0 |\n| rows in another place than the gateway has them | ${wrong - missing} | 0 |`,
  )
  console.log(`| rows drawn at two places, or replaced | ${twice + changed} | 0 |`)
  console.log(
    `| longest time with an empty place, ms | ${blank.toFixed(0)} | < ${TARGETS.blankMs} |`,
  )
  console.log(
    `| waits for the next rows at the end of what is here: how many, p95 ms | ${waits.length}, ${wait.p95.toFixed(0)} | |`,
  )
  console.log(`| JavaScript heap at the end, MB | ${heap.toFixed(0)} | |`)
  return [
    ...(wrong + twice + changed > 0
      ? [
          `scrolling: ${missing} rows were not drawn, ${wrong - missing} misplaced, ${twice + changed} twice`,
        ]
      : []),
    ...(blank > TARGETS.blankMs ? [`scrolling: an empty place for ${blank.toFixed(0)} ms`] : []),
  ]
}

const last = (page) => page.evaluate(() => window.rows.last())

/** The list as the gateway has it, page by page. */
async function orderOf(http, rows) {
  const pool = new Pool(http, { connections: 1 })
  const cookie = await signIn(pool)
  const ids = []
  let cursor
  while (ids.length < rows) {
    const query = new URLSearchParams({
      area: 'scribe',
      cancelled: 'all',
      order: 'newest',
      limit: '100',
      ...(cursor && { cursor }),
    })
    const { body } = await pool.request({
      path: `/dashboard/studies?${query}`,
      method: 'GET',
      headers: { cookie, 'x-isthmus-csrf': '1' },
    })
    const page = await body.json()
    ids.push(...page.studies.map(({ studyId }) => studyId))
    if (!page.hasMore) break
    cursor = page.cursor
  }
  await pool.close()
  return ids.slice(0, rows)
}

/**
 * In the page: at each frame the rows that are drawn, whether they fill what is seen, and whether
 * the end of what was read is reached.
 */
function watchRows() {
  const seen = []
  const known = new Map()
  const [blanks, waits] = [[], []]
  let [changed, frames, blankSince, waitSince, lastSeen, lastTop] = [0, 0, null, null, -1, 0]
  window.rows = {
    begin(rowHeight) {
      const grid = document.querySelector('[role="grid"]')
      const table = grid.closest('section')
      const look = () => {
        const now = performance.now()
        frames += 1
        const drawn = new Set()
        for (const row of grid.querySelectorAll('[role="row"][data-index]')) {
          const index = Number(row.dataset.index)
          if (Number(row.getAttribute('aria-rowindex')) !== index + 2) changed += 1
          drawn.add(index)
          note(index, row)
        }
        const count = Number(grid.getAttribute('aria-rowcount')) - 1
        const from = Math.floor(table.scrollTop / rowHeight)
        const to = Math.min(
          count - 1,
          Math.floor((table.scrollTop + table.clientHeight - 40) / rowHeight) - 1,
        )
        lastSeen = to
        lastTop = table.scrollTop
        let isBlank = false
        for (let index = from; index <= to; index++) isBlank ||= !drawn.has(index)
        blankSince = span(isBlank, blankSince, now, blanks)
        waitSince = span(to >= count - 1, waitSince, now, waits)
        requestAnimationFrame(look)
      }
      look()
    },
    last: () => lastSeen,
    /**
     * Resolves with the last row that is seen once the table has moved and was drawn there, or
     * where it cannot move.
     */
    async turned() {
      const was = lastTop
      const until = performance.now() + 300
      do await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      while (lastTop === was && performance.now() < until)
      return lastSeen
    },
    result: () => ({ seen, changed, blanks, waits, frames }),
  }
  /** Ids are read once for each element that stands for a row. */
  function note(index, row) {
    const href = row.querySelector('a[href*="/studies/"]')?.getAttribute('href')
    if (href === undefined || known.get(index) === href) return
    if (known.has(index)) changed += 1
    known.set(index, href)
    seen[index] = href.split('/').at(-1)
  }
  function span(isNow, since, now, spans) {
    if (isNow) return since ?? now
    if (since !== null) spans.push(now - since)
    return null
  }
}
