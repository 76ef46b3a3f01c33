import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  crashCounter,
  type GatewayAddresses,
  type GatewayExit,
  GatewayProcess,
  restartDelays,
} from '../../../electron/desktop/gateway-process.ts'
import * as fake from '../../support/electron.ts'

const READY = { ready: true, http: 'http://127.0.0.1:1', dimse: 'A@127.0.0.1:2' }
const MINUTE = 60_000

beforeEach(() => {
  fake.forgetAll()
  vi.useFakeTimers()
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

function started({ isAlone = false, dataKey }: { isAlone?: boolean; dataKey?: Buffer } = {}) {
  const ends: GatewayExit[] = []
  const readies: GatewayAddresses[] = []
  const sealed: string[] = []
  const keys = {
    state: () => 'platform' as const,
    read: () => dataKey,
    seal: () => sealed.push('sealed') > 0,
  }
  const args = ['--data', '/d']
  const gateway = new GatewayProcess('headless.js', 'native-worker.js', args, keys, isAlone)
  gateway.on('ready', (ready) => readies.push(ready))
  gateway.on('end', (end) => ends.push(end))
  gateway.start()
  return { gateway, ends, readies, sealed }
}
const last = () => {
  const child = fake.processes.at(-1)
  if (!child) throw new Error('no process')
  return child
}
const settle = () => vi.advanceTimersByTimeAsync(0)
const serves = async () => {
  last().prints(READY)
  await settle()
}
const exits = async (code: number) => {
  last().exit(code)
  await settle()
}

describe('the waits between starts', () => {
  it('double up to half a minute and start over after a steady minute', () => {
    let now = 0
    const waits = restartDelays(() => now)
    const next = (ranMs: number) => {
      waits.started()
      now += ranMs
      return waits.next()
    }
    expect([10, 10, 10, 10, 10, 10, 10, 10].map(next)).toEqual([
      500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000,
    ])
    expect(next(60_000)).toBe(500)
  })
})

describe('the counter of crashes', () => {
  it('means safe mode at three within ten minutes, and not after ten clean ones', () => {
    let now = 0
    const counter = crashCounter(() => now)
    const crashAt = (minute: number) => {
      now = minute * MINUTE
      counter.crashed()
      return counter.isSafe()
    }
    expect([0, 4, 9].map(crashAt)).toEqual([false, false, true])
    now = 19.1 * MINUTE
    expect(counter.isSafe()).toBe(false)
    expect([20, 31, 42].map(crashAt)).toEqual([false, false, false])
    counter.clear()
    expect(counter.isSafe()).toBe(false)
  })
})

describe('the gateway’s process', () => {
  it('is told the data key first, and has it sealed when it asks', async () => {
    const dataKey = Buffer.alloc(32, 7)
    const { sealed } = started({ dataKey })
    expect(last().messages).toEqual([{ dataKey: new Uint8Array(32).fill(7), keyStore: 'platform' }])
    expect(dataKey).toEqual(Buffer.alloc(32))
    last().fire('message', { sealKey: true })
    expect(sealed).toEqual(['sealed'])
    expect(last().args).toEqual(['serve', '--data', '/d'])
  })

  it('says where it serves, whatever else it prints and however it comes', async () => {
    const { readies } = started()
    last().stdout.write('a word of a library\n{"ready":true,"http":"http://127.0.')
    last().stdout.write('0.1:1","dimse":"A@127.0.0.1:2"}\n{"ready":"no"}\n{"ready":true}\n')
    await settle()
    expect(readies).toEqual([{ http: 'http://127.0.0.1:1', dimse: 'A@127.0.0.1:2' }])
    last().prints({
      ready: true,
      rescue: true,
      http: 'http://127.0.0.1:1',
      link: 'http://127.0.0.1:1/rescue.html#t',
    })
    last().prints({
      ready: true,
      rescue: true,
      http: 'http://127.0.0.1:1',
      link: 'file:///etc/passwd',
    })
    await settle()
    expect(readies.slice(1)).toEqual([
      { rescue: true, http: 'http://127.0.0.1:1', link: 'http://127.0.0.1:1/rescue.html#t' },
    ])
  })

  it('starts again after a crash, but not where its first start failed', async () => {
    const first = started()
    await serves()
    await exits(139)
    expect(first.ends).toEqual([{ exitCode: 139, waitMs: 500, fault: '', isSafe: false }])
    await vi.advanceTimersByTimeAsync(500)
    expect(fake.processes).toHaveLength(2)
    await exits(1)
    expect(first.ends[1]).toMatchObject({ exitCode: 1, waitMs: 1000 })

    const second = started()
    last().stderr.write('{"level":50,"msg":"a line of the log"}\nThe folder /d is in use.')
    await exits(1)
    expect(second.ends).toEqual([
      { exitCode: 1, waitMs: undefined, fault: 'The folder /d is in use.', isSafe: false },
    ])
    second.gateway.start()
    expect(last().args).toEqual(['serve', '--data', '/d'])
  })

  it('tries a first start again where nobody is there to be asked', async () => {
    const { ends } = started({ isAlone: true })
    await exits(1)
    expect(ends[0]?.waitMs).toBe(500)
    await vi.advanceTimersByTimeAsync(500)
    expect(fake.processes).toHaveLength(2)
  })

  it('starts in safe mode after three crashes, and in full when a person has it started again', async () => {
    const { gateway, ends } = started()
    for (const wait of [500, 1000, 2000]) {
      await serves()
      await exits(139)
      await vi.advanceTimersByTimeAsync(wait)
    }
    expect(ends.map(({ isSafe }) => isSafe)).toEqual([false, false, true])
    expect(last().args).toEqual(['serve', '--data', '/d', '--safe-mode'])
    await serves()
    gateway.restart()
    await vi.advanceTimersByTimeAsync(10)
    expect(last().args).toEqual(['serve', '--data', '/d'])
    expect(ends).toHaveLength(3)
  })

  it('starts in full after ten clean minutes in safe mode', async () => {
    started()
    for (const wait of [500, 1000, 2000]) {
      await serves()
      await exits(139)
      await vi.advanceTimersByTimeAsync(wait)
    }
    await serves()
    await vi.advanceTimersByTimeAsync(11 * MINUTE)
    await exits(139)
    await vi.advanceTimersByTimeAsync(500)
    expect(last().args).toEqual(['serve', '--data', '/d'])
  })

  it('takes a refusal in a sentence for no crash, and a fault of ours for one', async () => {
    const { ends } = started({ isAlone: true })
    for (let n = 0; n < 5; n++) {
      last().stderr.write('The port 11112 is in use.\n')
      await exits(1)
      await vi.advanceTimersByTimeAsync(30_000)
    }
    expect(ends.map(({ isSafe }) => isSafe)).toEqual(Array(5).fill(false))
    for (let n = 0; n < 3; n++) {
      last().stderr.write("TypeError: cannot read 'x'\n    at start (gateway.js:1:1)\n")
      await exits(1)
      await vi.advanceTimersByTimeAsync(30_000)
    }
    expect(ends.at(-1)).toMatchObject({ isSafe: true, fault: "TypeError: cannot read 'x'" })
  })

  it('is started again where something else told it to end, which is no crash', async () => {
    const { ends } = started()
    for (let n = 0; n < 4; n++) {
      await serves()
      await exits(0)
      await vi.advanceTimersByTimeAsync(30_000)
    }
    expect(ends.map(({ isSafe }) => isSafe)).toEqual([false, false, false, false])
    expect(fake.processes).toHaveLength(5)
  })

  it('is told again to start anew where it was told while it started', async () => {
    const { gateway, readies } = started()
    vi.spyOn(last(), 'postMessage').mockReturnValueOnce(undefined)
    gateway.restart()
    await settle()
    expect(fake.processes).toHaveLength(1)
    await serves()
    await vi.advanceTimersByTimeAsync(10)
    expect(fake.processes).toHaveLength(2)
    expect(readies).toEqual([])
  })

  it('is ended by word, and by force where it does not hear', async () => {
    const { gateway, ends } = started()
    await serves()
    const deaf = vi.spyOn(last(), 'postMessage').mockReturnValue(undefined)
    const stopped = gateway.stop(4_000)
    expect(deaf).toHaveBeenCalledWith('stop')
    await vi.advanceTimersByTimeAsync(4_000)
    await stopped
    await vi.advanceTimersByTimeAsync(60_000)
    expect(fake.processes).toHaveLength(1)
    expect(ends).toEqual([])
  })
})
