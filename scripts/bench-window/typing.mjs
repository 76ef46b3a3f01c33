import { percentiles, TARGETS } from './gateway.mjs'
import { openContext, SCREENS } from './page.mjs'

const TYPED = ['garcia', 'zyskowski', 'ana garcia', 'a00499', 'qqxyzz']
/** As fast as a person types. */
const BETWEEN_MS = 180

/**
 * Names typed letter by letter into the search box of Studies: from the letter to the rows it
 * finds, with the window's own wait for the next letter in it. Returns what missed its target.
 */
export async function typing({ http, studies, rounds, browser }) {
  const context = await openContext(browser, http)
  const page = await context.newPage()
  await page.addInitScript(watchTyping)
  await page.goto(http + SCREENS.Studies.address)
  await page.locator(SCREENS.Studies.usable).waitFor()
  const box = page.getByRole('searchbox')
  const times = []
  for (let round = 0; round < rounds; round++)
    for (const text of TYPED) {
      await box.fill('')
      await page.waitForFunction(() => window.typing.isStill())
      await page.evaluate(() => window.typing.begin())
      await box.pressSequentially(text, { delay: BETWEEN_MS })
      await page.waitForFunction(() => window.typing.isStill())
      times.push(...(await page.evaluate(() => window.typing.times)))
    }
  await context.close()
  const { p50, p95 } = percentiles(times)
  console.log(
    `\n| typed in the page, ${studies} studies | p50 ms | p95 ms | target |\n|---|---:|---:|---|`,
  )
  console.log(
    `| from a letter to its rows (${times.length} letters) | ${p50.toFixed(0)} | ${p95.toFixed(0)} | p95 < ${TARGETS.searchMs} ms |`,
  )
  return p95 > TARGETS.searchMs ? [`typing in the page: p95 ${p95.toFixed(0)} ms`] : []
}

/**
 * In the page: `window.typing.times` are milliseconds from each letter to the frame with its rows;
 * a letter overtaken by the next one has none.
 */
function watchTyping() {
  const { fetch } = window
  const state = {
    times: [],
    letter: null,
    isStill: () => state.letter === null && !busy(),
    begin: () => state.times.splice(0),
  }
  window.typing = state
  const table = () => document.querySelector('[role="grid"]')?.closest('section')
  const busy = () => table()?.getAttribute('aria-busy') === 'true'
  document.addEventListener(
    'input',
    (event) => {
      if (event.target.type === 'search')
        state.letter = { text: event.target.value.trim(), at: performance.now() }
    },
    true,
  )
  window.fetch = async (input, init) => {
    const url = new URL(String(input), location.href)
    const answer = await fetch(input, init)
    const { letter } = state
    if (
      url.pathname === '/dashboard/studies' &&
      letter &&
      (url.searchParams.get('search') ?? '') === letter.text
    )
      settle(letter)
    return answer
  }
  function settle(letter) {
    if (state.letter !== letter) return
    if (busy()) return void requestAnimationFrame(() => settle(letter))
    state.letter = null
    if (letter.text !== '') state.times.push(performance.now() - letter.at)
  }
}
