import { expect, it } from 'vitest'
import { type KeepAwakeOptions, keepAwake } from '../../../renderer/src/viewer/awake.ts'

function opened(more: Partial<KeepAwakeOptions> = {}) {
  const seen = { calls: 0, ended: '', isVisible: true }
  let use = () => {}
  let tick = () => {}
  const stop = keepAwake({
    async read() {
      seen.calls += 1
    },
    isVisible: () => seen.isVisible,
    endOf: (error) => (error as Error).message,
    onEnded(sentence) {
      seen.ended = sentence
    },
    onUse(listener) {
      use = listener
      return () => {
        use = () => {}
      }
    },
    every(_, run) {
      tick = run
      return () => {
        tick = () => {}
      }
    },
    ...more,
  })
  const pass = async () => {
    tick()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { seen, stop, pass, use: () => use() }
}

it('says that the view is in use after mouse or key, once for each time, and not of a page that nobody sees', async () => {
  const { seen, pass, use } = opened()
  await pass()
  expect(seen.calls).toBe(0)
  use()
  await pass()
  await pass()
  expect(seen.calls).toBe(1)
  seen.isVisible = false
  use()
  await pass()
  expect(seen.calls).toBe(1)
  seen.isVisible = true
  await pass()
  expect(seen.calls).toBe(2)
})

it('tells of a view that has ended, and asks no more; what passes is asked again', async () => {
  let fault = ''
  let calls = 0
  const { seen, pass, use } = opened({
    read: () => {
      calls += 1
      return Promise.reject(new Error(fault))
    },
  })
  use()
  await pass()
  await pass()
  expect([calls, seen.ended]).toEqual([2, ''])
  fault = 'The view has ended.'
  await pass()
  expect(seen.ended).toBe('The view has ended.')
  use()
  await pass()
  expect(calls).toBe(3)
})

it('stops with the page', async () => {
  const { seen, stop, pass, use } = opened()
  use()
  stop()
  await pass()
  expect(seen.calls).toBe(0)
})
