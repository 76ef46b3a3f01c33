import { EventEmitter } from 'node:events'
import { afterEach, expect, it, vi } from 'vitest'
import { main, readArguments } from '../../electron/main.ts'
import * as fake from '../support/electron.ts'

afterEach(() => vi.restoreAllMocks())

it('takes --data for itself and hands the rest to serve', () => {
  expect(readArguments(['--data', '/d', '--http', '127.0.0.1:0'], '/user')).toEqual({ folder: '/d', serve: ['--http', '127.0.0.1:0'] })
  expect(readArguments(['--data=/d', '--dimse', '127.0.0.1:0'], '/user')).toEqual({ folder: '/d', serve: ['--dimse', '127.0.0.1:0'] })
  expect(readArguments([], '/user')).toEqual({ folder: '/user', serve: [] })
})

it('starts the gateway’s process, opens one hardened window at its address, and answers its own page only', async () => {
  const written: string[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  vi.spyOn(process, 'argv', 'get').mockReturnValue(['electron', '.', '--data', '/nowhere-isthmus'])
  await main()
  const child = fake.processes[0]
  expect(fake.app.sandboxed).toBe(true)
  expect(child?.path).toMatch(/headless\.js$/)
  expect(child?.args).toEqual(['serve', '--data', '/nowhere-isthmus'])
  expect(fake.windows).toHaveLength(0)

  child?.stdout.write('{"ready":true,"http":"http://127.0.0.1:8042","dimse":"ISTHMUS@127.0.0.1:11112"}\n')
  await vi.waitFor(() => expect(fake.windows).toHaveLength(1))
  expect(fake.windows[0]?.options.webPreferences).toMatchObject({
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    webSecurity: true,
  })
  expect(written.join('')).toContain('"http":"http://127.0.0.1:8042"')

  const contents = fake.windows[0]?.webContents ?? new EventEmitter()
  const leaving = { preventDefault: vi.fn() }
  contents.emit('will-navigate', leaving, 'https://evil.test/')
  expect(leaving.preventDefault).toHaveBeenCalledOnce()
  const staying = { preventDefault: vi.fn() }
  contents.emit('will-navigate', staying, 'http://127.0.0.1:8042/#/devices')
  expect(staying.preventDefault).not.toHaveBeenCalled()
  expect(fake.windows[0]?.webContents.windowOpen?.({ url: 'http://127.0.0.1:8042/' })).toEqual({ action: 'deny' })

  const version = fake.handlers.get('version')
  expect(version?.({ senderFrame: { parent: null, url: 'http://127.0.0.1:8042/' } })).toBe('0.0.0')
  expect(() => version?.({ senderFrame: { parent: null, url: 'https://evil.test/' } })).toThrow('not for this page')
  expect(() => version?.({ senderFrame: { parent: {}, url: 'http://127.0.0.1:8042/' } })).toThrow('not for this page')

  const allowed: boolean[] = []
  for (const permission of ['geolocation', 'media', 'notifications'])
    fake.permissions.request?.({}, permission, (yes) => allowed.push(yes), { requestingUrl: 'http://127.0.0.1:8042/' })
  expect(allowed).toEqual([false, false, false])
})

it('drains the gateway before it quits', async () => {
  const prevented = vi.fn()
  fake.app.emit('before-quit', { preventDefault: prevented })
  expect(prevented).toHaveBeenCalledOnce()
  expect(fake.processes[0]?.messages).toEqual(['stop'])
  await vi.waitFor(() => expect(fake.app.quits).toBe(1))
})
