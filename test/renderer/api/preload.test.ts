import { afterEach, beforeEach, expect, it, vi } from 'vitest'

const SIGNED_IN = { user: { userId: 'usr_1' }, isLocked: false }
let session: unknown = SIGNED_IN
let called: string[] = []

beforeEach(() => {
  called = []
  session = SIGNED_IN
  vi.resetModules()
  vi.stubGlobal('window', {
    fetch: async (path: string) => {
      called.push(path)
      return path === '/dashboard/today'
        ? new Response('', { status: 503 })
        : Response.json(path === '/dashboard/session' ? session : {})
    },
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})
const load = () => import('../../../renderer/src/api/preload.ts')

it('asks for the session, then for what the first screen needs', async () => {
  const { preload } = await load()
  await preload('')
  expect(called).toEqual(['/dashboard/session', '/dashboard/status', '/dashboard/today'])
})

it('asks nothing more for who is not signed in, or whose window is locked', async () => {
  for (const one of [{ user: null }, { ...SIGNED_IN, isLocked: true }]) {
    session = one
    const { preload } = await load()
    await preload('#/')
  }
  expect(called).toEqual(['/dashboard/session', '/dashboard/session'])
})

it('asks nothing for a page that came by a link of its own', async () => {
  const { preload } = await load()
  await preload('#/sign-in?token=abc')
  await preload('#/linked/0a1b')
  expect(called).toEqual([])
})

it('gives an answer once, never a refusal, and none that is old', async () => {
  const { preload, takePreloaded } = await load()
  await preload('')
  expect(await (await takePreloaded('/dashboard/session'))?.json()).toEqual(SIGNED_IN)
  expect(await takePreloaded('/dashboard/session')).toBeUndefined()
  expect(await takePreloaded('/dashboard/today')).toBeUndefined()
  const later = performance.now() + 6000
  vi.spyOn(performance, 'now').mockReturnValue(later)
  expect(await takePreloaded('/dashboard/status')).toBeUndefined()
  vi.restoreAllMocks()
})
