import { type Browser, test as base } from '@playwright/test'

/**
 * Shifts `Date` in a page, as `test/support/shifted-clock.mjs` does in Node; timers stay as they
 * are.
 */
function shiftClock(offset: number): void {
  const RealDate = Date
  const realNow = Date.now
  RealDate.now = () => realNow() + offset
  globalThis.Date = new Proxy(RealDate, {
    apply: (target) => new target(target.now()).toString(),
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [target.now()] : args, newTarget),
  })
  RealDate.prototype.constructor = globalThis.Date
}

/** The name of a page that is to load its screens in advance. */
export const LOADS_IN_ADVANCE = 'loads screens in advance'

/**
 * Asks the window not to load screens in advance, which costs as much as loading the first one and
 * is not what these tests are about; `window.spec.ts` looks at it.
 */
function saveData(except: string): void {
  if (window.name === except) return
  Object.defineProperty(Reflect.get(navigator, 'connection') ?? {}, 'saveData', { value: true })
}

/**
 * A test whose browser has the clock of the gateway: `playwright.config.ts` sets it to a given day.
 */
export const test = base.extend<object, { browser: Browser }>({
  browser: [
    async ({ browser }, use) => {
      const newContext = browser.newContext.bind(browser)
      browser.newContext = async (options) => {
        const context = await newContext(options)
        await context.addInitScript(saveData, LOADS_IN_ADVANCE)
        await context.addInitScript(shiftClock, Number(process.env.ISTHMUS_TEST_CLOCK_OFFSET ?? 0))
        return context
      }
      await use(browser)
    },
    { scope: 'worker' },
  ],
})
