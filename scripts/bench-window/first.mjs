import { gzipSync } from 'node:zlib'
import { Pool } from 'undici'
import { percentiles, TARGETS } from './gateway.mjs'
import { BARE, openContext, SCREENS, watchUsable } from './page.mjs'

/**
 * From the navigation to a screen that can be used, signed in, the gateway warm: with the browser's
 * cache empty, and with everything in it; a page of nothing of the same server beside each. And
 * what is loaded until then. Returns what missed its target.
 */
export async function first({ http, studies, loads, browser }) {
  const missed = []
  const pages = { ...SCREENS, 'a page of nothing': BARE }
  const figures = Object.fromEntries(
    Object.keys(pages).map((name) => [name, { cold: [], warm: [], busy: [], loaded: [] }]),
  )
  for (let round = 0; round <= loads; round++) {
    for (const [name, screen] of Object.entries(pages)) {
      const context = await openContext(browser, http)
      const cold = await load(context, http, screen)
      // Twice more: the second load is the one from which the browser keeps compiled programs.
      await load(context, http, screen)
      const warm = await load(context, http, screen)
      await context.close()
      // The first round warms the gateway, and is not counted.
      if (round === 0) continue
      figures[name].cold.push(cold.usableAt)
      figures[name].warm.push(warm.usableAt)
      figures[name].busy.push(cold.busy)
      figures[name].loaded = cold.loaded
    }
  }
  console.log(`\n### The first screen with ${studies} studies, ${loads} rounds\n`)
  console.log(
    '| page | cold cache, ratio | cold p50 ms | cold p95 ms | warm, ratio | warm p50 ms | warm p95 ms | page at work, ms | JavaScript, kB gzip |',
  )
  console.log('|---|---:|---:|---:|---:|---:|---:|---:|---:|')
  const bare = {
    cold: percentiles(figures['a page of nothing'].cold),
    warm: percentiles(figures['a page of nothing'].warm),
  }
  for (const [name, { cold, warm, busy, loaded }] of Object.entries(figures)) {
    const [ofCold, ofWarm] = [percentiles(cold), percentiles(warm)]
    const kilobytes = (await gzipBytes(http, loaded)) / 1000
    const times = [
      ofCold.p50 / bare.cold.p50,
      ofCold.p50,
      ofCold.p95,
      ofWarm.p50 / bare.warm.p50,
      ofWarm.p50,
      ofWarm.p95,
    ]
    const written = times.map((time, at) => time.toFixed(at % 3 === 0 ? 1 : 0))
    console.log(
      `| ${[name, ...written, percentiles(busy).p50.toFixed(0), kilobytes.toFixed(0)].join(' | ')} |`,
    )
    if (name !== 'Today') continue
    if (ofCold.p95 > TARGETS.firstMs)
      missed.push(`the first screen: p95 ${ofCold.p95.toFixed(0)} ms, not ${TARGETS.firstMs}`)
    if (kilobytes > TARGETS.firstKilobytes)
      missed.push(
        `the first screen: ${kilobytes.toFixed(0)} kB of JavaScript, not ${TARGETS.firstKilobytes}`,
      )
  }
  return missed
}

/**
 * Milliseconds to the screen that can be used, those in which the page's main thread was at work,
 * and the scripts loaded till then.
 */
async function load(context, http, screen) {
  const page = await context.newPage()
  const loaded = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.endsWith('.js')) loaded.push(pathname)
  })
  const metrics = await context.newCDPSession(page)
  await metrics.send('Performance.enable', { timeDomain: 'threadTicks' })
  await page.addInitScript(watchUsable, screen)
  await page.goto(http + screen.address, { waitUntil: 'commit' })
  const usableAt = await page
    .waitForFunction(() => window.usableAt, undefined, { polling: 20 })
    .then((handle) => handle.jsonValue())
  const scripts = [...loaded]
  const { metrics: taken } = await metrics.send('Performance.getMetrics')
  const busy = (taken.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000
  await page.close()
  return { usableAt, busy, loaded: scripts }
}

async function gzipBytes(http, paths) {
  const pool = new Pool(http)
  let bytes = 0
  for (const path of new Set(paths)) {
    const { body } = await pool.request({ path, method: 'GET' })
    bytes += gzipSync(Buffer.from(await body.arrayBuffer()), { level: 9 }).length
  }
  await pool.close()
  return bytes
}
