/**
 * Shifts `Date` so that a test run begins at the instant in `ISTHMUS_TEST_CLOCK`, such as
 * `2026-11-20T23:58:00Z`. Preloaded into every Node process of the run:
 *
 *     NODE_OPTIONS="--import=$PWD/test/support/shifted-clock.mjs" \
 *       ISTHMUS_TEST_CLOCK=2026-11-20T23:58:00Z npm test
 *
 * Time passes at its usual speed; timers and `performance.now()` stay as they are. The first
 * process computes the offset and passes it to its children in the environment, so that all of
 * them agree. Not shifted: file times, the clocks of SQLite and OpenSSL, and programs other than
 * Node. Choose an instant of the past, or OpenSSL takes certificates of the run for not valid yet.
 */
const { ISTHMUS_TEST_CLOCK: start, ISTHMUS_TEST_CLOCK_OFFSET: known } = process.env

if (start) {
  const RealDate = Date
  const realNow = Date.now
  const offset = known === undefined ? Date.parse(start) - realNow() : Number(known)
  if (!Number.isFinite(offset)) throw new Error(`ISTHMUS_TEST_CLOCK is not an instant: "${start}"`)
  process.env.ISTHMUS_TEST_CLOCK_OFFSET = String(offset)

  RealDate.now = () => realNow() + offset
  globalThis.Date = new Proxy(RealDate, {
    apply: (target) => new target(target.now()).toString(),
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [realNow() + offset] : args, newTarget),
  })
  RealDate.prototype.constructor = globalThis.Date
}
