import { expect, it } from 'vitest'
import { openLargeBodies } from '#server/webhooks/large-body.ts'

const { signal } = new AbortController()
/** Whether it has resolved by now. */
const isSettled = (promise: Promise<unknown>) =>
  Promise.race([promise.then(() => true), new Promise((resolve) => setImmediate(resolve, false))])

it('lets one call after the other have a large body', async () => {
  const largeBody = openLargeBodies()
  const [first, second, third] = [largeBody(), largeBody(), largeBody()]
  await first.take(signal)
  await first.take(signal)
  const [secondTurn, thirdTurn] = [second.take(signal), third.take(signal)]
  expect(await isSettled(secondTurn)).toBe(false)
  first.release()
  await secondTurn
  expect(await isSettled(thirdTurn)).toBe(false)
  second.release()
  await thirdTurn
})

it('passes over a call that gave up waiting, and keeps those behind it in turn', async () => {
  const largeBody = openLargeBodies()
  const [first, second, third] = [largeBody(), largeBody(), largeBody()]
  const budget = new AbortController()
  await first.take(signal)
  const gaveUp = second.take(budget.signal)
  const waits = third.take(signal)
  budget.abort('over')
  await expect(gaveUp).rejects.toBe('over')
  second.release()
  expect(await isSettled(waits)).toBe(false)
  first.release()
  await waits
})

it('is released without having been taken', async () => {
  const largeBody = openLargeBodies()
  largeBody().release()
  await largeBody().take(signal)
})
